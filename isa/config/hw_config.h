// HwConfig: the one description of an accelerator's geometry.
//
// Everything that depends on the hardware's shape (encoders, simulators, the compiler, RTL
// parameters, report titles) reads it from here. It is validated once, when it is created, and
// immutable after.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"

namespace vta {

/// The raw parameters, as written in YAML. Not validated: HwConfig::create does that.
struct HwParams {
  std::string name = "unnamed";

  // GEMM core: BATCH x BLOCK_IN x BLOCK_OUT multiply-accumulates a cycle. Powers of two.
  int batch = 1;
  int block_in = 16;
  int block_out = 16;

  // Operand widths.
  int inp_width_bits = 8;
  int wgt_width_bits = 8;
  int acc_width_bits = 32;
  int out_width_bits = 8;

  // On-chip buffers. Powers of two.
  uint64_t uop_buf_bytes = 32 * 1024;
  uint64_t inp_buf_bytes = 32 * 1024;
  uint64_t wgt_buf_bytes = 256 * 1024;
  uint64_t acc_buf_bytes = 128 * 1024;

  // ISA (isa.md sections 2 and 4).
  bool compat_0_0_2 = false;  // programs must stay inside what published 0.0.2 hardware runs
  bool ext_qmul = false;
  bool ext_clip = false;
  bool ext_pad_min = false;
  int qmul_multiplier_bits = 18;

  // Queues: instructions per unit, tokens per dependence queue.
  int command_queue_depth = 512;
  int token_queue_depth = 512;

  // Memory interface and clock.
  int axi_data_width_bits = 64;
  int axi_addr_width_bits = 32;
  int axi_outstanding_bursts = 8;
  int clock_mhz = 100;

  // Micro-architecture.
  bool concurrent_compute = false;

  bool operator==(const HwParams&) const = default;
};

/// Which instruction encoding a configuration uses. Derived, never chosen (isa.md section 2).
enum class Encoding : uint8_t { kBase = 0, kWide = 1 };
std::string_view encodingName(Encoding encoding);

/// A memory that LOAD and STORE address; the values are the `memory_type` field.
enum class MemoryType : uint8_t { kUop = 0, kWgt = 1, kInp = 2, kAcc = 3, kOut = 4, kAcc8 = 5 };
inline constexpr int kMemoryTypeCount = 6;
std::string_view memoryTypeName(MemoryType type);  // "UOP", "WGT", ... , "ACC_8BIT"

/// A legal accelerator configuration with its derived quantities. Cheap to copy.
class HwConfig {
 public:
  /// Validates `params`. The error names the parameter, its value and the legal range.
  static Result<HwConfig> create(const HwParams& params);

  /// The configuration of configs/hw/default.yaml, for tests and tools that need one without a
  /// file.
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

  /// log2 of the depth, in elements, of the SRAM behind `type` (kOut and kAcc8 share ACC's).
  int logDepth(MemoryType type) const { return log_depth_[index(type)]; }
  uint32_t depthElems(MemoryType type) const { return 1u << logDepth(type); }

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

  HwParams params_;
  Encoding encoding_ = Encoding::kBase;
  std::array<uint32_t, kMemoryTypeCount> elem_bytes_{};
  std::array<int, kMemoryTypeCount> log_depth_{};
  uint64_t fingerprint_ = 0;
};

/// Reads a configuration from YAML text; `source_name` appears in errors as "source:line:column".
/// Unknown key, missing key, wrong type, out of range: an error with place, key and legal range.
Result<HwConfig> parseHwConfig(std::string_view yaml_text, std::string_view source_name);

/// Reads a configuration from a file.
Result<HwConfig> loadHwConfig(const std::filesystem::path& path);

}  // namespace vta
