#include "tools/vta_tune/compile_options.h"

#include "tools/common/terminal.h"
#include "tools/inputs/calibration.h"
#include "tools/inputs/input_files.h"

namespace vta::tools {

Result<compiler::CompileOptions> compileOptions(const TuneToolOptions& options,
                                                const compiler::ModelSignature& signature,
                                                compiler::Partition partition) {
  compiler::CompileOptions compile_options;
  compile_options.partition = partition;
  compiler::keepCode(compile_options);
  VTA_RETURN_IF_ERROR(applyQuantization(options.quantization, compile_options.quantize));
  std::vector<std::string> warnings;
  VTA_ASSIGN_OR_RETURN(
      compile_options.quantize.samples,
      loadCalibration({options.quantization.calibrate, options.preprocess}, signature,
                      SampleSet::random(inputsOf(signature), 1), warnings));
  return compile_options;
}

Result<std::shared_ptr<const compiler::Model>> loadModel(const TuneToolOptions& options) {
  VTA_ASSIGN_OR_RETURN(auto model,
                       compiler::Model::load(options.model, options.dimensions,
                                             sampleShapes(options.quantization.calibrate),
                                             options.quantization.static_ranges));
  for (const std::string& note : model->notes()) reportWarning(kTuneTool, note);
  return model;
}

}  // namespace vta::tools
