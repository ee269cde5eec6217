// ModuleInfo: what a compiled module says about itself. Written by the compiler, read by the
// runtime.
//
// A module is one ELF shared object. It exports VTA_MODULE_SYMBOL, a ModuleHeader that locates the
// metadata (this struct as JSON), the constants and the programs (serializeProgram) inside the
// object, and one VtaHostFunction per host symbol named in the metadata.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"

namespace vta {

inline constexpr const char* kModuleHeaderSymbol = "vta_module_header";
inline constexpr char kModuleMagic[8] = {'V', 'T', 'A', 'M', 'O', 'D', 'U', 'L'};
inline constexpr uint32_t kModuleFormatVersion = 2;

/// Layout of the exported header. Offsets are from the header's own address; metadata, constants
/// and programs follow it in this order, each aligned to 64 bytes. `checksum` is moduleChecksum of
/// everything from the metadata's first byte to the programs' last.
struct ModuleHeader {
  char magic[8];
  uint32_t format_version;
  uint32_t header_bytes;
  int64_t metadata_offset;
  uint64_t metadata_bytes;
  int64_t constants_offset;
  uint64_t constants_bytes;
  int64_t programs_offset;
  uint64_t programs_bytes;
  uint64_t checksum;
};
static_assert(sizeof(ModuleHeader) == 72);

/// Where a tensor lives at run time.
enum class Storage : uint8_t {
  kHost,            // host arena, at offset_bytes
  kDevice,          // device activation arena, at offset_bytes; also visible to host steps
  kConstant,        // inside the module's constants, read by host steps only
  kDeviceConstant,  // inside the module's constants, copied to device memory at load
};

struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  Storage storage = Storage::kHost;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
  /// The tensor that this one is a part of, -1: none. Both hold the same bytes where they overlap;
  /// parts of one tensor that are written do not overlap each other.
  int32_t part_of = -1;
};

/// A model input or output.
struct PortInfo {
  std::string name;
  uint32_t tensor = 0;
};

/// One layer of the profile. `where` is "vta" or "cpu"; `reason` says why it is not on the VTA, or
/// which schedule it runs with.
struct LayerInfo {
  std::string name;
  std::string op;
  std::string where;
  std::string reason;
  int64_t macs = 0;
};

/// One step of the execution plan, in order.
struct StepInfo {
  enum class Kind : uint8_t { kHost, kVta };
  Kind kind = Kind::kHost;
  uint32_t layer = 0;
  std::string symbol;  // kHost: the function; kVta: its host reference, "" if none
  std::vector<uint32_t>
      arguments;             // kHost: inputs, constants, results; kVta: the reference's, likewise
  uint32_t num_results = 1;  // how many of the arguments, counted from the last, are results
  uint32_t program = 0;      // kVta: index into programs
  std::vector<int32_t> buffers;  // kVta: tensor of each program buffer, -1 for the micro-ops
};

/// A program's bytes inside the programs section.
struct ProgramInfo {
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

struct ModuleInfo {
  std::string model;
  std::string sdk_version;
  std::string target_triple;
  std::string hw_yaml;  // HwConfig::toYaml(); empty when nothing runs on the VTA
  uint64_t host_arena_bytes = 0;
  uint64_t device_arena_bytes = 0;
  std::vector<TensorInfo> tensors;
  std::vector<PortInfo> inputs;
  std::vector<PortInfo> outputs;
  std::vector<LayerInfo> layers;
  std::vector<ProgramInfo> programs;
  std::vector<StepInfo> steps;
};

/// This SDK's version, as modules and tools report it: "0.1.0".
std::string_view sdkVersion();

/// "host", "device", "constant" or "device_constant".
std::string_view storageName(Storage storage);

std::string toJson(const ModuleInfo& info);

/// Parses and checks the metadata: every index, offset and size is in range for the sections given.
/// Errors: malformed JSON, missing keys, anything out of range; never crashes on hostile input.
Result<ModuleInfo> parseModuleInfo(std::string_view json, uint64_t constants_bytes,
                                   uint64_t programs_bytes);

}  // namespace vta
