// HwConfig: the one description of an accelerator's geometry.
//
// Everything that depends on the hardware's shape (encoders, simulators, the compiler, RTL
// parameters, report titles) reads it from here. It is validated once, when it is created, and
// immutable after.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "isa/spec/hw_params.h"
#include "isa/spec/memories.h"

namespace vta {

/// Which instruction encoding a configuration uses. Derived, never chosen.
enum class Encoding : uint8_t { kBase = 0, kWide = 1 };
std::string_view encodingName(Encoding encoding);

/// A legal accelerator configuration with its derived quantities. Cheap to copy.
class HwConfig {
 public:
  /// Validates `params`: each parameter by itself (isa/spec/parameters.h), then what several may
  /// not be together (config_rules.h). The error names the parameters, their values and what is
  /// legal.
  static Result<HwConfig> create(const HwParams& params);

  /// The configuration of configs/hw/default.yaml, in which every parameter has its default.
  static HwConfig makeDefault();

  const HwParams& params() const { return params_; }
  const std::string& name() const { return params_.name; }

  int batch() const { return params_.batch; }
  int blockIn() const { return params_.block_in; }
  int blockOut() const { return params_.block_out; }

  Encoding encoding() const { return encoding_; }
  int instructionBytes() const { return encoding_ == Encoding::kBase ? 16 : 32; }
  int uopBytes() const { return encoding_ == Encoding::kBase ? 4 : 8; }

  /// Bytes of one element of `type` in DRAM (kAcc8: a quarter of an ACC element).
  uint32_t elemBytes(MemoryType type) const { return elem_bytes_[index(type)]; }

  /// Elements of the SRAM behind `type` (kOut and kAcc8 share ACC's), and log2 of that, rounded up:
  /// the bits of an index.
  uint32_t depthElems(MemoryType type) const { return depth_elems_[index(type)]; }
  int logDepth(MemoryType type) const { return log_depth_[index(type)]; }

  /// True when `other` executes the same program bits with the same results: geometry, widths,
  /// encoding and extensions are equal. Names, clock, bus and micro-architecture may differ.
  bool isProgramCompatible(const HwConfig& other) const;

  /// 64-bit fingerprint of what isProgramCompatible compares; carried in program headers.
  uint64_t fingerprint() const { return fingerprint_; }

  /// Canonical YAML text; parses back to an equal configuration.
  std::string toYaml() const;

  /// One line for people: "default: 1x16x16 i8 w8 a32, uop/inp/wgt/acc 32/32/256/128 KiB, ...".
  std::string summary() const;

 private:
  HwConfig() = default;
  static int index(MemoryType type) { return static_cast<int>(type); }
  Status setDepths();

  HwParams params_;
  Encoding encoding_ = Encoding::kBase;
  std::array<uint32_t, kMemoryTypeCount> elem_bytes_{};
  std::array<uint32_t, kMemoryTypeCount> depth_elems_{};
  std::array<int, kMemoryTypeCount> log_depth_{};
  uint64_t fingerprint_ = 0;
};

/// Reads the extension that a configuration names (extension_folder.h).
using ExtensionLoader =
    std::function<Result<std::shared_ptr<const UserOperation>>(std::string_view name)>;

/// Reads a configuration from YAML text. A key that is missing has its default; without `name`, the
/// name is that of the file `source_name`, without folder and suffix. Unknown key, wrong type, out
/// of range: an error that begins with "source_name:line:column" and names key and legal range.
/// Extensions that it names are read by `load_extension`; without one they are errors.
Result<HwConfig> parseHwConfig(std::string_view yaml_text, std::string_view source_name,
                               const ExtensionLoader& load_extension = {});

/// Reads a configuration from a file. Names of extensions are relative to the file's folder.
Result<HwConfig> loadHwConfig(const std::filesystem::path& path);

}  // namespace vta
