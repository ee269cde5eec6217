// The state behind randomProgram. Internal to this library.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/random/random_program.h"
#include "sim/random/token_weaver.h"
#include "sim/random/usage.h"

namespace vta::sim {

/// Draws one program. `hw` and `rng` outlive it.
class ProgramGenerator {
 public:
  /// The numbers of `rng` decide everything: the same ones give the same program.
  ProgramGenerator(const HwConfig& hw, Rng& rng, const RandomProgramOptions& options);

  /// Called once.
  Program run();

 private:
  // The part of a scratchpad that the program uses. All of it is filled at the beginning.
  struct Window {
    uint32_t begin = 0;
    uint32_t count = 0;
    uint32_t last() const { return begin + count - 1; }
    bool has(uint64_t element) const { return element >= begin && element < begin + count; }
  };
  enum Buffer : uint32_t { kUopBuffer, kInpBuffer, kWgtBuffer, kAccBuffer, kOutBuffer, kScratch };
  struct Loops {
    uint32_t uop_bgn = 0;
    uint32_t uop_end = 0;
    uint32_t iter_out = 1;
    uint32_t iter_in = 1;
    uint64_t iterations() const { return uint64_t{iter_out} * iter_in * (uop_end - uop_bgn); }
  };
  struct Factors {
    uint32_t out = 0;
    uint32_t in = 0;
  };
  // Elements of one memory that an instruction uses.
  struct Access {
    Usage* usage = nullptr;
    bool is_write = false;
    std::vector<uint32_t> elements;
  };

  Window randomWindow(MemoryType type, uint32_t most);
  uint32_t edge(uint32_t least, uint32_t most);
  void drawPads(MemInsn& mem);
  void drawSizes(MemInsn& mem, uint32_t room);
  void declareBuffers();
  void fillScratchpads();
  void fillTable();
  void addRandomInstruction();

  void addLoad(MemoryType type);
  uint32_t addUops(uint32_t count);
  void addUopLoad();
  void addUopRows();
  void addHandover();
  void addStore();
  void drawDepthwise(const Loops& loops, GemmInsn& gemm);
  bool addGemm();
  bool addAlu();
  void addTransfer(Instruction insn, Buffer buffer, std::vector<Access> accesses);
  void add(Instruction insn, const std::vector<Access>& accesses);

  MemInsn randomShape(MemoryType type, uint32_t room);
  uint32_t placeInBuffer(MemInsn& mem, Buffer buffer);
  void placeWithin(MemInsn& mem, uint32_t elements);
  uint32_t placeInWindow(const Window& window, uint32_t count);
  Access scratchAccess(const MemInsn& mem, bool is_write);
  Access rangeAccess(MemoryType type, uint32_t first, uint32_t count, bool is_write);
  Uop randomUop();
  bool pickLoops(Loops& loops);
  bool pickFactors(const Loops& loops, uint32_t Uop::*index, const Window& window,
                   Factors& factors);
  std::vector<uint32_t> indexes(const Loops& loops, uint32_t Uop::*index, const Factors& factors);
  const AluOperation& randomAluOperation();
  AluInsn randomOperation();
  Usage& usageOf(MemoryType type);
  Window& windowOf(MemoryType type);

  HwConfig hw_;
  Rng& rng_;
  RandomProgramOptions options_;
  Program program_;
  TokenWeaver weaver_;
  Window uop_window_;
  Window inp_window_;
  Window wgt_window_;
  Window acc_window_;
  std::vector<Uop> uops_;  // what the micro-op buffer holds, by element
  Usage inp_usage_;
  Usage wgt_usage_;
  Usage acc_usage_;
  Usage scratch_usage_;  // by byte granules
};

}  // namespace vta::sim
