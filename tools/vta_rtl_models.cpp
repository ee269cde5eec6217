// vta-rtl-models: builds the Verilated models of hardware configurations ahead of their use.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "isa/config/hw_config.h"
#include "sim/rtl/model_cache.h"
#include "tools/common/command_line.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"

namespace {

using vta::sim::ModelCache;
using vta::sim::ModelVariant;

constexpr const char* kTool = "vta-rtl-models";

vta::Status buildAll(const ModelCache& cache, const std::vector<std::string>& files,
                     ModelVariant variant) {
  for (const std::string& file : files) {
    VTA_ASSIGN_OR_RETURN(const vta::HwConfig hw, vta::loadHwConfig(file));
    VTA_ASSIGN_OR_RETURN(const std::filesystem::path library, cache.find(hw, variant));
    vta::tools::print("{}: {}\n", file, library.string());
  }
  return {};
}

int runMain(int argc, char** argv) {
  CLI::App app("Builds the Verilated RTL of hardware configurations ahead of its use.", kTool);
  app.footer("\nExample:\n  vta-rtl-models configs/hw/default.yaml --variant waves");
  std::vector<std::string> files;
  std::string variant = "plain";
  std::string directory;
  app.add_option("FILE", files, "Hardware configurations (YAML)")->required();
  app.add_option("--variant", variant, "plain, waves or checked")
      ->check(CLI::IsMember({"plain", "waves", "checked"}));
  app.add_option("--directory", directory, "Where to put them; default: the user's cache")
      ->type_name("DIR");
  int exit_code = vta::tools::kExitOk;
  if (!vta::tools::parseCommandLine(app, kTool, argc, argv, exit_code)) return exit_code;
  ModelCache cache = ModelCache::standard();
  if (!directory.empty()) {
    cache.prebuilt_directory.clear();
    cache.cache_directory = directory;
  }
  const ModelVariant chosen = variant == "waves"     ? ModelVariant::kWaves
                              : variant == "checked" ? ModelVariant::kChecked
                                                     : ModelVariant::kPlain;
  const vta::Status status = buildAll(cache, files, chosen);
  return status.ok() ? int{vta::tools::kExitOk} : vta::tools::reportError(kTool, status);
}

}  // namespace

int main(int argc, char** argv) { return vta::tools::runTool(kTool, argc, argv, runMain); }
