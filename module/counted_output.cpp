#include "module/counted_output.h"

#include <fmt/format.h>

#include <algorithm>

namespace vta {
namespace {

/// A tensor as rows of blocks: each of `outer` rows has `extent` blocks of `block_bytes`.
struct Blocks {
  uint64_t outer = 1, extent = 1, block_bytes = 1;
};

Blocks blocksOf(const TensorInfo& tensor, uint32_t axis) {
  Blocks blocks;
  blocks.block_bytes = dtypeBytes(tensor.dtype);
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    const auto extent = static_cast<uint64_t>(tensor.shape[d]);
    if (d < axis) blocks.outer *= extent;
    if (d == axis) blocks.extent = extent;
    if (d > axis) blocks.block_bytes *= extent;
  }
  return blocks;
}

}  // namespace

Result<Tensor> outputOf(const ModuleInfo& info, const PortInfo& port,
                        std::span<const std::byte> bytes, int64_t count) {
  const TensorInfo& tensor = info.tensors[port.tensor];
  Tensor output{tensor.dtype, tensor.shape, {}};
  if (!port.isCounted()) {
    output.data.assign(bytes.begin(), bytes.end());
    return output;
  }
  const Blocks blocks = blocksOf(tensor, port.count_axis);
  if (count < 0 || static_cast<uint64_t>(count) > blocks.extent) {
    return internalError(fmt::format(
        "output '{}' came out with {} entries along dimension {}, which has room for {}", port.name,
        count, port.count_axis, blocks.extent));
  }
  output.shape[port.count_axis] = count;
  const auto row_bytes = static_cast<size_t>(static_cast<uint64_t>(count) * blocks.block_bytes);
  const auto stride_bytes = static_cast<size_t>(blocks.extent * blocks.block_bytes);
  output.data.reserve(row_bytes * static_cast<size_t>(blocks.outer));
  for (uint64_t row = 0; row < blocks.outer && row_bytes > 0; ++row) {
    const auto valid = bytes.subspan(static_cast<size_t>(row) * stride_bytes, row_bytes);
    output.data.insert(output.data.end(), valid.begin(), valid.end());
  }
  return output;
}

Result<std::vector<int64_t>> outputShape(const ModuleInfo& info, const PortInfo& port,
                                         uint64_t size_bytes) {
  const TensorInfo& tensor = info.tensors[port.tensor];
  std::vector<int64_t> shape = tensor.shape;
  const auto misfit = [&] {
    return ioError(fmt::format("{} bytes of output '{}' came, which has {}{}", size_bytes,
                               port.name, port.isCounted() ? "at most " : "", tensor.size_bytes));
  };
  if (!port.isCounted()) {
    if (size_bytes != tensor.size_bytes) return misfit();
    return shape;
  }
  const Blocks blocks = blocksOf(tensor, port.count_axis);
  const uint64_t step_bytes = blocks.outer * blocks.block_bytes;
  if (size_bytes > tensor.size_bytes || (step_bytes > 0 && size_bytes % step_bytes != 0)) {
    return misfit();
  }
  shape[port.count_axis] = step_bytes > 0 ? static_cast<int64_t>(size_bytes / step_bytes) : 0;
  return shape;
}

}  // namespace vta
