// CommandList: instructions of one launch, issued one after the other while a program runs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::driver {

/// Records LOAD, STORE, GEMM and ALU with tokens between the units, which the caller places.
/// Micro-ops come with the instructions that run them; the list loads them where they are not in
/// the micro-op buffer any more. Every call checks what can be wrong with its instruction alone,
/// and `finish` proves the whole.
class CommandList {
 public:
  explicit CommandList(const HwConfig& hw);

  /// Declares a buffer of DRAM; returns its number. `name` is for messages.
  uint32_t addBuffer(std::string name, uint64_t size_bytes);

  /// Appends a LOAD, or a STORE for memory type kOut. `dram_base` counts elements from the start of
  /// the buffer. Errors: a field that does not fit, a buffer that does not exist.
  Status transfer(const MemInsn& mem, uint32_t buffer);
  /// Appends a GEMM over these micro-ops; uop_bgn and uop_end are set here. Errors: a field that
  /// does not fit, no micro-ops, more than the micro-op buffer holds.
  Status gemm(const GemmInsn& gemm, std::span<const Uop> uops);
  /// The same for an ALU instruction. Errors also: an operation that the hardware lacks.
  Status alu(const AluInsn& alu, std::span<const Uop> uops);

  /// Lets the newest instruction of `from` send a token to `to`. Errors: units that are no
  /// neighbours.
  Status push(Unit from, Unit to);
  /// Lets the next instruction of `to` wait for a token of `from`.
  Status pop(Unit from, Unit to);

  /// The program of all instructions, with FINISH behind the last store; the list is empty then,
  /// and its buffers are gone. Errors: what the verifier finds, with the instruction's number and
  /// text.
  Result<Program> finish();

  /// How many instructions there are.
  size_t size() const { return program_.instructions.size(); }

 private:
  using Key = std::vector<std::array<uint32_t, 3>>;

  Status append(Instruction insn);
  void relocate(uint32_t buffer);
  /// An instruction that moves no data, for tokens alone.
  Status appendCarrier(Unit unit);
  /// The place of micro-ops in their buffer, loaded if need be.
  Result<uint32_t> place(std::span<const Uop> uops);
  /// FINISH, and what the program lacks to be whole.
  Status close();
  void clear();

  HwConfig hw_;
  Program program_;
  std::array<std::optional<uint32_t>, 3> newest_;  // instruction of each unit
  std::array<Tokens, 3> waiting_;                  // pops of the next instruction of each unit
  std::map<Key, uint32_t> resident_;               // places of micro-ops
  uint32_t next_place_ = 0;
  std::vector<uint32_t> uop_loads_;  // their relocations
};

}  // namespace vta::driver
