#include "compiler/kernel/primitives/bank_parts.h"

#include <algorithm>

#include "base/integer_math.h"

namespace vta::kernel {
namespace {

// A part costs an instruction and a micro-op; so many accumulators make up for it.
constexpr uint32_t kLeastOfPart = 8;

// All parts in one instruction: the outer loop is over them.
Nest asTwoLoops(const Nest& nest, uint32_t stride) {
  const NestDim& row = nest.dims[0];
  Nest loops;
  loops.base = nest.base;
  loops.push({stride, row.dst, row.src, row.wgt, true});
  loops.push({row.count / stride, stride * row.dst, stride * row.src, stride * row.wgt, true});
  return loops;
}

}  // namespace

uint32_t aluBankStride(const HwConfig& hw) {
  const HwParams& p = hw.params();
  if (!p.concurrent_compute) return 1;
  // Both are powers of two, and banks come again.
  return static_cast<uint32_t>(std::min(p.alu_passes, p.acc_banks));
}

std::vector<Nest> splitByBank(const Nest& nest, uint32_t stride) {
  const auto end = nest.dims.begin() + nest.num_dims;
  const auto neighbours = std::find_if(nest.dims.begin(), end, [&](const NestDim& dim) {
    return dim.distinct && dim.dst == 1 && dim.count >= kLeastOfPart * stride;
  });
  if (stride == 1 || neighbours == end) return {nest};
  if (nest.num_dims == 1 && neighbours->count % stride == 0) return {asTwoLoops(nest, stride)};
  std::vector<Nest> parts(stride, nest);
  for (uint32_t i = 0; i < stride; ++i) {
    parts[i].base.dst_idx += i;
    parts[i].base.src_idx += i * neighbours->src;
    NestDim& dim = parts[i].dims[neighbours - nest.dims.begin()];
    dim.count = static_cast<uint32_t>(ceilDiv(neighbours->count - i, stride));
    dim.dst *= stride;
    dim.src *= stride;
  }
  return parts;
}

}  // namespace vta::kernel
