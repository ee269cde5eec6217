#include "compiler/kernel/emit/emitter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/integer_math.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/plan/cost_constants.h"
#include "compiler/kernel/primitives/bank_parts.h"
#include "isa/spec/depthwise.h"
#include "isa/spec/timing.h"

namespace vta::kernel {
namespace {

constexpr size_t kUopReserve = 4096;

// Micro-ops that kernels may use: the Chisel 0.0.2 implementation reaches 2048.
uint32_t usableUops(const HwConfig& hw) {
  const uint32_t depth = std::min(hw.depthElems(MemoryType::kUop), 65535u);
  return hw.params().compat_0_0_2 ? std::min(depth, 2048u) : depth;
}

Sram sramOf(MemoryType type) {
  switch (scratchpadOf(type)) {
    case MemoryType::kInp:
      return Sram::kInp;
    case MemoryType::kWgt:
      return Sram::kWgt;
    default:
      return Sram::kAcc;
  }
}

// 0.0.2 hardware does not interlock: an accumulator must not be touched again within two micro-ops.
constexpr uint32_t kCompatDistance = 3;

InnermostOrder gemmOrder(const HwConfig& hw) {
  if (hw.params().compat_0_0_2) {
    return {.required_distance = kCompatDistance, .wanted_distance = kCompatDistance};
  }
  if (!hw.params().concurrent_compute) return {};
  return {.wanted_distance = kBankTurn, .rotates_banks = true, .walks_neighbours = true};
}

InnermostOrder aluOrder(const HwConfig& hw) {
  // The ALU waits for an accumulator that it has written fewer cycles ago.
  const auto cycles = static_cast<int64_t>(timing::accLatency(hw.params())) + 1;
  return {.required_distance = hw.params().compat_0_0_2 ? kCompatDistance : 1,
          .wanted_distance = static_cast<uint32_t>(ceilDiv(cycles, hw.params().alu_passes)),
          .walks_neighbours = hw.params().concurrent_compute};
}

// Loop factors of a loop that runs once are unused, and 0 always fits their field.
NestDim withoutUnusedFactors(const NestDim& dim) { return dim.count == 1 ? kOneIteration : dim; }

}  // namespace

Emitter::Emitter(const HwConfig& hw, std::string symbol, bool from_top)
    : hw_(hw),
      gemm_plans_(gemmOrder(hw)),
      alu_plans_(aluOrder(hw)),
      alu_stride_(aluBankStride(hw)),
      uops_(usableUops(hw), from_top ? usableUops(hw) / 2 : 0) {
  program_.hw_fingerprint = hw.fingerprint();
  program_.encoding = hw.encoding();
  program_.uops.reserve(kUopReserve);
  program_.symbols.push_back({0, std::move(symbol)});
}

void Emitter::reserve(size_t instructions) {
  program_.instructions.reserve(instructions);
  program_.relocations.reserve(instructions / 2);
}

uint32_t Emitter::declareBuffer(std::string name, BufferKind kind, MemoryType type, int64_t elems) {
  const uint32_t elem_bytes = hw_.elemBytes(type);
  program_.buffers.push_back(
      {std::move(name), kind, static_cast<uint64_t>(elems) * elem_bytes, elem_bytes});
  return static_cast<uint32_t>(program_.buffers.size() - 1);
}

uint32_t Emitter::append(const Instruction& insn, std::span<const SramAccess> accesses) {
  const auto index = static_cast<uint32_t>(program_.instructions.size());
  program_.instructions.push_back(insn);
  if (!accesses.empty()) tokens_.add(program_.instructions, index, index, accesses);
  return index;
}

void Emitter::endComputeTask(size_t first, std::span<const SramAccess> accesses) {
  if (first == program_.instructions.size()) return;
  const auto last = static_cast<uint32_t>(program_.instructions.size() - 1);
  tokens_.add(program_.instructions, static_cast<uint32_t>(first), last, accesses);
}

uint32_t Emitter::residentUops(const UopPattern& pattern) {
  const UopCache::Lookup lookup = uops_.find(pattern, program_.uops);
  if (lookup.fill) loadUops(*lookup.fill);
  return lookup.sram;
}

// Kernels that go where nothing was before can be loaded any time earlier: by making the last load
// longer. So a few loads, early on, bring most micro-ops.
void Emitter::loadUops(const UopCache::Fill& fill) {
  if (open_uop_load_ >= 0 && fill.fresh) {
    MemInsn& open = program_.instructions[open_uop_load_].mem();
    const bool continues =
        open.dram_base + open.x_size == fill.dram && open.sram_base + open.x_size == fill.sram;
    if (continues && open.x_size + fill.count <= kMaxUopLoad) {
      open.x_size += fill.count;
      open.x_stride = open.x_size;
      return;
    }
  }
  MemInsn mem;
  mem.memory_type = MemoryType::kUop;
  mem.sram_base = fill.sram;
  mem.dram_base = fill.dram;
  mem.y_size = 1;
  mem.x_size = fill.count;
  mem.x_stride = fill.count;
  const uint32_t index = append(Instruction::load(mem), {});
  program_.relocations.push_back({index, 0});  // the buffer's number is set by finish()
  uop_loads_.push_back(static_cast<uint32_t>(program_.relocations.size() - 1));
  open_uop_load_ = fill.fresh ? static_cast<int64_t>(index) : -1;
}

// One instruction for each stretch of micro-ops that the buffer can hold.
template <typename Append>
void Emitter::appendPlan(const NestPlan& plan, const Append& append_one) {
  uint32_t piece = uops_.maxKernel();
  if (plan.uops.count > piece) piece -= piece % plan.group;
  UopPattern uops = plan.uops;
  for (uint32_t first = 0; first < plan.uops.count; first += piece) {
    uops.first = first;
    uops.count = std::min(piece, plan.uops.count - first);
    append_one(plan, residentUops(uops), uops.count);
  }
}

// Without hazard-free order: one instruction for each iteration of the reductions.
template <typename Append>
void Emitter::serialise(const Nest& nest, const Append& append_one) {
  Nest distinct;
  Nest reduction;
  distinct.base = nest.base;
  uint32_t iterations = 1;
  for (int d = 0; d < nest.num_dims; ++d) {
    const NestDim& dim = nest.dims[d];
    if (dim.distinct) {
      distinct.push(dim);
    } else {
      reduction.dims[reduction.num_dims++] = dim;
      iterations *= dim.count;
    }
  }
  for (uint32_t number = 0; number < iterations; ++number) {
    Nest one = distinct;
    uint32_t rest = number;
    for (int d = reduction.num_dims - 1; d >= 0; --d) {
      const NestDim& dim = reduction.dims[d];
      const uint32_t i = rest % dim.count;
      rest /= dim.count;
      one.base.src_idx += i * dim.src;
      one.base.wgt_idx += i * dim.wgt;
    }
    NestPlan plan;
    planNest(one, {}, plan);
    appendPlan(plan, append_one);
  }
}

template <typename Append>
void Emitter::forEachPiece(const Nest& nest, PlanCache& plans, const Append& append_one) {
  const NestPlan* plan = plans.find(nest);
  if (plan == nullptr || plan->group > uops_.maxKernel()) {
    serialise(nest, append_one);
  } else {
    appendPlan(*plan, append_one);
  }
}

void Emitter::gemm(const Nest& nest, std::span<const SramAccess> accesses, DepthwiseMode mode) {
  forEachPiece(nest, gemm_plans_, [&](const NestPlan& plan, uint32_t uop_bgn, uint32_t uop_count) {
    NestDim outer = withoutUnusedFactors(plan.outer);
    NestDim inner = withoutUnusedFactors(plan.inner);
    GemmInsn gemm;
    if (mode.taps > 0) {
      gemm.depthwise = true;
      gemm.reset = mode.assigns;
      gemm.taps = mode.taps;
      // Two loops as long as that would be more accumulators than there are.
      if (inner.count > kMaxDepthwiseIterIn) std::swap(outer, inner);
    }
    gemm.uop_bgn = uop_bgn;
    gemm.uop_end = uop_bgn + uop_count;
    gemm.iter_out = outer.count;
    gemm.iter_in = inner.count;
    gemm.dst_factor_out = outer.dst;
    gemm.dst_factor_in = inner.dst;
    gemm.src_factor_out = outer.src;
    gemm.src_factor_in = inner.src;
    gemm.wgt_factor_out = outer.wgt;
    gemm.wgt_factor_in = inner.wgt;
    append(Instruction::gemm(gemm), accesses);
  });
}

void Emitter::resetAcc(uint32_t begin, uint32_t end) {
  while (begin < end) {
    const uint32_t count = std::min(end - begin, kMaxIterations);
    GemmInsn gemm;
    gemm.reset = true;
    UopPattern pattern{};
    pattern.base.dst_idx = begin;
    gemm.uop_bgn = residentUops(pattern);
    gemm.uop_end = gemm.uop_bgn + 1;
    gemm.iter_out = 1;
    gemm.iter_in = count;
    gemm.dst_factor_in = count > 1 ? 1 : 0;
    const std::array<SramAccess, 1> accesses = {{{Sram::kAcc, begin, begin + count, true}}};
    append(Instruction::gemm(gemm), accesses);
    begin += count;
  }
}

void Emitter::alu(const AccOperation& op, const Nest& nest, std::span<const SramAccess> accesses) {
  if (alu_stride_ == 1) return appendAlu(op, nest, accesses);
  const size_t first = beginComputeTask();
  for (const Nest& part : splitByBank(nest, alu_stride_)) appendAlu(op, part, {});
  if (!accesses.empty()) endComputeTask(first, accesses);
}

void Emitter::appendAlu(const AccOperation& op, const Nest& nest,
                        std::span<const SramAccess> accesses) {
  forEachPiece(nest, alu_plans_, [&](const NestPlan& plan, uint32_t uop_bgn, uint32_t uop_count) {
    const NestDim outer = withoutUnusedFactors(plan.outer);
    const NestDim inner = withoutUnusedFactors(plan.inner);
    AluInsn alu;
    alu.alu_opcode = op.opcode;
    alu.use_imm = op.use_imm;
    alu.imm = static_cast<int16_t>(op.imm);
    alu.uop_bgn = uop_bgn;
    alu.uop_end = uop_bgn + uop_count;
    alu.iter_out = outer.count;
    alu.iter_in = inner.count;
    alu.dst_factor_out = outer.dst;
    alu.dst_factor_in = inner.dst;
    alu.src_factor_out = outer.src;
    alu.src_factor_in = inner.src;
    append(Instruction::alu(alu), accesses);
  });
}

void Emitter::aluImmediate(AluOpcode opcode, int32_t imm, const Nest& nest, uint32_t begin,
                           uint32_t end) {
  const std::array<SramAccess, 1> accesses = {{{Sram::kAcc, begin, end, true}}};
  alu({.opcode = opcode, .use_imm = true, .imm = imm}, nest, accesses);
}

void Emitter::transfer(const Transfer& transfer) {
  const TransferTask task = appendTransfer(transfer);
  tokens_.add(program_.instructions, task.first, task.last, std::array{task.access});
}

void Emitter::storePart(const Transfer& transfer, uint32_t begin, uint32_t end) {
  const TransferTask task = appendTransfer(transfer);
  const SramAccess tile{Sram::kAcc, begin, end, false};
  tokens_.add(program_.instructions, task.first, task.last, std::array{tile});
}

void Emitter::handover(const Transfer& transfer, uint32_t begin, uint32_t end) {
  const TransferTask task = appendTransfer(transfer);
  const SramAccess out{Sram::kAcc, begin, end, false};
  tokens_.add(program_.instructions, task.first, task.last, std::array{task.access, out});
}

Emitter::TransferTask Emitter::appendTransfer(const Transfer& transfer) {
  splitTransfer(transfer, pieces_);
  const bool is_store = transfer.memory_type == MemoryType::kOut;
  TransferTask task;
  task.first = static_cast<uint32_t>(program_.instructions.size());
  uint32_t end = transfer.sram_base;
  for (const MemInsn& mem : pieces_) {
    const auto index = static_cast<uint32_t>(program_.instructions.size());
    program_.instructions.push_back(is_store ? Instruction::store(mem) : Instruction::load(mem));
    if (!isOnChip(mem.memory_type)) program_.relocations.push_back({index, transfer.buffer});
    end = mem.sram_base + sramElems(mem);
  }
  task.last = static_cast<uint32_t>(program_.instructions.size() - 1);
  task.access = {sramOf(transfer.memory_type), transfer.sram_base, end, !is_store};
  return task;
}

Program Emitter::finish() {
  const auto index = static_cast<uint32_t>(program_.instructions.size());
  program_.instructions.push_back(Instruction::finish());
  tokens_.addAfterUnit(program_.instructions, index, Unit::kStore);
  if (!program_.uops.empty()) {
    const auto uop_bytes = static_cast<uint32_t>(hw_.uopBytes());
    program_.buffers.push_back(
        {kUopBuffer, BufferKind::kUop, program_.uops.size() * uop_bytes, uop_bytes});
    const auto buffer = static_cast<uint32_t>(program_.buffers.size() - 1);
    for (uint32_t relocation : uop_loads_) program_.relocations[relocation].buffer = buffer;
  }
  return std::move(program_);
}

}  // namespace vta::kernel
