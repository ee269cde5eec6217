// vta-info: what is here - accelerator configurations, devices, GPUs, the host CPU, versions.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "driver/device_registry.h"
#include "isa/config/clock_estimate.h"
#include "isa/config/hw_config.h"
#include "isa/config/hw_schema.h"
#include "isa/rtl/sv_config_check.h"
#include "isa/rtl/sv_package.h"
#include "module/module_file.h"
#include "module/module_info.h"
#include "tools/common/command_line.h"
#include "tools/common/commit.h"
#include "tools/common/config_folder.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"
#include "tools/vta_info_gpu.h"
#include "tools/vta_info_rtl.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTool = "vta-info";

struct ConfigEntry {
  std::string file;
  std::string summary;  // or the error
  bool valid = false;
  std::vector<ClockEstimate> clocks;
  std::string warning;  // about clock_mhz
};

ConfigEntry describeConfig(const fs::path& file) {
  ConfigEntry entry;
  entry.file = file.string();
  const auto hw = loadHwConfig(file);
  entry.valid = hw.ok();
  entry.summary = hw.ok() ? hw->summary() : std::string(hw.status().message());
  if (hw.ok()) {
    entry.clocks = estimateClock(hw->params());
    entry.warning = clockWarning(hw->params());
  }
  return entry;
}

std::string clockText(const ConfigEntry& entry) {
  std::string text = "estimated MHz, from a full to a nearly empty device:";
  for (const ClockEstimate& clock : entry.clocks) {
    text += fmt::format("{} {:.0f} to {:.0f} on {}", &clock == &entry.clocks.front() ? "" : ",",
                        clock.full_mhz, clock.mhz, clock.device);
  }
  return text;
}

std::vector<ConfigEntry> listConfigs(const fs::path& folder) {
  std::vector<ConfigEntry> entries;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    if (file.path().extension() != ".yaml") continue;
    entries.push_back(describeConfig(file.path()));
  }
  std::ranges::sort(entries, {}, &ConfigEntry::file);
  return entries;
}

/// The CPU's name as the kernel tells it.
std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return elfMachineName(nativeElfMachine());
}

std::string textInfo(const std::vector<ConfigEntry>& configs) {
  const std::string commit = sdkCommit().empty() ? "" : fmt::format(" ({})", sdkCommit());
  std::string text =
      fmt::format("VTA SDK {}{}, module format {}\n", sdkVersion(), commit, kModuleFormatVersion);
  text += fmt::format("host: {}, {} processors, {} memory\n\ndevices:\n", cpuName(),
                      std::thread::hardware_concurrency(),
                      formatBytes(static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                  static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE))));
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    text +=
        fmt::format("  {}: {}{}\n", kind.name, kind.description,
                    kind.options.empty() ? "" : fmt::format(" (options: {})", kind.optionsText()));
  }
  text += "\n" + gpuText() + "\naccelerator configurations:\n";
  if (configs.empty()) text += "  no configs/hw here; --configs DIR names another folder\n";
  for (const ConfigEntry& entry : configs) {
    if (!entry.valid) {
      text += fmt::format("  {}\n    not valid: {}\n", entry.file, entry.summary);
      continue;
    }
    text += fmt::format("  {}\n    {}\n    {}\n", entry.file, entry.summary, clockText(entry));
    if (!entry.warning.empty()) text += fmt::format("    warning: {}\n", entry.warning);
  }
  return text;
}

