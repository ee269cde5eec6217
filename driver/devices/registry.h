// Devices by name.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "driver/device.h"
#include "isa/config/hw_config.h"

namespace vta::driver {

/// Told what a device does before it can be used, if that takes long.
using DeviceProgress = std::function<void(const std::string&)>;

/// One kind of device.
struct DeviceKind {
  std::string_view name;         // "functional"
  std::string_view options;      // what may follow the name, "" when nothing
  std::string_view description;  // one line for people
  /// `options` is the text behind "name:", split at commas by the factory.
  Result<std::unique_ptr<Device>> (*create)(std::string_view options, const HwConfig& hw,
                                            const DeviceProgress& progress);
};

/// All kinds that this build has.
std::span<const DeviceKind> deviceKinds();

/// Creates the device that `spec` names: "name" or "name:option,option", for example "functional",
/// "functional:checked" or "functional:memory=256M". Errors: kNotFound with the known names;
/// kInvalidArgument with the known options; those of the device.
Result<std::unique_ptr<Device>> createDevice(std::string_view spec, const HwConfig& hw,
                                             const DeviceProgress& progress = {});

}  // namespace vta::driver
