#include "tests/benchmarks/functional/gemm_program.h"

#include <string>

namespace vta::bench {
namespace {

// One tile: kRows x kOutBlocks accumulators, reduced over kInBlocks input blocks a step. Two of
// each fit the default buffers.
constexpr uint32_t kRows = 64;
constexpr uint32_t kOutBlocks = 8;
constexpr uint32_t kInBlocks = 16;
constexpr uint32_t kTileAccs = kRows * kOutBlocks;
constexpr uint32_t kTileInps = kRows * kInBlocks;
constexpr uint32_t kTileWgts = kOutBlocks * kInBlocks;
constexpr uint32_t kGemmUops = kOutBlocks * kInBlocks;
constexpr uint32_t kBiasAcc = 2 * kTileAccs;  // behind the two tiles

class Builder {
 public:
  Builder(const HwConfig& hw, uint32_t size) : size_(size), blocks_(size / 16) {
    program_.hw_fingerprint = hw.fingerprint();
    program_.encoding = hw.encoding();
    makeUops();
    const auto uop_bytes = static_cast<uint64_t>(hw.uopBytes()) * program_.uops.size();
    const uint64_t matrix_bytes = uint64_t{size} * size;
    program_.buffers = {{"uop", BufferKind::kUop, uop_bytes, 64},
                        {"inp", BufferKind::kInput, matrix_bytes, 64},
                        {"wgt", BufferKind::kConstant, matrix_bytes, 256},
                        {"bias", BufferKind::kConstant, uint64_t{size} * 4, 64},
                        {"out", BufferKind::kOutput, matrix_bytes, 64}};
  }

  Program build() {
    addMem(load(MemoryType::kUop, 0, 0, 1, static_cast<uint32_t>(program_.uops.size()), 0), {}, 0);
    addMem(load(MemoryType::kAcc, kBiasAcc, 0, 1, blocks_, 0), {}, 3);
    for (uint32_t row = 0; row < size_; row += kRows) {
      for (uint32_t block = 0; block < blocks_; block += kOutBlocks) addTile(row, block);
    }
    program_.instructions[last_store_but_one_].tokens.push_prev = false;
    program_.instructions[last_gemm_].tokens.push_prev = false;
    program_.instructions[last_gemm_but_one_].tokens.push_prev = false;
    program_.instructions.push_back(Instruction::finish({.pop_next = true}));
    return std::move(program_);
  }

 private:
  // Micro-ops: GEMM kernels by accumulator and operand slot, then one per output block, by slot,
  // for the ALU, whose source is the block's bias.
  void makeUops() {
    for (uint32_t acc_slot = 0; acc_slot < 2; ++acc_slot) {
      for (uint32_t slot = 0; slot < 2; ++slot) {
        for (uint32_t o = 0; o < kOutBlocks; ++o) {
          for (uint32_t k = 0; k < kInBlocks; ++k) {
            program_.uops.push_back({acc_slot * kTileAccs + o * kRows, slot * kTileInps + k * kRows,
                                     slot * kTileWgts + o * kInBlocks + k});
          }
        }
      }
    }
    reset_uops_ = static_cast<uint32_t>(program_.uops.size());
    for (uint32_t acc_slot = 0; acc_slot < 2; ++acc_slot) {
      program_.uops.push_back({acc_slot * kTileAccs, 0, 0});
    }
    alu_uops_ = static_cast<uint32_t>(program_.uops.size());
    for (uint32_t block = 0; block < blocks_; ++block) {
      for (uint32_t acc_slot = 0; acc_slot < 2; ++acc_slot) {
        const uint32_t o = block % kOutBlocks;
        program_.uops.push_back({acc_slot * kTileAccs + o * kRows, kBiasAcc + block, 0});
      }
    }
  }

  static MemInsn load(MemoryType type, uint32_t sram, uint32_t dram, uint32_t y, uint32_t x,
                      uint32_t stride) {
    MemInsn mem;
    mem.memory_type = type;
    mem.sram_base = sram;
    mem.dram_base = dram;
    mem.y_size = y;
    mem.x_size = x;
    mem.x_stride = stride;
    return mem;
  }

