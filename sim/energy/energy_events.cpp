#include "sim/energy/energy_events.h"

#include <variant>

#include "isa/spec/user_operation.h"

namespace vta::sim {
namespace {

class Counter {
 public:
  explicit Counter(const HwConfig& hw) : hw_(hw) {}

  EnergyEvents events;

  void add(const Instruction& insn) {
    events.dram_read_bytes += static_cast<uint64_t>(hw_.instructionBytes());
    if (insn.opcode == Opcode::kLoad) return load(insn.mem());
    if (insn.opcode == Opcode::kStore) return store(insn.mem());
    if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) return add(*gemm);
    if (const auto* alu = std::get_if<AluInsn>(&insn.body)) return add(*alu);
  }

 private:
  // Of an element in its scratchpad.
  uint64_t bits(MemoryType type) const {
    return memoryInfo(type).sramElemBits(hw_.params(), hw_.uopBytes());
  }

  // Accumulators that are loaded are in OUT too.
  void writeAcc(uint64_t elems) {
    events.acc.write_bits += elems * bits(MemoryType::kAcc);
    events.out.write_bits += elems * bits(MemoryType::kOut);
  }

  void write(MemoryType scratchpad, uint64_t elems) {
    switch (scratchpad) {
      case MemoryType::kUop:
        events.uop.write_bits += elems * bits(scratchpad);
        return;
      case MemoryType::kInp:
        events.inp.write_bits += elems * bits(scratchpad);
        return;
      case MemoryType::kWgt:
        events.wgt.write_bits += elems * bits(scratchpad);
        return;
      default:
        return writeAcc(elems);
    }
  }

  void load(const MemInsn& mem) {
    if (mem.x_size == 0) return;
    const uint64_t data_elems = uint64_t{mem.y_size} * mem.x_size;
    if (isOnChip(mem.memory_type)) {
      events.out.read_bits += data_elems * bits(MemoryType::kOut);
    } else {
      events.dram_read_bytes += data_elems * hw_.elemBytes(mem.memory_type);
    }
    const uint64_t rows = uint64_t{mem.y_pad_0} + mem.y_size + mem.y_pad_1;
    const uint64_t elems = rows * (uint64_t{mem.x_pad_0} + mem.x_size + mem.x_pad_1);
    write(scratchpadOf(mem.memory_type), elems);
  }

  void store(const MemInsn& mem) {
    const uint64_t elems = uint64_t{mem.y_size} * mem.x_size;
    events.dram_write_bytes += elems * hw_.elemBytes(MemoryType::kOut);
    events.out.read_bits += elems * bits(MemoryType::kOut);
  }

  // Executions of the micro-ops of a GEMM or ALU instruction, whose reads it counts.
  template <typename Insn>
  uint64_t executions(const Insn& insn) {
    if (insn.uop_end <= insn.uop_bgn) return 0;
    const uint64_t uops = insn.uop_end - insn.uop_bgn;
    const uint64_t count = uops * insn.iter_out * insn.iter_in;
    if (count > 0) events.uop.read_bits += (count + uops) * bits(MemoryType::kUop);
    return count;
  }

  void add(const GemmInsn& gemm) {
    const uint64_t count = executions(gemm);
    writeAcc(count);
    if (!gemm.readsOperands()) return;
    if (!gemm.reset) events.acc.read_bits += count * bits(MemoryType::kAcc);
    events.inp.read_bits += count * gemm.taps * bits(MemoryType::kInp);
    events.wgt.read_bits += count * bits(MemoryType::kWgt);
    // Of a depthwise GEMM the multipliers of both channels of a pair work, whatever the weights.
    const uint64_t products =
        gemm.depthwise ? uint64_t{2} * gemm.taps : static_cast<uint64_t>(hw_.blockIn());
    events.macs += count * lanes() * products;
  }

  void add(const AluInsn& alu) {
    const uint64_t count = executions(alu);
    writeAcc(count);
    const uint64_t operands = alu.use_imm ? 0 : readsPair(alu.alu_opcode) ? 2 : 1;
    events.acc.read_bits += count * bits(MemoryType::kAcc) * (1 + operands);
    const AluOperation* const operation = findAluOperation(hw_.params(), alu.alu_opcode);
    if (operation == nullptr) return;
    events.alu_adds += static_cast<uint64_t>(operation->adds) * count * lanes();
    events.alu_multiplies += static_cast<uint64_t>(operation->multiplies) * count * lanes();
  }

  uint64_t lanes() const {
    return static_cast<uint64_t>(hw_.batch()) * static_cast<uint64_t>(hw_.blockOut());
  }

  const HwConfig& hw_;
};

}  // namespace

EnergyEvents countEnergyEvents(std::span<const Instruction> program, const HwConfig& hw) {
  Counter counter(hw);
  for (const Instruction& insn : program) counter.add(insn);
  return counter.events;
}

}  // namespace vta::sim
