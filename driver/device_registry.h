// Devices by name. Libraries of devices register what they have when a program that links them
// starts; a program links only the devices that it wants.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "isa/config/hw_config.h"

namespace vta::driver {

/// Told what a device does before it can be used, if that takes long.
using DeviceProgress = std::function<void(const std::string&)>;

/// Values by key; that of a flag is empty. Keys and values are any text.
using DeviceOptions = std::map<std::string, std::string, std::less<>>;

/// An option that a kind of device has.
struct DeviceOption {
  enum class Value : uint8_t {
    kFlag,        // none
    kOutputFile,  // the path of a file that it writes
    kText,        // a name, or a path
    kSize,        // bytes: "1048576", "256M"
    kNumber,      // from 0
  };
  std::string_view key;  // "memory"
  Value value = Value::kFlag;
  /// Names that a kText may be beside the path of a file; null when there are none.
  std::vector<std::string> (*names)() = nullptr;
};

/// Another name for a kind with some options.
struct DeviceAlias {
  std::string_view name;         // "checked"
  std::string_view option;       // a flag of the kind
  std::string_view description;  // one line for people
};

/// One kind of device, and what can be known of it without creating one.
struct DeviceKind {
  std::string_view name;         // "functional"
  std::string_view description;  // one line for people
  std::vector<DeviceOption> options;
  std::vector<DeviceAlias> aliases;
  bool is_simulator = false;
  bool records_events = false;  // setTracing works
  /// Not empty: it may be written "scheme://address,option", for its option `address`.
  std::string_view scheme = {};
  /// Not empty: the first option may be the value of this option alone, "name:value".
  std::string_view first_option = {};
  /// Not empty: the device is in an FPGA of this machine that vta-flash programs, and this option
  /// is the folder where the machine's files are.
  std::string_view board_root = {};
  int order = 0;       // in lists; the simplest come first
  int preference = 0;  // of simulators: who wants any gets the one with the most
  /// Keys of `options` are those of the kind, and their values have the right form. `check` finds
  /// what is wrong with them whatever the configuration is; null when nothing can be.
  Status (*check)(const DeviceOptions& options) = nullptr;
  /// Reads the configuration of the hardware that there is; null for simulators, which have any.
  Result<HwConfig> (*configuration)(const DeviceOptions& options) = nullptr;
  Result<std::unique_ptr<Device>> (*create)(const DeviceOptions& options, const HwConfig& hw,
                                            const DeviceProgress& progress) = nullptr;

  bool hasOption(std::string_view key) const;

  /// "checked, memory=<size>[K|M|G]"
  std::string optionsText() const;
};

/// Adds a kind; true, so that it can initialise a variable. Libraries of devices call this before
/// main(). A second kind of one name is ignored.
bool registerDevice(DeviceKind kind);

/// All kinds that this program has, in their order.
std::span<const DeviceKind> deviceKinds();

/// The kind with this name, alias or scheme, nullptr if this program has none.
const DeviceKind* findDeviceKind(std::string_view name);

/// A device to create: a kind and its options.
struct DeviceSpec {
  std::string name;
  DeviceOptions options;
};

/// Reads "name" or "name:option,option", where an option is "key" or "key=value", for example
/// "functional", "functional:checked" or "functional:memory=256M". The name may be an alias, or
/// "scheme://address" in place of name and colon. The first option may be a value alone, where the
/// kind has a first_option: "xrt:0". A backslash before a comma makes it part of a
/// value. Errors: an empty option, a key that comes twice.
Result<DeviceSpec> parseDeviceSpec(std::string_view text);

/// An option of devices that test themselves when they are new: "new", "always" or "never".
inline constexpr std::string_view kSelfTestOption = "self-test";

/// The device without such a test, where the user did not ask for one: for who tests it anyway.
DeviceSpec withoutSelfTest(DeviceSpec spec);

/// The errors of createDevice that need no configuration, and no work.
Status checkDevice(const DeviceSpec& spec);

/// Creates a device. Errors: kNotFound with the known names; kInvalidArgument with the known
/// options; those of the device.
Result<std::unique_ptr<Device>> createDevice(const DeviceSpec& spec, const HwConfig& hw,
                                             const DeviceProgress& progress = {});
Result<std::unique_ptr<Device>> createDevice(std::string_view spec, const HwConfig& hw,
                                             const DeviceProgress& progress = {});

/// The configuration of the hardware behind a device, as its registers tell. Errors: those of
/// checkDevice; kUnsupported for simulators; those of the hardware.
Result<HwConfig> readConfiguration(const DeviceSpec& spec);

/// "1048576", "256M" or "256MiB" in bytes; nullopt when it is no such size, or 0.
std::optional<uint64_t> parseBytes(std::string_view text);

/// The option `key`, of which createDevice has checked the form, or `otherwise` without it.
uint64_t sizeOption(const DeviceOptions& options, std::string_view key, uint64_t otherwise);
uint64_t numberOption(const DeviceOptions& options, std::string_view key, uint64_t otherwise);

}  // namespace vta::driver
