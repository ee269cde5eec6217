// Programs that load operands, compute, and dump accumulators with all their 32 bits.
#pragma once

#include <string>
#include <vector>

#include "tests/driver/conformance/harness.h"

namespace vta::driver::conformance {

/// Collects compute instructions between the loads of its operands and the dump of accumulators.
/// Everything is ordered by tokens, so the programs are free of races.
class ComputeProgram {
 public:
  /// Loads `uops` to the micro-op buffer from element 0 on.
  ComputeProgram(const std::string& spec, const HwConfig& hw, std::vector<Uop> uops);

  Machine& machine() { return machine_; }

  /// Loads lanes to ACC from element `first` on.
  void loadAcc(uint32_t first, const Lanes& lanes);
  /// Loads INP and WGT lanes from element 0 on; the next compute instruction waits for them. Once.
  void loadOperands(const Lanes& inp, const Lanes& wgt);

  /// Adds a LOAD to the compute or load queue, a GEMM or an ALU instruction.
  void add(Instruction insn);

  /// Adds stores of all bits of ACC elements [0, count), runs, and returns the lanes. A fault fails
  /// the test. Leaves those elements shifted by 24.
  Lanes run(uint32_t count);

 private:
  Machine machine_;
  uint32_t shift_uop_;     // a micro-op of zeros
  uint32_t acc_dram_ = 0;  // next free element of the ACC operand
  bool waits_for_load_ = false;
};

/// One ALU instruction over the micro-ops [0, uop_end) without loops.
AluInsn aluOnce(AluOpcode opcode, uint32_t uop_end = 1);

/// The same with an immediate of 0 as second operand.
AluInsn immediateOnce(AluOpcode opcode);

/// One GEMM over the micro-ops [0, uop_end) without loops.
GemmInsn gemmOnce(uint32_t uop_end = 1);

}  // namespace vta::driver::conformance
