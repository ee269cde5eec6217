#include "tools/vta_run/device_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

#include "base/closest_name.h"
#include "tools/common/command_line.h"
#include "tools/common/names/choices.h"
#include "tools/common/names/remote_devices.h"

namespace vta::tools {
namespace {

constexpr uint64_t kMostInstructions = std::numeric_limits<uint32_t>::max();

/// The simulator that --sim without a name means: nullptr if the program has none.
const driver::DeviceKind* preferredSimulator() {
  const driver::DeviceKind* best = nullptr;
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    if (kind.is_simulator && (best == nullptr || kind.preference > best->preference)) best = &kind;
  }
  return best;
}

std::vector<std::string> simulatorNames() {
  std::vector<std::string> names;
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    if (!kind.is_simulator) continue;
    names.emplace_back(kind.name);
    for (const driver::DeviceAlias& alias : kind.aliases) names.emplace_back(alias.name);
  }
  return names;
}

std::vector<std::string> deviceNames() {
  return namesOf(driver::deviceKinds(), &driver::DeviceKind::name);
}

/// What a device's option may be called, whichever device has it.
std::vector<std::string> namesOfOption(std::string_view key) {
  std::vector<std::string> names;
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    for (const driver::DeviceOption& option : kind.options) {
      if (option.key != key || option.names == nullptr) continue;
      for (const std::string& name : option.names()) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
    }
  }
  return names;
}

/// What --sim takes, for --help.
std::string simulatorHelp() {
  std::string text = "Simulator, by name or name:option,option:";
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    if (!kind.is_simulator) continue;
    const bool is_default = &kind == preferredSimulator();
    text += fmt::format("{} {}: {}{}", text.back() == ':' ? "" : ";", kind.name, kind.description,
                        is_default ? " (the default)" : "");
    for (const driver::DeviceAlias& alias : kind.aliases) {
      text += fmt::format("; {}: {}", alias.name, alias.description);
    }
  }
  return text;
}

bool namesSimulator(std::string_view text) {
  const driver::DeviceKind* kind = driver::findDeviceKind(text.substr(0, text.find(':')));
  return kind != nullptr && kind->is_simulator;
}

/// The arguments with every `--sim` and its value as one: a name may follow `--sim`, and so may the
/// model's file.
std::vector<std::string> withSimValue(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] != "--sim") continue;
    const bool has_name = i + 1 < arguments.size() && namesSimulator(arguments[i + 1]) &&
                          !std::filesystem::exists(arguments[i + 1]);
    const driver::DeviceKind* preferred = preferredSimulator();
    arguments[i] += "=" + (has_name ? arguments[i + 1]
                                    : std::string(preferred != nullptr ? preferred->name : ""));
    if (has_name) arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return arguments;
}

/// An option of the command line that is one of the device.
struct ForwardedOption {
  const char* option;  // "--dram"
  const char* key;     // "dram"
  std::string value;   // empty: not given, or a flag
  bool is_given;
};

/// Adds what --dram, --timing-only and --waves say to the device's options; an error text for what
/// it does not have.
std::string forwardOptions(const DeviceChoice& choice, const driver::DeviceKind& kind,
                           driver::DeviceSpec& device) {
  const ForwardedOption forwarded[] = {
      {"--timing-only", "timing-only", "", choice.timing_only},
      {"--dram", "dram", choice.dram, !choice.dram.empty()},
      {"--waves", "waves", choice.waves, !choice.waves.empty()},
      {"--waves-from", "waves-from", choice.waves_from, !choice.waves_from.empty()},
      {"--waves-to", "waves-to", choice.waves_to, !choice.waves_to.empty()}};
  if (choice.waves.empty() && (!choice.waves_from.empty() || !choice.waves_to.empty())) {
    return "--waves-from and --waves-to need --waves";
  }
  for (const ForwardedOption& option : forwarded) {
    if (!option.is_given) continue;
    if (!kind.hasOption(option.key)) {
      return fmt::format("{} needs {}", option.option,
                         simulatorsThat([&](const driver::DeviceKind& other) {
                           return other.hasOption(option.key);
                         }));
    }
    device.options[option.key] = option.value;
  }
  return "";
}

}  // namespace

void addDeviceChoice(CLI::App& app, DeviceChoice& choice) {
  app.add_option("--sim", choice.sim, simulatorHelp())
      ->type_name("[=NAME]")
      ->check(Offered(simulatorNames));
  app.add_option(
         "--dram", choice.dram,
         "DRAM whose timing the cycle and rtl simulators have: simple (the default), a preset such "
         "as DDR3-1066, or a YAML file")
      ->type_name("NAME|FILE")
      ->check(Offered([] { return namesOfOption("dram"); }));
  app.add_flag("--timing-only", choice.timing_only,
               "Count cycles but compute no values on the VTA: outputs mean nothing");
  app.add_option("--waves", choice.waves,
                 "Write waveforms (FST) of the RTL to this file; --sim=rtl only")
      ->type_name("FILE");
  app.add_option("--waves-from", choice.waves_from,
                 "First instruction of the waveforms, by its number")
      ->check(wholeNumber(0, kMostInstructions));
  app.add_option("--waves-to", choice.waves_to, "Last instruction of the waveforms")
      ->check(wholeNumber(0, kMostInstructions));
  app.add_option("--device", choice.device,
                 "Device to run on, by name or name:option,option; vta-info lists them")
      ->check(Offered(deviceNames));
}

bool parseWithDevice(CLI::App& app, const char* tool, int argc, char** argv, int& exit_code) {
  std::vector<std::string> arguments = withSimValue(argc, argv);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int count = static_cast<int>(arguments.size());
  return parseCommandLine(app, tool, count, pointers.data(), exit_code);
}

std::string chooseDevice(const DeviceChoice& choice, driver::DeviceSpec& device) {
  if (!choice.sim.empty() && !choice.device.empty()) return "--sim and --device exclude each other";
  const driver::DeviceKind* preferred = preferredSimulator();
  std::string text = choice.sim.empty() ? choice.device : choice.sim;
  if (text.empty() && preferred != nullptr) text = preferred->name;
  const std::string name = text.substr(0, text.find(':'));
  const driver::DeviceKind* kind = driver::findDeviceKind(name);
  if (kind == nullptr && text.starts_with("tcp:")) {
    return noRemoteDevices(text);
  }
  if (!choice.device.empty() && kind == nullptr) {
    return fmt::format(
        "--device={}: this build drives no hardware of this name; vta-info lists "
        "the devices{}",
        text, suggestion(name, deviceNames()));
  }
  if (kind == nullptr || (choice.device.empty() && !kind->is_simulator)) {
    return fmt::format("--sim={}: no such simulator; it has: {}{}", text,
                       fmt::join(simulatorNames(), ", "), suggestion(name, simulatorNames()));
  }
  auto spec = driver::parseDeviceSpec(text);
  if (!spec.ok()) return spec.status().message();
  device = *std::move(spec);
  return forwardOptions(choice, *kind, device);
}

}  // namespace vta::tools
