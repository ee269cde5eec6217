#include "tools/vta_tune/compile_options.h"

#include "tools/common/cli.h"
#include "tools/inputs/calibration.h"

namespace vta::tools {

Result<compiler::CompileOptions> compileOptions(const TuneToolOptions& options,
                                                const compiler::ModelSignature& signature,
                                                compiler::Partition partition) {
  compiler::CompileOptions compile_options;
  compile_options.partition = partition;
  compiler::keepCode(compile_options);
  VTA_RETURN_IF_ERROR(applyQuantization({options.calibration_method, !options.calibrate.empty(),
                                         options.float_layers, options.wide_activations,
                                         options.activations},
                                        compile_options.quantize));
  std::vector<std::string> warnings;
  VTA_ASSIGN_OR_RETURN(compile_options.quantize.samples,
                       loadCalibration({options.calibrate, options.preprocess}, signature,
                                       SampleSet::random(inputsOf(signature), 1), warnings));
  return compile_options;
}

}  // namespace vta::tools