std::string jsonInfo(const std::vector<ConfigEntry>& configs) {
  nlohmann::ordered_json json = {{"version", sdkVersion()},
                                 {"commit", sdkCommit()},
                                 {"module_format", kModuleFormatVersion},
                                 {"cpu", cpuName()},
                                 {"processors", std::thread::hardware_concurrency()},
                                 {"devices", nlohmann::json::array()},
                                 {"gpus", gpuJson()},
                                 {"configurations", nlohmann::json::array()}};
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    json["devices"].push_back(
        {{"name", kind.name}, {"options", kind.optionsText()}, {"description", kind.description}});
  }
  for (const ConfigEntry& entry : configs) {
    nlohmann::ordered_json clocks = nlohmann::json::object();
    for (const ClockEstimate& clock : entry.clocks) {
      clocks[std::string(clock.device)] = {{"mhz", clock.mhz}, {"full_mhz", clock.full_mhz}};
    }
    json["configurations"].push_back(
        {{"file", entry.file},
         {"valid", entry.valid},
         {"summary", entry.summary},
         {"estimated_clock", std::move(clocks)},
         {"clock_warning",
          entry.warning.empty() ? nlohmann::json() : nlohmann::json(entry.warning)}});
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

struct Options {
  std::string folder;  // of configurations; empty: the SDK's own
  bool json = false;
  bool test_gpus = false;
  std::string module_file;
  bool schema = false;
  bool config_check = false;
  std::string hw_file;
  std::string package_file;           // empty: no package is wanted
  std::string source_folder;          // empty: no sources are wanted
  std::optional<std::string> prefix;  // of the sources' names
  SvPackageOptions package;
};

/// The options that write RTL.
void addRtlOptions(CLI::App& app, Options& options) {
  CLI::Option* package =
      app.add_option("--rtl-package", options.package_file,
                     "Write vta_pkg.sv, the RTL's parameters for the configuration of --hw")
          ->type_name("FILE");
  CLI::Option* sources =
      app.add_option("--rtl-sources", options.source_folder,
                     "Write the whole RTL for the configuration of --hw, and files.f, its list")
          ->type_name("DIR")
          ->excludes(package);
  app.add_option("--rtl-prefix", options.prefix,
                 "What stands before the names of files, modules and package of --rtl-sources, so "
                 "that a design can hold cores of several configurations")
      ->type_name("NAME")
      ->needs(sources);
  app.add_option("--hw", options.hw_file, "Hardware configuration of the RTL")
      ->type_name("FILE|NAME")
      ->transform(hardwareName());
  HardwareBuild& build = options.package.build;
  app.add_flag_callback(
      "--rtl-no-packing", [&] { build.int8_packing = false; },
      "RTL without two products in a DSP block");
  app.add_flag_callback(
      "--rtl-no-counters", [&] { build.counters = false; }, "RTL without performance counters");
  app.add_flag("--rtl-fast-simulation", options.package.fast_simulation,
               "RTL for simulation only: some blocks in forms that simulate faster");
  app.add_flag("--rtl-include-types", options.package.include_types,
               "Package that includes vta_types.svh instead of holding its text")
      ->needs(package);
}

/// What the options of the RTL need of each other; empty when nothing is missing.
std::string missingOption(const CLI::App& app) {
  const bool writes_rtl = app.count("--rtl-package") + app.count("--rtl-sources") != 0;
  if (writes_rtl) return app.count("--hw") == 0 ? "RTL is written for --hw; name one" : "";
  for (const char* name :
       {"--hw", "--rtl-no-packing", "--rtl-no-counters", "--rtl-fast-simulation"}) {
    if (app.count(name) != 0) return fmt::format("{} needs --rtl-package or --rtl-sources", name);
  }
  return "";
}

bool parseOptions(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app("Shows what is here: accelerator configurations, devices, GPUs, the host, versions.",
               kTool);
  app.footer("\nExample:\n  vta-info --configs configs/hw --json");
  app.add_option("--configs", options.folder, "Folder of configurations; default: that of the SDK")
      ->type_name("DIR");
  app.add_flag("--json", options.json, "Print one JSON object");
  app.add_flag("--test-gpus", options.test_gpus,
               "Test whether each GPU computes what it says that it can");
  app.add_option("--module", options.module_file,
                 "Say how much of a GPU's memory a session of this module takes")
      ->type_name("FILE");
  app.add_flag("--hw-schema", options.schema,
               "Print the JSON schema of hardware configurations, for editors");
  app.add_flag("--rtl-config-check", options.config_check,
               "Print vta_config_check.sv, the RTL's check of its parameters");
  addRtlOptions(app, options);
  if (!parseCommandLine(app, kTool, argc, argv, exit_code)) return false;
  const std::string missing = missingOption(app);
  if (!missing.empty()) exit_code = reportUsage(kTool, missing);
  return missing.empty();
}

/// The configurations of a folder; of the SDK's own, which may be missing, when none is named.
Result<std::vector<ConfigEntry>> configsOf(const std::string& folder) {
  if (folder.empty()) {
    const std::optional<fs::path> own = findConfigFolder();
    return own ? listConfigs(*own) : std::vector<ConfigEntry>{};
  }
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return notFound(fmt::format("'{}' is not a folder", folder));
  }
  std::vector<ConfigEntry> configs = listConfigs(folder);
  if (configs.empty()) {
    return notFound(
        fmt::format("'{}' holds no configuration: no file in it ends in .yaml", folder));
  }
  return configs;
}

Status showModule(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const uint64_t bytes, gpuBytesOfSession(options.module_file));
  if (options.json) {
    printRaw(nlohmann::ordered_json{{"gpu_bytes", bytes}}.dump(2) + "\n");
  } else {
    print("{}: a session takes {} of a GPU's memory\n", options.module_file, formatBytes(bytes));
  }
  return {};
}

Status run(const Options& options) {
  if (options.schema) {
    printRaw(hwConfigSchema());
    return {};
  }
  if (options.config_check) {
    printRaw(svConfigCheck());
    return {};
  }
  if (!options.package_file.empty()) {
    return writeRtlPackage(options.hw_file, options.package_file, options.package);
  }
  if (!options.source_folder.empty()) {
    return writeRtlSources(options.hw_file, options.source_folder, options.prefix, options.package);
  }
  if (options.test_gpus) {
    const GpuTests tests = testGpus();
    printRaw(options.json ? tests.json.dump(2) + "\n" : tests.text);
    if (tests.passed) return {};
    return {StatusCode::kDeviceFault, "a GPU fails its self-test"};
  }
  if (!options.module_file.empty()) return showModule(options);
  VTA_ASSIGN_OR_RETURN(const std::vector<ConfigEntry> configs, configsOf(options.folder));
  options.json ? printRaw(jsonInfo(configs)) : printText(textInfo(configs));
  return {};
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runTool<Options>(kTool, argc, argv, parseOptions, run);
}
