#include "module/module_info_check.h"

#include <fmt/format.h>

#include <optional>
#include <set>

namespace vta {
namespace {

/// Far above what any machine holds, and small enough that sums below cannot overflow.
constexpr uint64_t kMaxSectionBytes = uint64_t{1} << 46;

Status problem(const std::string& what) { return invalidArgument("module metadata: " + what); }

bool inRange(uint64_t offset_bytes, uint64_t size_bytes, uint64_t limit_bytes) {
  return size_bytes <= limit_bytes && offset_bytes <= limit_bytes - size_bytes;
}

/// Bytes of a dense tensor, or nothing when a dimension is negative or the size overflows.
std::optional<uint64_t> denseBytes(const TensorInfo& tensor) {
  uint64_t bytes = dtypeBytes(tensor.dtype);
  bool empty = false;
  for (const int64_t extent : tensor.shape) {
    if (extent < 0) return std::nullopt;
    empty |= extent == 0;
    if (extent > 0 && __builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : bytes;
}

bool isConstant(const TensorInfo& tensor) {
  return tensor.storage == Storage::kConstant || tensor.storage == Storage::kDeviceConstant;
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
  if (isConstant(tensor) || whole.part_of != -1 || whole.storage != tensor.storage ||
      !lies_inside) {
    return problem(fmt::format("{} cannot be a part of '{}'", what, whole.name));
  }
  return {};
}

Status checkTensor(const ModuleInfo& info, const TensorInfo& tensor, size_t index,
                   uint64_t constants_bytes) {
  const std::string what = fmt::format("tensor {} '{}'", index, tensor.name);
  const auto expected_bytes = denseBytes(tensor);
  if (!expected_bytes || *expected_bytes != tensor.size_bytes) {
    return problem(
        fmt::format("{} of {} bytes does not have the size of its shape", what, tensor.size_bytes));
  }
  if (tensor.part_of != -1) {
    VTA_RETURN_IF_ERROR(checkPart(info, tensor, what));
  } else if (tensor.offset_bytes % kModuleAlignmentBytes != 0) {
    return problem(fmt::format("{} is not aligned to {} bytes", what, kModuleAlignmentBytes));
  }
  uint64_t limit_bytes = constants_bytes;
  if (tensor.storage == Storage::kHost) limit_bytes = info.host_arena_bytes;
  if (tensor.storage == Storage::kDevice) limit_bytes = info.device_arena_bytes;
  if (!inRange(tensor.offset_bytes, tensor.size_bytes, limit_bytes)) {
    return problem(fmt::format("{} lies outside its {} memory of {} bytes", what,
                               storageName(tensor.storage), limit_bytes));
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
  }
  return {};
}

Status checkArguments(const ModuleInfo& info, const StepInfo& step, const std::string& what) {
  for (const uint32_t tensor : step.arguments) {
    if (tensor >= info.tensors.size()) {
      return problem(fmt::format("{} uses tensor {} of {}", what, tensor, info.tensors.size()));
    }
  }
  if (step.symbol.empty()) return {};
  if (step.num_results == 0 || step.num_results > step.arguments.size()) {
    return problem(fmt::format("{} has {} results among {} arguments", what, step.num_results,
                               step.arguments.size()));
  }
  for (size_t i = step.arguments.size() - step.num_results; i < step.arguments.size(); ++i) {
    if (isConstant(info.tensors[step.arguments[i]])) {
      return problem(fmt::format("{} writes a constant", what));
    }
  }
  return {};
}

Status checkStep(const ModuleInfo& info, const StepInfo& step, size_t index) {
  const std::string what = fmt::format("step {}", index);
  if (step.layer >= info.layers.size()) {
    return problem(fmt::format("{} names layer {} of {}", what, step.layer, info.layers.size()));
  }
  VTA_RETURN_IF_ERROR(checkArguments(info, step, what));
  if (step.kind == StepInfo::Kind::kHost) {
    if (step.symbol.empty()) return problem(what + " names no function");
    return {};
  }
  if (info.hw_yaml.empty()) return problem(what + " is for a VTA but no configuration is given");
  if (step.program >= info.programs.size()) {
    return problem(
        fmt::format("{} names program {} of {}", what, step.program, info.programs.size()));
  }
  for (const int32_t tensor : step.buffers) {
    if (tensor == -1) continue;
    if (tensor < 0 || static_cast<size_t>(tensor) >= info.tensors.size()) {
      return problem(fmt::format("{} uses tensor {} of {}", what, tensor, info.tensors.size()));
    }
    const Storage storage = info.tensors[tensor].storage;
    if (storage != Storage::kDevice && storage != Storage::kDeviceConstant) {
      return problem(
          fmt::format("{}: tensor '{}' is not in device memory", what, info.tensors[tensor].name));
    }
  }
  return {};
}

}  // namespace

Status checkModuleInfo(const ModuleInfo& info, uint64_t constants_bytes, uint64_t programs_bytes) {
  if (info.host_arena_bytes > kMaxSectionBytes || info.device_arena_bytes > kMaxSectionBytes) {
    return problem("an arena is impossibly large");
  }
  for (size_t i = 0; i < info.tensors.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkTensor(info, info.tensors[i], i, constants_bytes));
  }
  VTA_RETURN_IF_ERROR(checkPorts(info, info.inputs, "input"));
  VTA_RETURN_IF_ERROR(checkPorts(info, info.outputs, "output"));
  for (const PortInfo& port : info.inputs) {
    if (isConstant(info.tensors[port.tensor])) {
      return problem(fmt::format("input '{}' is a constant", port.name));
    }
  }
  for (size_t i = 0; i < info.programs.size(); ++i) {
    if (!inRange(info.programs[i].offset_bytes, info.programs[i].size_bytes, programs_bytes)) {
      return problem(
          fmt::format("program {} lies outside its section of {} bytes", i, programs_bytes));
    }
  }
  for (size_t i = 0; i < info.steps.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkStep(info, info.steps[i], i));
  }
  return {};
}

}  // namespace vta
