#include "compiler/kernel/emit/kernel_context.h"

#include "isa/spec/lookup_table.h"

namespace vta::kernel {
namespace {

KernelBuffers declareBuffers(const KernelDesc& desc, const HwConfig& hw, const KernelPlan& plan,
                             Emitter& emit) {
  KernelBuffers buffers;
  const Geometry& g = plan.geometry;
  const Geometry& outputs = plan.outputs;
  const bool contraction = desc.kind == KernelKind::kContraction;
  const int64_t in_elems = g.batch_blocks * g.in_channel_blocks * g.in_height * g.in_width;
  const int64_t out_elems =
      g.batch_blocks * g.out_channel_blocks * outputs.out_height * outputs.out_width;
  const MemoryType in_type = contraction ? MemoryType::kInp : MemoryType::kOut;
  buffers.input = emit.declareBuffer(kInputBuffer, BufferKind::kInput, in_type, in_elems);
  if (contraction) {
    const int64_t elems = g.out_channel_blocks * g.inBlocksPerGroup() * g.weightElems();
    buffers.weight =
        emit.declareBuffer(kWeightBuffer, BufferKind::kConstant, MemoryType::kWgt, elems);
  }
  if (desc.num_params > 0) {
    buffers.param = emit.declareBuffer(kParamBuffer, BufferKind::kConstant, MemoryType::kAcc,
                                       desc.num_params * g.out_channel_blocks);
  }
  if (desc.residual) {
    const int64_t elems =
        desc.residual_per_image ? g.batch_blocks * g.out_channel_blocks : out_elems;
    buffers.residual =
        emit.declareBuffer(kResidualBuffer, BufferKind::kInput, MemoryType::kOut, elems);
  }
  buffers.output = emit.declareBuffer(
      kOutputBuffer, BufferKind::kOutput, MemoryType::kOut,
      g.batch_blocks * outputs.storedBlocks() * outputs.storedHeight() * outputs.storedWidth());
  if (plan.sram.has_identity) {
    buffers.identity =
        emit.declareBuffer(kIdentityBuffer, BufferKind::kConstant, MemoryType::kWgt, 1);
  }
  if (desc.hasLookup()) {
    buffers.table =
        emit.declareBuffer(kTableBuffer, BufferKind::kConstant, MemoryType::kAcc, kTableWords);
  }
  if (plan.sram.has_pad && !loadedPadding(g.pad_value, hw)) {
    buffers.padding =
        emit.declareBuffer(kPaddingBuffer, BufferKind::kConstant, MemoryType::kInp, 1);
  }
  return buffers;
}

}  // namespace

KernelContext::KernelContext(const KernelDesc& kernel, const Schedule& how, const HwConfig& config,
                             const KernelPlan& where)
    : desc(kernel),
      schedule(how),
      hw(config),
      plan(where),
      emit(config, kernel.name, where.sram.from_top),
      buffers(declareBuffers(kernel, config, where, emit)) {}

}  // namespace vta::kernel