  uint32_t addMem(const MemInsn& mem, Tokens tokens, uint32_t buffer) {
    const auto at = static_cast<uint32_t>(program_.instructions.size());
    program_.instructions.push_back(mem.memory_type == MemoryType::kOut
                                        ? Instruction::store(mem, tokens)
                                        : Instruction::load(mem, tokens));
    program_.relocations.push_back({at, buffer});
    return at;
  }

  void addTile(uint32_t row, uint32_t block) {
    const uint32_t acc_slot = tile_ % 2;
    for (uint32_t k = 0; k < blocks_; k += kInBlocks) addStep(row, block, k, acc_slot);
    addEpilogue(block, acc_slot);
    last_store_but_one_ = last_store_;
    last_store_ = addMem(
        load(MemoryType::kOut, acc_slot * kTileAccs, block * size_ + row, kOutBlocks, kRows, size_),
        {.pop_prev = true, .push_prev = true}, 4);
    ++tile_;
  }

  void addStep(uint32_t row, uint32_t block, uint32_t k, uint32_t acc_slot) {
    const uint32_t slot = step_ % 2;
    addMem(load(MemoryType::kInp, slot * kTileInps, k * size_ + row, kInBlocks, kRows, size_),
           {.pop_next = step_ >= 2}, 1);
    addMem(load(MemoryType::kWgt, slot * kTileWgts, block * blocks_ + k, kOutBlocks, kInBlocks,
                blocks_),
           {.push_next = true}, 2);

    GemmInsn gemm;
    gemm.uop_bgn = (acc_slot * 2 + slot) * kGemmUops;
    gemm.uop_end = gemm.uop_bgn + kGemmUops;
    gemm.iter_out = 1;
    gemm.iter_in = kRows;
    gemm.dst_factor_in = 1;
    gemm.src_factor_in = 1;
    if (k == 0) {
      GemmInsn reset = gemm;
      reset.reset = true;
      reset.uop_bgn = reset_uops_ + acc_slot;
      reset.uop_end = reset.uop_bgn + 1;
      reset.iter_out = kOutBlocks;
      reset.dst_factor_out = kRows;
      program_.instructions.push_back(Instruction::gemm(reset, {.pop_next = tile_ >= 2}));
    }
    last_gemm_but_one_ = last_gemm_;
    last_gemm_ = static_cast<uint32_t>(program_.instructions.size());
    program_.instructions.push_back(Instruction::gemm(gemm, {.pop_prev = true, .push_prev = true}));
    ++step_;
  }

  void addEpilogue(uint32_t block, uint32_t acc_slot) {
    AluInsn alu;
    alu.iter_out = 1;
    alu.iter_in = kRows;
    alu.dst_factor_in = 1;
    for (uint32_t o = 0; o < kOutBlocks; ++o) {
      alu.uop_bgn = alu_uops_ + (block + o) * 2 + acc_slot;
      alu.uop_end = alu.uop_bgn + 1;
      addAlu(alu, AluOpcode::kAdd, false, 0, {});
      addAlu(alu, AluOpcode::kShr, true, kShift, {});
      addAlu(alu, AluOpcode::kMin, true, kHigh, {});
      addAlu(alu, AluOpcode::kMax, true, kLow, {.push_next = o + 1 == kOutBlocks});
    }
  }

  void addAlu(AluInsn alu, AluOpcode opcode, bool use_imm, int32_t imm, Tokens tokens) {
    alu.alu_opcode = opcode;
    alu.use_imm = use_imm;
    alu.imm = imm;
    program_.instructions.push_back(Instruction::alu(alu, tokens));
  }

  Program program_;
  uint32_t size_;
  uint32_t blocks_;
  uint32_t reset_uops_ = 0;
  uint32_t alu_uops_ = 0;
  uint32_t tile_ = 0;
  uint32_t step_ = 0;
  uint32_t last_store_ = 0;
  uint32_t last_store_but_one_ = 0;
  uint32_t last_gemm_ = 0;
  uint32_t last_gemm_but_one_ = 0;
};

}  // namespace

Program gemmProgram(const HwConfig& hw, uint32_t size) { return Builder(hw, size).build(); }

}  // namespace vta::bench
