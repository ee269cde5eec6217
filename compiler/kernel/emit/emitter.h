// Emitter: appends instructions to a program, with their tokens, micro-op kernels and relocations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/kernel/primitives/loop_nest.h"
#include "compiler/kernel/primitives/transfer.h"
#include "compiler/kernel/primitives/uop_cache.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "isa/program/token_tracker.h"

namespace vta::kernel {

/// The operation of an ALU instruction, without its loops.
struct AccOperation {
  AluOpcode opcode = AluOpcode::kAdd;
  bool use_imm = true;
  int32_t imm = 0;
};

/// A depthwise GEMM: how many taps it adds, and whether it assigns their sum. No taps: an ordinary
/// one.
struct DepthwiseMode {
  uint32_t taps = 0;
  bool assigns = false;
};

class Emitter {
 public:
  /// `from_top`: micro-ops go to the upper half of their buffer first.
  Emitter(const HwConfig& hw, std::string symbol, bool from_top);

  /// Makes room for about `instructions`.
  void reserve(size_t instructions);

  /// Declares a DRAM buffer of `elems` elements of `type`; returns its number.
  uint32_t declareBuffer(std::string name, BufferKind kind, MemoryType type, int64_t elems);

  /// Compute instructions that belong together cost one look at the tokens: call gemm or alu
  /// without accesses between these two, and name the accesses of all of them at the end.
  size_t beginComputeTask() const { return program_.instructions.size(); }
  void endComputeTask(size_t first, std::span<const SramAccess> accesses);

  /// ACC += INP x WGT over the nest.
  void gemm(const Nest& nest, std::span<const SramAccess> accesses, DepthwiseMode mode = {});
  /// ACC = 0 for [begin, end).
  void resetAcc(uint32_t begin, uint32_t end);
  void alu(const AccOperation& op, const Nest& nest, std::span<const SramAccess> accesses);
  /// The same with an immediate, on accumulators within [begin, end).
  void aluImmediate(AluOpcode opcode, int32_t imm, const Nest& nest, uint32_t begin, uint32_t end);
  /// LOAD, or STORE for memory type kOut.
  void transfer(const Transfer& transfer);
  /// STORE of part of a tile at [begin, end): what comes there next waits for it even where it lies
  /// beside that part, so that no more tokens are on their way than there are tiles.
  void storePart(const Transfer& transfer, uint32_t begin, uint32_t end);

  /// LOAD of INP_FROM_OUT, of elements within [begin, end) of OUT.
  void handover(const Transfer& transfer, uint32_t begin, uint32_t end);

  /// Appends FINISH, declares the micro-op buffer and hands the program over.
  Program finish();

 private:
  void appendAlu(const AccOperation& op, const Nest& nest, std::span<const SramAccess> accesses);
  template <typename Append>
  void forEachPiece(const Nest& nest, PlanCache& plans, const Append& append);
  template <typename Append>
  void serialise(const Nest& nest, const Append& append);
  template <typename Append>
  void appendPlan(const NestPlan& plan, const Append& append);

  /// Instructions of a transfer, and what they touch on their side of the scratchpads.
  struct TransferTask {
    uint32_t first = 0, last = 0;
    SramAccess access;
  };
  TransferTask appendTransfer(const Transfer& transfer);
  uint32_t append(const Instruction& insn, std::span<const SramAccess> accesses);
  uint32_t residentUops(const UopPattern& pattern);
  void loadUops(const UopCache::Fill& fill);

  const HwConfig& hw_;
  PlanCache gemm_plans_;
  PlanCache alu_plans_;
  uint32_t alu_stride_;
  Program program_;
  TokenTracker tokens_;
  UopCache uops_;
  std::vector<uint32_t> uop_loads_;  // their relocations
  int64_t open_uop_load_ = -1;       // the newest, if it may still grow
  std::vector<MemInsn> pieces_;      // scratch of transfer()
};

}  // namespace vta::kernel
