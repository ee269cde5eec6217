// A small program in flat memory, run on the cycle model with everything recorded.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "isa/instruction/encoding.h"
#include "sim/cycle/cycle_model.h"
#include "tests/sim/functional/flat_dram.h"

namespace vta::sim::test {

/// Memory of 1 MiB from address 0: micro-ops at 0, data at kData, the stream at kStream.
class TimedProgram {
 public:
  static constexpr uint64_t kData = 0x10000;
  static constexpr uint64_t kStream = 0x80000;

  explicit TimedProgram(const HwConfig& hw, const MemoryConfig& memory = {})
      : hw_(hw), dram_(std::vector<std::byte>(1 << 20)), model_(*CycleModel::create(hw, memory)) {}

  void setUops(const std::vector<Uop>& uops) {
    std::vector<std::byte> bytes;
    for (const Uop& uop : uops) EXPECT_TRUE(encodeUop(uop, hw_, bytes).ok());
    std::copy(bytes.begin(), bytes.end(), dram_.bytes().begin());
  }

  /// Runs `program`; `times` holds the events of its instructions after.
  TimingResult run(const std::vector<Instruction>& program) {
    std::vector<std::byte> bytes;
    for (const Instruction& insn : program) {
      EXPECT_TRUE(encodeInstruction(insn, hw_, bytes).ok());
    }
    return runRaw(bytes);
  }
  TimingResult runRaw(const std::vector<std::byte>& bytes) {
    std::copy(bytes.begin(), bytes.end(), dram_.bytes().begin() + kStream);
    const BaseAddresses bases = {0, kData, kData, kData, kData};
    TimingResult result = model_->run(bytes, kStream, bases, dram_, &recording_);
    times = recording_.instructions;
    return result;
  }

  /// For the runs that follow.
  void injectBusErrors(const BusErrors& errors) { model_->injectBusErrors(errors); }

  const std::vector<BurstTimes>& bursts() const { return recording_.bursts; }
  std::vector<InstructionTimes> times;

 private:
  HwConfig hw_;
  FlatDram dram_;
  std::unique_ptr<CycleModel> model_;
  Recording recording_;
};

/// `count` elements, packed on both sides.
inline MemInsn rowOf(MemoryType type, uint32_t count, uint32_t sram = 0) {
  MemInsn mem;
  mem.memory_type = type;
  mem.sram_base = sram;
  mem.y_size = count > 0 ? 1 : 0;
  mem.x_size = count;
  mem.x_stride = count;
  return mem;
}

inline Tokens popPrev() {
  Tokens tokens;
  tokens.pop_prev = true;
  return tokens;
}
inline Tokens popNext() {
  Tokens tokens;
  tokens.pop_next = true;
  return tokens;
}
inline Tokens pushPrev() {
  Tokens tokens;
  tokens.push_prev = true;
  return tokens;
}
inline Tokens pushNext() {
  Tokens tokens;
  tokens.push_next = true;
  return tokens;
}

}  // namespace vta::sim::test
