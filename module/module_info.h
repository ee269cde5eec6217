// ModuleInfo: what a compiled module says about itself. Written by the compiler, read by the
// runtime. docs/module-format.md describes the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "isa/config/hw_config.h"

namespace vta {

/// Who runs steps. Steps of executor "cpu" call host functions of the module; steps of kind "vta"
/// launch programs on a device.
struct ExecutorInfo {
  std::string kind;            // kCpuKind, kVtaKind
  std::string name;            // by which a session binds a device to it
  std::optional<HwConfig> hw;  // kVtaKind: what its programs were compiled for
};
inline constexpr std::string_view kCpuKind = "cpu";
inline constexpr std::string_view kVtaKind = "vta";

/// A memory that tensors lie in.
struct SpaceInfo {
  enum class Contents : uint8_t {
    kActivations,  // an arena; what it holds is lost between runs
    kConstants,  // the module's constants section; spaces of a device hold a copy of their tensors
    kState,      // an arena that is zero at first and lives as long as the session
  };
  std::string name;       // for people: "host", "device", ...
  uint32_t executor = 0;  // whose memory it is; steps of the CPU reach all of them
  Contents contents = Contents::kActivations;
  uint64_t size_bytes = 0;  // of the arena; 0 for constants
};

/// A size that is known only when the model runs. Tensors name size k by the extent -1 - k.
struct SizeInfo {
  std::string name;
  int64_t min = 1;
  int64_t max = 1;
};

struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  uint32_t space = 0;
  uint64_t offset_bytes = 0;  // in its arena, or in the constants section
  uint64_t size_bytes = 0;    // where sizes are symbolic: with each at its largest
  /// The tensor that this one is a part of, -1: none. Both hold the same bytes where they overlap;
  /// parts of one tensor that are written do not overlap each other.
  int32_t part_of = -1;
};

/// A model input or output. Of an output whose size depends on data, `tensor` has room for the
/// largest, and the first `count` positions of dimension `count_axis` are the output.
struct PortInfo {
  std::string name;
  uint32_t tensor = 0;
  int32_t count = -1;  // a tensor of one int64; -1: the whole tensor is the output
  uint32_t count_axis = 0;
  /// Of an input whose elements select from a dimension: the dimension's extent, the least if there
  /// are several; 0: its elements may be any.
  int64_t index_extent = 0;

  bool isCounted() const { return count >= 0; }
};

/// A convolution or dense layer that the CPU computes with a schedule, and where that is from:
/// "tuned schedule" or "default schedule".
struct ConvolutionInfo {
  std::string name;
  std::string schedule;
};

/// A layer of the network that is computed with others in one step of the CPU.
struct LayerPartInfo {
  std::string name;
  std::string op;
  int64_t macs = 0;
};

/// One layer of the profile. `where` is "vta" or "cpu"; `reason` says why it is not on the VTA, or
/// which schedule it runs with. On the CPU one layer may be many of the network: several `parts`,
/// in the order of the numbers by which its code marks them, and several `convolutions`.
struct LayerInfo {
  std::string name;
  std::string op;
  std::string where;
  std::string reason;
  int64_t macs = 0;
  std::vector<ConvolutionInfo> convolutions{};
  std::vector<LayerPartInfo> parts{};  // none: its code marks nothing
};

/// An entry of a VTA executor: a program's bytes inside the programs section (serializeProgram).
struct ProgramInfo {
  uint32_t executor = 0;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
  std::vector<int32_t> buffers;  // tensor of each of its buffers, -1 for the micro-ops
};

/// One layer's work: an entry of an executor with its arguments.
struct StepInfo {
  uint32_t executor = 0;
  uint32_t layer = 0;
  uint32_t entry = 0;               // cpu: index into functions; vta: into programs
  std::vector<uint32_t> arguments;  // tensors: inputs, constants, results
  uint32_t num_results = 1;         // how many of the arguments, counted from the last
  int32_t reference = -1;  // the function that computes the same on the CPU; -1: none, or the entry
};

/// `count` of the actions in background of `executor`, counted from the run's first.
struct WaitInfo {
  uint32_t executor = 0;
  uint32_t count = 0;
};

/// What a session does at full speed, one after the other: a step, or consecutive steps of one
/// executor as one launch, which the compiler has linked.
struct ActionInfo {
  uint32_t executor = 0;
  uint32_t first_step = 0;
  uint32_t step_count = 1;
  uint32_t entry = 0;  // as StepInfo::entry
  /// The next actions may run at the same time. Those in background of one executor run one after
  /// the other, in this order.
  bool in_background = false;
  std::vector<WaitInfo> waits;  // what must have ended before this action starts
};

struct ModuleInfo {
  std::string model;
  std::string sdk_version;
  std::string target_triple;
  std::vector<std::string> cpu_features;  // that the host code needs: names of base/cpu_features.h
  std::vector<ExecutorInfo> executors;
  std::vector<SpaceInfo> spaces;
  std::vector<SizeInfo> sizes;
  std::vector<TensorInfo> tensors;
  std::vector<PortInfo> inputs;
  std::vector<PortInfo> outputs;
  std::vector<LayerInfo> layers;
  std::vector<std::string> functions;  // symbols of the entries of the CPU
  std::vector<ProgramInfo> programs;
  std::vector<StepInfo> steps;
  std::vector<ActionInfo> actions;

  /// The executor of a step or action, or whose memory `tensor` lies in.
  const ExecutorInfo& executorOf(const StepInfo& step) const { return executors[step.executor]; }
  const SpaceInfo& spaceOf(const TensorInfo& tensor) const { return spaces[tensor.space]; }

  bool isOnCpu(const StepInfo& step) const { return executorOf(step).kind == kCpuKind; }
  bool isOnCpu(const TensorInfo& tensor) const {
    return executors[spaceOf(tensor).executor].kind == kCpuKind;
  }
  bool isConstant(const TensorInfo& tensor) const {
    return spaceOf(tensor).contents == SpaceInfo::Contents::kConstants;
  }

  /// The configuration of the first VTA executor; null when nothing runs on a VTA.
  const HwConfig* hw() const;

  /// How many steps run on a VTA: programs without those of launches of several steps.
  size_t kernelCount() const;

  /// Bytes of activations of the CPU, or of all other executors.
  uint64_t hostArenaBytes() const;
  uint64_t deviceArenaBytes() const;
};

/// The executors and spaces of modules that this compiler writes; without `hw`, only those of the
/// CPU.
inline constexpr uint32_t kCpuExecutor = 0;
inline constexpr uint32_t kVtaExecutor = 1;
inline constexpr uint32_t kHostSpace = 0;
inline constexpr uint32_t kConstantSpace = 1;  // read by host steps only
inline constexpr uint32_t kStateSpace = 2;
inline constexpr uint32_t kDeviceSpace = 3;
inline constexpr uint32_t kDeviceConstantSpace = 4;  // read by VTA steps and their references
inline constexpr uint32_t kDeviceStateSpace = 5;
std::vector<ExecutorInfo> standardExecutors(const std::optional<HwConfig>& hw);
std::vector<SpaceInfo> standardSpaces(bool has_vta);

/// This SDK's version, as modules and tools report it: "0.1.0".
std::string_view sdkVersion();

/// "activations", "constants" or "state".
std::string_view contentsName(SpaceInfo::Contents contents);

}  // namespace vta
