// Random instruction streams for the compute unit, with what the functional model makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/functional/functional_model.h"
#include "tests/sim/functional/flat_dram.h"

namespace vta::hw::test {

/// Instructions of the compute unit and the memory that its loads read, from address 0.
struct ComputeStream {
  std::vector<Instruction> instructions;
  sim::test::FlatDram dram{{}};
};

/// How likely a stream meets hazards: all indexes lie in a window of this many elements.
struct StreamOptions {
  uint32_t window_elems = 8;
  int instructions = 60;
  bool tokens = true;
};

/// Builds streams and executes them on the functional model while it does.
class StreamBuilder {
 public:
  /// Fills INP and WGT of the model with random values.
  StreamBuilder(const HwConfig& hw, uint32_t seed);

  sim::FunctionalModel& model() { return *model_; }
  ComputeStream& stream() { return stream_; }

  /// Appends legal instructions of all kinds.
  void appendRandom(const StreamOptions& options);

  /// Appends one instruction and executes it; false, and nothing done, if it is out of bounds.
  bool append(const Instruction& insn);

  /// Appends a load of these micro-ops to UOP from `sram_base` on.
  void appendUops(uint32_t sram_base, const std::vector<Uop>& uops);

  /// A GEMM or ALU instruction that is out of bounds, in one of the ways there are.
  Instruction outOfBounds();

  uint32_t below(uint32_t count);

 private:
  uint32_t depth(MemoryType type) const { return hw_.depthElems(type); }
  uint32_t index(MemoryType type, uint32_t window);
  Instruction randomInstruction(const StreamOptions& options);
  Instruction randomLoad(const StreamOptions& options);
  Instruction uopLoad(uint32_t sram_base, const std::vector<Uop>& uops);
  Instruction randomUopLoad(const StreamOptions& options);
  Instruction randomGemm();
  Instruction randomAlu();
  uint32_t uopBegin();

  HwConfig hw_;
  std::mt19937 random_;
  std::unique_ptr<sim::FunctionalModel> model_;
  ComputeStream stream_;
  uint32_t windows_[3] = {0, 0, 0};  // first elements, of ACC, INP and WGT
};

}  // namespace vta::hw::test
