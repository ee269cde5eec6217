#include "explore/sweep/network/device_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/integer_math.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/dram_alignment.h"

namespace vta::sweep {
namespace {

using compiler::ModuleOutline;
using compiler::OutlinedKernel;

/// A constant of the lowering's own in memory `space`, for `buffer`.
TensorInfo constantTensor(const BufferDecl& buffer, uint32_t space) {
  TensorInfo tensor;
  tensor.name = buffer.name;
  tensor.dtype = DType::kI8;
  tensor.size_bytes = buffer.size_bytes;
  tensor.shape = {static_cast<int64_t>(tensor.size_bytes)};
  tensor.space = space;
  return tensor;
}

Result<int32_t> tensorOf(const OutlinedKernel& kernel, const BufferDecl& buffer) {
  for (const auto& [name, tensor] : kernel.buffers) {
    if (name == buffer.name) return static_cast<int32_t>(tensor);
  }
  return internalError(
      fmt::format("layer '{}' has no tensor for buffer '{}'", kernel.desc.name, buffer.name));
}

}  // namespace

Result<BoundModule> bindPrograms(const ModuleOutline& outline, const std::vector<Program>& programs,
                                 const HwConfig& hw) {
  BoundModule bound{outline.info, {}};
  ModuleInfo& info = bound.info;
  for (ExecutorInfo& executor : info.executors) {
    if (executor.hw) executor.hw = hw;
  }
  if (programs.empty()) return bound;
  const uint32_t vta = info.programs.front().executor;
  const auto constants = info.findSpace(vta, SpaceInfo::Contents::kConstants);
  if (!constants) return invalidArgument("an outline whose VTA has no memory for constants");
  uint32_t next = 0;  // of the outline's tensors
  const auto addUpTo = [&](uint32_t end) {
    for (; next < end; ++next) {
      if (info.tensors[next].space == *constants) bound.device_constants.push_back(next);
    }
  };
  for (size_t i = 0; i < programs.size(); ++i) {
    const OutlinedKernel& kernel = outline.kernels[i];
    addUpTo(kernel.tensors_before);
    std::vector<int32_t>& buffers = info.programs[info.steps[kernel.step].entry].buffers;
    buffers.clear();
    for (const BufferDecl& buffer : programs[i].buffers) {
      int32_t tensor = -1;
      if (kernel::isMadeByLowering(buffer.name)) {
        tensor = static_cast<int32_t>(info.tensors.size());
        bound.device_constants.push_back(static_cast<uint32_t>(tensor));
        info.tensors.push_back(constantTensor(buffer, *constants));
      } else if (buffer.kind != BufferKind::kUop) {
        VTA_ASSIGN_OR_RETURN(tensor, tensorOf(kernel, buffer));
      }
      buffers.push_back(tensor);
    }
  }
  addUpTo(static_cast<uint32_t>(outline.info.tensors.size()));
  return bound;
}

Result<std::vector<uint64_t>> placeTensors(const BoundModule& module, driver::Device& device) {
  const ModuleInfo& info = module.info;
  const HwConfig& hw = device.info().hw;
  std::vector<uint64_t> bases(info.spaces.size(), 0);
  for (size_t i = 0; i < info.spaces.size(); ++i) {
    const SpaceInfo& space = info.spaces[i];
    const bool is_on_device = info.executors[space.executor].kind != kCpuKind;
    if (!is_on_device || space.contents == SpaceInfo::Contents::kConstants) continue;
    if (space.size_bytes == 0) continue;
    VTA_ASSIGN_OR_RETURN(const driver::DeviceBuffer buffer,
                         device.allocate(space.size_bytes, dramAlignmentBytes(hw)));
    bases[i] = buffer.address;
  }
  std::vector<uint64_t> addresses;
  for (const TensorInfo& tensor : info.tensors) {
    addresses.push_back(info.isOnCpu(tensor) ? 0 : bases[tensor.space] + tensor.offset_bytes);
  }
  uint64_t constants_bytes = 0;
  for (const uint32_t tensor : module.device_constants) {
    addresses[tensor] = constants_bytes;
    constants_bytes += roundUp(info.tensors[tensor].size_bytes,
                               info.spaceOf(info.tensors[tensor]).alignment_bytes);
  }
  if (constants_bytes == 0) return addresses;
  VTA_ASSIGN_OR_RETURN(const driver::DeviceBuffer buffer,
                       device.allocate(constants_bytes, dramAlignmentBytes(hw)));
  for (const uint32_t tensor : module.device_constants) addresses[tensor] += buffer.address;
  return addresses;
}

}  // namespace vta::sweep
