// Executes single instructions as docs/isa.md writes them: one loop per line of the specification,
// one lane at a time. The oracle of the functional simulator's tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta::sim::test {

/// State of an accelerator whose base registers are 0. Instructions must be legal and in bounds.
class ReferenceInterpreter {
 public:
  ReferenceInterpreter(const HwConfig& hw, std::vector<std::byte> dram);

  void execute(const Instruction& insn);

  std::vector<Uop> uops;
  std::vector<int8_t> inp;    // [element][b][ic]
  std::vector<int8_t> wgt;    // [element][oc][ic]
  std::vector<int32_t> acc;   // [element][b][oc]
  std::vector<int8_t> table;  // [index][b][oc], by the index's low byte as unsigned
  std::vector<std::byte> dram;

 private:
  void load(const MemInsn& mem);
  void store(const MemInsn& mem);
  void gemm(const GemmInsn& insn);
  void alu(const AluInsn& insn);
  void requant(const AluInsn& insn, uint64_t dst, uint64_t src);
  void writeTable(const AluInsn& insn, uint64_t dst);
  void readTable(uint64_t dst);
  void fillWeights(uint64_t element, const std::vector<std::byte>& data, bool pad_min);
  void fillElement(const MemInsn& mem, uint64_t element, bool is_pad, uint64_t dram_element);

  HwConfig hw_;
};

}  // namespace vta::sim::test
