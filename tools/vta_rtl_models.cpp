// vta-rtl-models: builds the Verilated models of hardware configurations ahead of their use.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "isa/hw_config.h"
#include "sim/rtl/model_cache.h"

namespace {

using vta::sim::ModelCache;
using vta::sim::ModelVariant;

constexpr int kExitUsage = 2;

bool buildAll(const ModelCache& cache, const std::vector<std::string>& files,
              ModelVariant variant) {
  for (const std::string& file : files) {
    const auto hw = vta::loadHwConfig(file);
    const auto library =
        hw.ok() ? cache.find(*hw, variant) : vta::Result<std::filesystem::path>(hw.status());
    if (!library.ok()) {
      fmt::print(stderr, "vta-rtl-models: error: {}\n", library.status().message());
      return false;
    }
    fmt::print("{}: {}\n", file, library->string());
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Builds the Verilated RTL of hardware configurations ahead of its use.",
               "vta-rtl-models");
  app.footer("Example:\n  vta-rtl-models configs/hw/default.yaml --variant waves");
  std::vector<std::string> files;
  std::string variant = "plain";
  std::string directory;
  app.add_option("FILE", files, "Hardware configurations (YAML)")->required();
  app.add_option("--variant", variant, "plain, waves or checked")
      ->check(CLI::IsMember({"plain", "waves", "checked"}));
  app.add_option("--directory", directory, "Where to put them; default: the user's cache")
      ->type_name("DIR");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  ModelCache cache = ModelCache::standard();
  if (!directory.empty()) {
    cache.prebuilt_directory.clear();
    cache.cache_directory = directory;
  }
  const ModelVariant chosen = variant == "waves"     ? ModelVariant::kWaves
                              : variant == "checked" ? ModelVariant::kChecked
                                                     : ModelVariant::kPlain;
  return buildAll(cache, files, chosen) ? 0 : 1;
}
