// vta-run with a compiler, every simulator and every report.
#include "driver/generate/files/read_tokenizer.h"
#include "explore/sweep/area/area_model.h"
#include "isa/config/extension_folder.h"
#include "isa/program/verify/verifier.h"
#include "tools/vta_run/features.h"
#include "tools/vta_run/full/onnx_compiler.h"
#include "tools/vta_run/full/remote_run.h"
#include "tools/vta_run/full/report_data.h"
#include "tools/vta_run/image/run_image.h"

namespace vta::tools {
namespace {

/// The built-in configuration without a file.
Result<HwConfig> readHw(const std::string& file, const std::vector<std::string>& extensions) {
  HwConfig hw = HwConfig::makeDefault();
  if (!file.empty()) {
    VTA_ASSIGN_OR_RETURN(hw, loadHwConfig(file));
  }
  return withExtensions(hw, extensions);
}

Status checkProgram(const Program& program, const HwConfig& hw) {
  return verifyProgramStatus(program, hw);
}

Result<EnergyModel> energyModel(const std::string& name) {
  VTA_ASSIGN_OR_RETURN(const sim::EnergyTable table, sim::resolveEnergyTable(name));
  EnergyModel model;
  model.source = {table.name, table.node, table.static_mw.has_value(), table.sources()};
  model.estimate = [table](const Program& program, const HwConfig& hw, uint64_t cycles) {
    return sim::estimateEnergy(sim::countEnergyEvents(program.instructions, hw), hw, table, cycles);
  };
  return model;
}

/// Of the published HLS core there is no RTL here.
std::optional<AreaFigures> estimateArea(const HwConfig& hw) {
  if (hw.params().hls_timing) return std::nullopt;
  const sweep::AreaEstimate area = sweep::estimateArea(hw);
  return AreaFigures{area.lut, area.ff, area.dsp, area.bram36, area.uram};
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  OnnxCompiler compiler;
  RunFeatures features;
  features.compiler = &compiler;
  features.check_program = checkProgram;
  features.read_hw = readHw;
  features.energy_model = energyModel;
  features.energy_tables = vta::sim::builtinEnergyTables;
  features.estimate_area = estimateArea;
  features.html_report = htmlReport;
  features.read_tokenizer = vta::driver::readTokenizer;
#ifdef VTA_HAS_REMOTE
  features.open_remote = openRemoteModule;
#endif
  return wantsImage(argc, argv) ? runImageMain(argc, argv, features)
                                : runMain(argc, argv, features);
}
