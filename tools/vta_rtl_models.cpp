// vta-rtl-models: builds the Verilated models of hardware configurations ahead of their use.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "isa/config/hw_config.h"
#include "sim/rtl/model_cache.h"
#include "tools/common/command_line.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/names/choices.h"
#include "tools/common/print.h"

namespace {

using vta::sim::ModelCache;
using vta::sim::ModelVariant;

constexpr const char* kTool = "vta-rtl-models";

struct Options {
  std::vector<std::string> files;
  std::string variant = "plain";
  std::string directory;  // empty: the user's cache
};

bool parseOptions(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app("Builds the Verilated RTL of hardware configurations ahead of its use.", kTool);
  app.footer("\nExample:\n  vta-rtl-models configs/hw/default.yaml --variant waves");
  app.add_option("FILE", options.files, "Hardware configurations (YAML)")->required();
  app.add_option("--variant", options.variant, "plain, waves or checked")
      ->check(vta::tools::OneOf({"plain", "waves", "checked"}));
  app.add_option("--directory", options.directory, "Where to put them; default: the user's cache")
      ->type_name("DIR");
  return vta::tools::parseCommandLine(app, kTool, argc, argv, exit_code);
}

vta::Status buildAll(const Options& options) {
  ModelCache cache = ModelCache::standard();
  if (!options.directory.empty()) {
    cache.prebuilt_directory.clear();
    cache.cache_directory = options.directory;
  }
  const ModelVariant variant = options.variant == "waves"     ? ModelVariant::kWaves
                               : options.variant == "checked" ? ModelVariant::kChecked
                                                              : ModelVariant::kPlain;
  for (const std::string& file : options.files) {
    VTA_ASSIGN_OR_RETURN(const vta::HwConfig hw, vta::loadHwConfig(file));
    VTA_ASSIGN_OR_RETURN(const std::filesystem::path library, cache.find(hw, variant));
    vta::tools::print("{}: {}\n", file, library.string());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  return vta::tools::runTool<Options>(kTool, argc, argv, parseOptions, buildAll);
}
