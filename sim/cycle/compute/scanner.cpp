#include "sim/cycle/compute/scanner.h"

#include <algorithm>

#include "sim/functional/dma_engine.h"

namespace vta::sim::cycle {
namespace {

template <typename Insn>
LoopNest nestOf(const Insn& insn) {
  LoopNest nest;
  nest.uop_bgn = insn.uop_bgn;
  nest.uops = insn.uop_end > insn.uop_bgn ? insn.uop_end - insn.uop_bgn : 0;
  nest.iter_out = insn.iter_out;
  nest.iter_in = insn.iter_in;
  nest.dst_factor_out = insn.dst_factor_out;
  nest.dst_factor_in = insn.dst_factor_in;
  nest.src_factor_out = insn.src_factor_out;
  nest.src_factor_in = insn.src_factor_in;
  return nest;
}

// Smallest and largest index of one operand.
struct IndexRange {
  uint64_t low = ~uint64_t{0};
  uint64_t high = 0;

  void add(uint32_t index) {
    low = std::min<uint64_t>(low, index);
    high = std::max<uint64_t>(high, index);
  }
  void stretch(const LoopNest& nest, uint32_t factor_out, uint32_t factor_in) {
    high += uint64_t{nest.iter_out - 1} * factor_out + uint64_t{nest.iter_in - 1} * factor_in;
  }
  bool leaves(const HwConfig& hw, MemoryType memory) const { return high >= hw.depthElems(memory); }
};

// Of a load past its scratchpad, which will be a fault, the ends have the bits of an index.
void scanLoad(const MemInsn& mem, const HwConfig& hw, ScanResult& scan) {
  // "Scan": a load touches the elements that it writes.
  const uint64_t elems = sramElems(Opcode::kLoad, mem);
  if (elems == 0) return;
  const uint64_t mask = (uint64_t{1} << hw.logDepth(mem.memory_type)) - 1;
  const ElementRange range = {true, mem.sram_base & mask, (mem.sram_base + elems - 1) & mask};
  (mem.memory_type == MemoryType::kUop ? scan.uops : scan.acc) = range;
}

}  // namespace

ScanResult beginScan(const Instruction& insn, const HwConfig& hw) {
  ScanResult scan;
  if (insn.opcode == Opcode::kLoad) {
    scan.engine = Engine::kLoad;
    scan.loads_uops = insn.mem().memory_type == MemoryType::kUop;
    return scan;
  }
  if (insn.opcode != Opcode::kGemm && insn.opcode != Opcode::kAlu) return scan;
  const bool is_gemm = insn.opcode == Opcode::kGemm;
  scan.nest = is_gemm ? nestOf(insn.gemm()) : nestOf(insn.alu());
  if (!is_gemm) {
    scan.nest.reads_src = !insn.alu().use_imm;
    scan.nest.reads_pair = readsPair(insn.alu().alu_opcode);
  }
  const uint32_t uop_end = is_gemm ? insn.gemm().uop_end : insn.alu().uop_end;
  scan.out_of_bounds = uop_end > hw.depthElems(MemoryType::kUop);
  // "Scan": an instruction walks if it has iterations and micro-ops inside UOP.
  scan.walks = !scan.out_of_bounds && scan.nest.iterations() > 0;
  if (!scan.walks) return scan;
  scan.engine = is_gemm ? Engine::kGemm : Engine::kAlu;
  // "Scan": n.
  scan.scan_cycles = scan.nest.uops;
  return scan;
}

void finishScan(const Instruction& insn, const HwConfig& hw, const std::vector<Uop>& uops,
                ScanResult& scan) {
  if (scan.engine == Engine::kLoad) return scanLoad(insn.mem(), hw, scan);
  if (!scan.walks) return;
  const LoopNest& nest = scan.nest;
  IndexRange dst, src, wgt;
  for (uint32_t u = nest.uop_bgn; u < nest.uop_bgn + nest.uops; ++u) {
    dst.add(uops[u].dst_idx);
    src.add(uops[u].src_idx);
    wgt.add(uops[u].wgt_idx);
  }
  // "Scan": the ranges, and indexes past a depth.
  dst.stretch(nest, nest.dst_factor_out, nest.dst_factor_in);
  src.stretch(nest, nest.src_factor_out, nest.src_factor_in);
  scan.uops = {true, nest.uop_bgn, uint64_t{nest.uop_bgn} + nest.uops - 1};
  scan.acc = {true, dst.low, dst.high};
  scan.out_of_bounds = dst.leaves(hw, MemoryType::kAcc);
  if (nest.reads_src) {
    const uint64_t pair = nest.reads_pair ? 1 : 0;
    scan.acc.low = std::min(dst.low, src.low & ~pair);
    scan.acc.high = std::max(dst.high, src.high | pair);
    scan.out_of_bounds |= src.leaves(hw, MemoryType::kAcc);
  }
  if (scan.engine == Engine::kGemm && insn.gemm().readsOperands()) {
    const GemmInsn& gemm = insn.gemm();
    src.high += gemm.taps - 1;
    wgt.stretch(nest, gemm.wgt_factor_out, gemm.wgt_factor_in);
    scan.out_of_bounds |= src.leaves(hw, MemoryType::kInp) || wgt.leaves(hw, MemoryType::kWgt);
  }
}

}  // namespace vta::sim::cycle
