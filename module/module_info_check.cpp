#include "module/module_info_check.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "module/executor_kinds.h"

namespace vta {
namespace {

/// Far above what any machine holds, and small enough that sums below cannot overflow.
constexpr uint64_t kMaxSectionBytes = uint64_t{1} << 46;

Status problem(const std::string& what) { return invalidArgument("module metadata: " + what); }

bool inRange(uint64_t offset_bytes, uint64_t size_bytes, uint64_t limit_bytes) {
  return size_bytes <= limit_bytes && offset_bytes <= limit_bytes - size_bytes;
}

/// Bytes of a dense tensor with every symbolic size at its largest, or nothing when an extent names
/// no size or the bytes overflow.
std::optional<uint64_t> denseBytes(const ModuleInfo& info, const TensorInfo& tensor) {
  uint64_t bytes = dtypeBytes(tensor.dtype);
  bool empty = false;
  for (int64_t extent : tensor.shape) {
    if (extent < 0) {
      const auto size = static_cast<uint64_t>(-1 - extent);
      if (size >= info.sizes.size()) return std::nullopt;
      extent = info.sizes[size].max;
    }
    empty |= extent == 0;
    if (extent > 0 && __builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : bytes;
}

Status checkTraits(const ExecutorInfo& executor) {
  const std::string what = fmt::format("executor '{}' of kind {}", executor.name, executor.kind);
  const ExecutorKind* kind = findExecutorKind(executor.kind);
  const bool has_hw = kind != nullptr && kind->has_hw;
  if (has_hw != executor.hw.has_value()) {
    return problem(what + (has_hw ? " has no configuration" : " has a VTA's configuration"));
  }
  if (kind != nullptr && executor.traits != kind->traits) {
    return problem(what + " has other properties than its kind");
  }
  if (executor.traits.links_neighbours && executor.traits.entries == EntryTable::kFunctions) {
    return problem(what + " links steps that are functions");
  }
  return {};
}

Status checkExecutors(const ModuleInfo& info) {
  if (info.executors.empty() || info.executors.front().kind != kCpuKind) {
    return problem("the first executor is not the CPU");
  }
  std::set<std::string> names;
  for (const ExecutorInfo& executor : info.executors) {
    VTA_RETURN_IF_ERROR(checkTraits(executor));
    if (!names.insert(executor.name).second) {
      return problem(fmt::format("two executors are called '{}'", executor.name));
    }
  }
  return {};
}

Status checkExecutorIndex(const ModuleInfo& info, uint32_t executor, const std::string& what) {
  if (executor < info.executors.size()) return {};
  return problem(fmt::format("{} names executor {} of {}", what, executor, info.executors.size()));
}

Status checkSpaces(const ModuleInfo& info) {
  std::set<std::pair<uint32_t, SpaceInfo::Contents>> known;
  for (const SpaceInfo& space : info.spaces) {
    const std::string what = fmt::format("memory '{}'", space.name);
    VTA_RETURN_IF_ERROR(checkExecutorIndex(info, space.executor, what));
    if (!known.emplace(space.executor, space.contents).second) {
      return problem(fmt::format("{} is the second one of executor '{}' for {}", what,
                                 info.executors[space.executor].name,
                                 contentsName(space.contents)));
    }
    if (space.size_bytes > kMaxSectionBytes) return problem(what + " is impossibly large");
    const uint64_t alignment_bytes = space.alignment_bytes;
    if (!std::has_single_bit(alignment_bytes) || alignment_bytes < kModuleAlignmentBytes ||
        alignment_bytes > kMaxAlignmentBytes) {
      return problem(
          fmt::format("{} is aligned to {} bytes, which is no power of two from {} to {}", what,
                      alignment_bytes, kModuleAlignmentBytes, kMaxAlignmentBytes));
    }
  }
  for (const SizeInfo& size : info.sizes) {
    if (size.min < 0 || size.max < size.min) {
      return problem(fmt::format("size '{}' is from {} to {}", size.name, size.min, size.max));
    }
  }
  return {};
}

Status checkPart(const ModuleInfo& info, const TensorInfo& tensor, const std::string& what) {
  if (tensor.part_of < 0 || static_cast<size_t>(tensor.part_of) >= info.tensors.size()) {
    return problem(
        fmt::format("{} is a part of tensor {} of {}", what, tensor.part_of, info.tensors.size()));
  }
  const TensorInfo& whole = info.tensors[tensor.part_of];
  const bool lies_inside =
      tensor.offset_bytes >= whole.offset_bytes &&
      inRange(tensor.offset_bytes - whole.offset_bytes, tensor.size_bytes, whole.size_bytes);
  if (info.isConstant(tensor) || whole.part_of != -1 || whole.space != tensor.space ||
      !lies_inside) {
    return problem(fmt::format("{} cannot be a part of '{}'", what, whole.name));
  }
  return {};
}

Status checkTensor(const ModuleInfo& info, const TensorInfo& tensor, size_t index,
                   uint64_t constants_bytes) {
  const std::string what = fmt::format("tensor {} '{}'", index, tensor.name);
  if (tensor.space >= info.spaces.size()) {
    return problem(
        fmt::format("{} lies in memory {} of {}", what, tensor.space, info.spaces.size()));
  }
  const auto expected_bytes = denseBytes(info, tensor);
  if (!expected_bytes || *expected_bytes != tensor.size_bytes) {
    return problem(
        fmt::format("{} of {} bytes does not have the size of its shape", what, tensor.size_bytes));
  }
  if (tensor.part_of != -1) {
    if (static_cast<size_t>(tensor.part_of) < info.tensors.size() &&
        info.tensors[tensor.part_of].space >= info.spaces.size()) {
      return problem(fmt::format("{} is a part of what lies in no memory", what));
    }
    VTA_RETURN_IF_ERROR(checkPart(info, tensor, what));
  }
  const SpaceInfo& space = info.spaceOf(tensor);
  // Those of constants are places in the file.
  const uint64_t alignment_bytes =
      info.isConstant(tensor) ? kModuleAlignmentBytes : space.alignment_bytes;
  if (tensor.part_of == -1 && tensor.offset_bytes % alignment_bytes != 0) {
    return problem(fmt::format("{} is not aligned to {} bytes", what, alignment_bytes));
  }
  const uint64_t limit_bytes = info.isConstant(tensor) ? constants_bytes : space.size_bytes;
  if (!inRange(tensor.offset_bytes, tensor.size_bytes, limit_bytes)) {
    return problem(
        fmt::format("{} lies outside its {} memory of {} bytes", what, space.name, limit_bytes));
  }
  return {};
}

/// What counts the valid part of a port is one number.
Status checkCount(const ModuleInfo& info, const PortInfo& port, const std::string& what) {
  if (port.count == -1) return {};
  if (port.count < 0 || static_cast<size_t>(port.count) >= info.tensors.size()) {
    return problem(
        fmt::format("{} is counted by tensor {} of {}", what, port.count, info.tensors.size()));
  }
  const TensorInfo& count = info.tensors[port.count];
  if (count.dtype != DType::kI64 || count.size_bytes != sizeof(int64_t)) {
    return problem(fmt::format("{} is counted by '{}', which is not one int64", what, count.name));
  }
  if (port.count_axis >= info.tensors[port.tensor].shape.size()) {
    return problem(fmt::format("{} is counted along dimension {} of {}", what, port.count_axis,
                               info.tensors[port.tensor].shape.size()));
  }
  return {};
}

Status checkPorts(const ModuleInfo& info, const std::vector<PortInfo>& ports, const char* what) {
  std::set<std::string> names;
  for (const PortInfo& port : ports) {
    if (port.tensor >= info.tensors.size()) {
      return problem(fmt::format("{} '{}' names tensor {} of {}", what, port.name, port.tensor,
                                 info.tensors.size()));
    }
    if (!names.insert(port.name).second) {
      return problem(fmt::format("two {}s are called '{}'", what, port.name));
    }
    VTA_RETURN_IF_ERROR(checkCount(info, port, fmt::format("{} '{}'", what, port.name)));
  }
  return {};
}

Status checkFunction(const ModuleInfo& info, uint64_t function, const std::string& what) {
  if (function < info.functions.size()) return {};
  return problem(fmt::format("{} names function {} of {}", what, function, info.functions.size()));
}

Status checkArguments(const ModuleInfo& info, const StepInfo& step, const std::string& what) {
  for (const uint32_t tensor : step.arguments) {
    if (tensor >= info.tensors.size()) {
      return problem(fmt::format("{} uses tensor {} of {}", what, tensor, info.tensors.size()));
    }
  }
  if (!info.callsFunction(step) && step.reference < 0) return {};
  if (step.num_results == 0 || step.num_results > step.arguments.size()) {
    return problem(fmt::format("{} has {} results among {} arguments", what, step.num_results,
                               step.arguments.size()));
  }
  for (size_t i = step.arguments.size() - step.num_results; i < step.arguments.size(); ++i) {
    if (info.isConstant(info.tensors[step.arguments[i]])) {
      return problem(fmt::format("{} writes a constant", what));
    }
  }
  return {};
}

/// An entry that `executor` has.
Status checkEntry(const ModuleInfo& info, uint32_t executor, uint32_t entry,
                  const std::string& what) {
  if (info.executors[executor].traits.entries == EntryTable::kFunctions) {
    return checkFunction(info, entry, what);
  }
  if (entry >= info.programs.size()) {
    return problem(fmt::format("{} names program {} of {}", what, entry, info.programs.size()));
  }
  if (info.programs[entry].executor != executor) {
    return problem(fmt::format("{} names a program of another executor", what));
  }
  return {};
}

Status checkStep(const ModuleInfo& info, const StepInfo& step, size_t index) {
  const std::string what = fmt::format("step {}", index);
  VTA_RETURN_IF_ERROR(checkExecutorIndex(info, step.executor, what));
  if (step.layer >= info.layers.size()) {
    return problem(fmt::format("{} names layer {} of {}", what, step.layer, info.layers.size()));
  }
  VTA_RETURN_IF_ERROR(checkArguments(info, step, what));
  if (step.reference >= 0) {
    VTA_RETURN_IF_ERROR(checkFunction(info, static_cast<uint64_t>(step.reference), what));
  }
  return checkEntry(info, step.executor, step.entry, what);
}

Status checkVariants(const ProgramInfo& program, const std::string& what, uint64_t programs_bytes) {
  std::set<std::string> targets;
  for (const CodeVariant& variant : program.variants) {
    if (!inRange(variant.offset_bytes, variant.size_bytes, programs_bytes)) {
      return problem(fmt::format("{} lies outside its section of {} bytes", what, programs_bytes));
    }
    if (!targets.insert(variant.target).second) {
      return problem(fmt::format("{} has two variants for '{}'", what, variant.target));
    }
  }
  return program.variants.empty() ? problem(what + " has no code") : Status();
}

Status checkProgram(const ModuleInfo& info, size_t index, uint64_t programs_bytes) {
  const ProgramInfo& program = info.programs[index];
  const std::string what = fmt::format("program {}", index);
  VTA_RETURN_IF_ERROR(checkExecutorIndex(info, program.executor, what));
  const ExecutorInfo& executor = info.executors[program.executor];
  if (executor.traits.entries != EntryTable::kPrograms) {
    return problem(fmt::format("{} is of executor '{}', which runs none", what, executor.name));
  }
  VTA_RETURN_IF_ERROR(checkVariants(program, what, programs_bytes));
  if (executor.hw && program.variantFor() == nullptr) {
    return problem(
        fmt::format("{} has no code for the configuration of '{}'", what, executor.name));
  }
  for (const int32_t tensor : program.buffers) {
    if (tensor == -1) continue;
    if (tensor < 0 || static_cast<size_t>(tensor) >= info.tensors.size()) {
      return problem(fmt::format("{} uses tensor {} of {}", what, tensor, info.tensors.size()));
    }
  }
  return {};
}

/// Actions cover the steps in their order, and wait for what is there.
Status checkActions(const ModuleInfo& info) {
  uint64_t next_step = 0;
  std::vector<uint32_t> in_background(info.executors.size(), 0);
  for (size_t i = 0; i < info.actions.size(); ++i) {
    const ActionInfo& action = info.actions[i];
    const std::string what = fmt::format("action {}", i);
    VTA_RETURN_IF_ERROR(checkExecutorIndex(info, action.executor, what));
    const bool fits = action.first_step == next_step && action.step_count > 0 &&
                      action.step_count <= info.steps.size() - next_step;
    if (!fits) return problem(what + " does not follow the steps");
    for (uint32_t step = 0; step < action.step_count; ++step) {
      if (info.steps[next_step++].executor != action.executor) {
        return problem(what + " has steps of another executor");
      }
    }
    const ExecutorInfo& executor = info.executors[action.executor];
    if (action.step_count > 1 && !executor.traits.links_neighbours) {
      return problem(fmt::format("{} joins steps of '{}', which links none", what, executor.name));
    }
    if (action.in_background && !executor.traits.runs_in_background) {
      return problem(
          fmt::format("{} is in the background, where '{}' runs nothing", what, executor.name));
    }
    VTA_RETURN_IF_ERROR(checkEntry(info, action.executor, action.entry, what));
    for (const WaitInfo& wait : action.waits) {
      VTA_RETURN_IF_ERROR(checkExecutorIndex(info, wait.executor, what));
      if (wait.count > in_background[wait.executor]) {
        return problem(what + " waits for what is not in front of it");
      }
    }
    in_background[action.executor] += action.in_background ? 1 : 0;
  }
  return next_step == info.steps.size() ? Status() : problem("the actions lack steps");
}

/// What a module and each of its buckets have of their own.
Status checkNetwork(const ModuleInfo& info) {
  VTA_RETURN_IF_ERROR(checkPorts(info, info.inputs, "input"));
  VTA_RETURN_IF_ERROR(checkPorts(info, info.outputs, "output"));
  for (const PortInfo& port : info.inputs) {
    if (info.isConstant(info.tensors[port.tensor])) {
      return problem(fmt::format("input '{}' is a constant", port.name));
    }
    if (port.isCounted()) return problem(fmt::format("input '{}' is counted", port.name));
    if (port.index_extent < 0) {
      return problem(
          fmt::format("input '{}' selects from {} positions", port.name, port.index_extent));
    }
  }
  VTA_RETURN_IF_ERROR(checkContext(info));
  for (size_t i = 0; i < info.steps.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkStep(info, info.steps[i], i));
  }
  return checkActions(info);
}

}  // namespace

Status checkModuleInfo(const ModuleInfo& info, uint64_t constants_bytes, uint64_t programs_bytes) {
  VTA_RETURN_IF_ERROR(checkExecutors(info));
  VTA_RETURN_IF_ERROR(checkSpaces(info));
  for (size_t i = 0; i < info.tensors.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkTensor(info, info.tensors[i], i, constants_bytes));
  }
  for (size_t i = 0; i < info.programs.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkProgram(info, i, programs_bytes));
  }
  VTA_RETURN_IF_ERROR(checkNetwork(info));
  if (info.buckets.size() > kMostBuckets) {
    return problem(fmt::format("{} buckets, of at most {}", info.buckets.size(), kMostBuckets));
  }
  for (size_t i = 0; i < info.buckets.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkNetwork(info.bucketOf(i)).withContext(fmt::format("bucket {}", i)));
  }
  return checkBuckets(info);
}

}  // namespace vta
