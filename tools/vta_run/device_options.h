// The options that say what a program runs on.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "driver/device_registry.h"

namespace vta::tools {

/// Options as they are written, before they are checked against each other.
struct DeviceChoice {
  std::string sim, dram, device;
  std::string waves, waves_from, waves_to;
  bool timing_only = false;
};

/// --sim, --dram, --timing-only, --waves, --waves-from, --waves-to, --device.
void addDeviceChoice(CLI::App& app, DeviceChoice& choice);

/// parseCommandLine, where the value of --sim may be left out, and may stand behind a blank: a
/// simulator's name or the model's file may follow.
bool parseWithDevice(CLI::App& app, const char* tool, int argc, char** argv, int& exit_code);

/// Sets `device` as `choice` says; an error text for what cannot be.
std::string chooseDevice(const DeviceChoice& choice, driver::DeviceSpec& device);

/// "--sim=cycle or --sim=rtl": the simulators that `has` is true for.
template <typename Has>
std::string simulatorsThat(Has has) {
  std::string text;
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    if (!kind.is_simulator || !has(kind)) continue;
    text += (text.empty() ? "--sim=" : " or --sim=") + std::string(kind.name);
  }
  return text.empty() ? "a simulator that this program does not have" : text;
}

}  // namespace vta::tools
