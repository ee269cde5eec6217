// ModuleInfo: what a compiled module says about itself. Written by the compiler, read by the
// runtime. docs/module-format.md describes the file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "isa/config/hw_config.h"

namespace vta {

inline constexpr std::string_view kCpuKind = "cpu";
inline constexpr std::string_view kVtaKind = "vta";
inline constexpr std::string_view kGpuKind = "gpu";

/// Where what an executor runs is found: ModuleInfo::functions or ModuleInfo::programs.
enum class EntryTable : uint8_t { kFunctions, kPrograms };

/// What a compiler and a runtime have to know of an executor to plan and check its work. All that
/// is true of one kind of executor; module/executor_kinds.h has those of this SDK.
struct ExecutorTraits {
  EntryTable entries = EntryTable::kPrograms;
  bool links_neighbours = false;    // consecutive steps may be one action, with an entry of its own
  bool runs_in_background = false;  // its actions need not hold up those of other executors

  bool operator==(const ExecutorTraits&) const = default;
};

/// Who runs steps. The first one is the CPU.
struct ExecutorInfo {
  std::string kind;  // says who can run it: kCpuKind, kVtaKind, ...
  std::string name;  // by which a session binds a device to it
  ExecutorTraits traits{};
  /// What a machine has to have to run its code. Of functions: names of base/cpu_features.h.
  std::vector<std::string> features{};
  std::optional<HwConfig> hw{};  // kVtaKind: what its programs were compiled for
};

/// A memory that tensors lie in.
struct SpaceInfo {
  enum class Contents : uint8_t {
    kActivations,  // an arena; what it holds is lost between runs
    kConstants,  // the module's constants section; spaces of a device hold a copy of their tensors
    kState,      // an arena that is zero at first and lives as long as the session
  };
  std::string name;       // for people: "host", "device", ...
  uint32_t executor = 0;  // whose memory it is; steps of others may use it, too
  Contents contents = Contents::kActivations;
  uint64_t size_bytes = 0;  // of the arena; 0 for constants
  /// Tensors begin at multiples of it in the arena; of constants, where a device has their copies.
  uint64_t alignment_bytes = 64;
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

/// One layer of the profile. `where` names the machine: "vta", or the back end that compiled it;
/// `reason` says why it is not on the VTA, or which schedule it runs with. On the CPU one layer may
/// be many of the network: several `parts`, in the order of the numbers by which its code marks
/// them, and several `convolutions`.
struct LayerInfo {
  std::string name;
  std::string op;
  std::string where;
  std::string reason;
  int64_t macs = 0;
  std::vector<ConvolutionInfo> convolutions{};
  std::vector<LayerPartInfo> parts{};  // none: its code marks nothing
};

/// The code of a program for one sort of device: bytes inside the programs section. What they mean
/// is the executor's kind's; serializeProgram wrote those of a VTA, serializeGpuProgram those of a
/// GPU.
struct CodeVariant {
  std::string target;  // the kind's word for that sort of device; empty: all that fit the executor
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

/// An entry of an executor that runs code of its own. The variants compute the same.
struct ProgramInfo {
  uint32_t executor = 0;
  std::vector<CodeVariant> variants{};  // at least one; each has another target
  std::vector<int32_t> buffers{};  // tensor of each of its buffers, -1: none, such as micro-ops

  /// The variant for a device that runs code for `targets`, the best of them first, and code
  /// without a target; null if there is none.
  const CodeVariant* variantFor(std::span<const std::string_view> targets = {}) const;
};

/// One layer's work: an entry of an executor with its arguments.
struct StepInfo {
  uint32_t executor = 0;
  uint32_t layer = 0;
  uint32_t entry = 0;               // index into the executor's table of entries
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
/// executor as one launch, which the compiler has linked (ExecutorTraits::links_neighbours).
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

/// A tensor in the CPU's memory for state that keeps rows from run to run: keys or values of a
/// layer of a language model.
struct CacheInfo {
  uint32_t tensor = 0;
  uint32_t rows = 0;  // of a run: a tensor with the same extents but along `axis`
  uint32_t axis = 0;
};

/// How much of a text a model has read, and what it keeps of it. Behind each run the session writes
/// the new rows to where the text ended, and the text is longer by as many.
struct ContextInfo {
  int64_t capacity = 0;  // words of a text, with those of a run; 0: the model keeps nothing
  int32_t length = -1;   // a tensor of one int64 in the CPU's memory for state: words of the text
  std::vector<CacheInfo> caches{};

  bool isKept() const { return capacity > 0; }
};

/// The network of a module for smaller inputs: what differs from ModuleInfo, whose executors,
/// memories, tensors, functions and programs it shares.
struct BucketInfo {
  std::vector<PortInfo> inputs;
  std::vector<PortInfo> outputs;
  std::vector<LayerInfo> layers;
  std::vector<StepInfo> steps;
  std::vector<ActionInfo> actions;
  ContextInfo context{};
};

struct ModuleInfo {
  std::string model;
  std::string sdk_version;
  std::string target_triple;
  std::vector<ExecutorInfo> executors;
  std::vector<SpaceInfo> spaces;
  std::vector<SizeInfo> sizes;
  std::vector<TensorInfo> tensors;
  std::vector<PortInfo> inputs;
  std::vector<PortInfo> outputs;
  std::vector<LayerInfo> layers;
  std::vector<std::string> functions;  // symbols of host functions
  std::vector<ProgramInfo> programs;
  std::vector<StepInfo> steps;
  std::vector<ActionInfo> actions;
  ContextInfo context{};
  /// The same network for smaller inputs, from the largest to the smallest. A run takes the
  /// smallest that its inputs fit into. They keep one state, which no step writes.
  std::vector<BucketInfo> buckets{};

  /// Bucket `index` as a module of its own: all of this one but for what BucketInfo has.
  ModuleInfo bucketOf(size_t index) const;

  /// The executor of a step or action, or whose memory `tensor` lies in.
  const ExecutorInfo& executorOf(const StepInfo& step) const { return executors[step.executor]; }
  const SpaceInfo& spaceOf(const TensorInfo& tensor) const { return spaces[tensor.space]; }

  bool isOnCpu(const StepInfo& step) const { return executorOf(step).kind == kCpuKind; }
  /// Its entry is a host function; else it is a program.
  bool callsFunction(const StepInfo& step) const {
    return executorOf(step).traits.entries == EntryTable::kFunctions;
  }
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

  /// The executor of this name, or the first one of this kind.
  std::optional<uint32_t> findExecutor(std::string_view name) const;
  std::optional<uint32_t> findExecutorOfKind(std::string_view kind) const;

  /// The memory of `executor` for such contents.
  std::optional<uint32_t> findSpace(uint32_t executor, SpaceInfo::Contents contents) const;

  /// What the machine that loads the module needs for its functions, whoever runs them: names of
  /// base/cpu_features.h, each once.
  std::vector<std::string> hostFeatures() const;

  /// Bytes of activations of one executor, of the CPU, or of all other executors.
  uint64_t arenaBytes(uint32_t executor) const;
  uint64_t hostArenaBytes() const;
  uint64_t deviceArenaBytes() const;
};

inline constexpr uint32_t kCpuExecutor = 0;

/// This SDK's version, as modules and tools report it: "0.1.0".
std::string_view sdkVersion();

/// "activations", "constants" or "state".
std::string_view contentsName(SpaceInfo::Contents contents);

}  // namespace vta
