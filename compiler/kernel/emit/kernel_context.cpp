#include "compiler/kernel/emit/kernel_context.h"

#include "isa/spec/lookup_table.h"

namespace vta::kernel {
namespace {

KernelBuffers declareBuffers(const KernelDesc& desc, const HwConfig& hw, const KernelPlan& plan,
                             Emitter& emit, const KernelRole& role) {
  const auto named = [&](const char* name) { return role.prefix + name; };
  KernelBuffers buffers;
  const Geometry& g = plan.geometry;
  const Geometry& outputs = plan.outputs;
  const bool contraction = desc.kind == KernelKind::kContraction;
  const int64_t in_elems = g.batch_blocks * g.in_channel_blocks * g.in_height * g.in_width;
  const int64_t out_elems =
      g.batch_blocks * g.out_channel_blocks * outputs.out_height * outputs.out_width;
  const MemoryType in_type = contraction ? MemoryType::kInp : MemoryType::kOut;
  if (role.has_input) {
    buffers.input = emit.declareBuffer(named(kInputBuffer), BufferKind::kInput, in_type, in_elems);
  }
  if (contraction) {
    const int64_t elems = g.out_channel_blocks * g.inBlocksPerGroup() * g.weightElems();
    buffers.weight =
        emit.declareBuffer(named(kWeightBuffer), BufferKind::kConstant, MemoryType::kWgt, elems);
  }
  if (desc.num_params > 0) {
    buffers.param = emit.declareBuffer(named(kParamBuffer), BufferKind::kConstant, MemoryType::kAcc,
                                       desc.num_params * g.out_channel_blocks);
  }
  if (desc.residual) {
    const int64_t elems =
        desc.residual_per_image ? g.batch_blocks * g.out_channel_blocks : out_elems;
    buffers.residual =
        emit.declareBuffer(named(kResidualBuffer), BufferKind::kInput, MemoryType::kOut, elems);
  }
  if (role.has_output) {
    const int64_t elems =
        g.batch_blocks * outputs.storedBlocks() * outputs.storedHeight() * outputs.storedWidth();
    buffers.output =
        emit.declareBuffer(named(kOutputBuffer), BufferKind::kOutput, MemoryType::kOut, elems);
  }
  if (plan.sram.has_identity) {
    buffers.identity =
        emit.declareBuffer(named(kIdentityBuffer), BufferKind::kConstant, MemoryType::kWgt, 1);
  }
  if (desc.hasLookup()) {
    buffers.table = emit.declareBuffer(named(kTableBuffer), BufferKind::kConstant, MemoryType::kAcc,
                                       kTableWords);
  }
  if (plan.sram.has_pad && !loadedPadding(g.pad_value, hw)) {
    buffers.padding =
        emit.declareBuffer(named(kPaddingBuffer), BufferKind::kConstant, MemoryType::kInp, 1);
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
      own_emit(std::make_unique<Emitter>(config, kernel.name, where.sram.from_top)),
      emit(*own_emit),
      buffers(declareBuffers(kernel, config, where, emit, {})) {}

KernelContext::KernelContext(const KernelDesc& kernel, const Schedule& how, const HwConfig& config,
                             const KernelPlan& where, Emitter& shared, const KernelRole& role)
    : desc(kernel),
      schedule(how),
      hw(config),
      plan(where),
      emit(shared),
      buffers(declareBuffers(kernel, config, where, emit, role)) {}

}  // namespace vta::kernel
