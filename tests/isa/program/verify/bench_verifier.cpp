// Time to verify a program the size of a network: `instructions` is what the compiler would emit
// for some tens of layers, `uop_executions` what the accelerator would execute.
#include <benchmark/benchmark.h>

#include "isa/program/verify/verifier.h"
#include "tests/isa/program/sample_program.h"

namespace vta {
namespace {

using test::ProgramBuilder;

// 3x3 convolution tiles, 14 x 14 pixels: per tile one load of INP and WGT, a reset, a GEMM with 9
// micro-ops, two ALU instructions and a store; double-buffered.
Program convolutionTiles(const HwConfig& hw, uint32_t tiles) {
  ProgramBuilder b(hw);
  for (uint32_t tap = 0; tap < 9; ++tap) {
    b.program.uops.push_back({0, tap / 3 * 16 + tap % 3, tap});
  }
  const uint32_t uop = b.buffer("uop", BufferKind::kUop, 9 * 4);
  const uint32_t inp = b.buffer("inp", BufferKind::kInput, 256 * 16);
  const uint32_t wgt = b.buffer("wgt", BufferKind::kConstant, 9 * 256);
  const uint32_t out = b.buffer("out", BufferKind::kOutput, 196 * 16);
  b.load(ProgramBuilder::row(MemoryType::kUop, 0, 0, 9), uop);
  for (uint32_t k = 0; k < tiles; ++k) {
    const bool reused = k > 0;
    b.load(ProgramBuilder::row(MemoryType::kInp, 0, 0, 256), inp, {.pop_next = reused});
    b.load(ProgramBuilder::row(MemoryType::kWgt, 0, 0, 9), wgt, {.push_next = true});
    GemmInsn gemm{.reset = true,
                  .uop_end = 1,
                  .iter_out = 14,
                  .iter_in = 14,
                  .dst_factor_out = 14,
                  .dst_factor_in = 1};
    b.add(Instruction::gemm(gemm, {.pop_next = reused}));
    gemm.reset = false;
    gemm.uop_end = 9;
    gemm.src_factor_out = 16;
    gemm.src_factor_in = 1;
    b.add(Instruction::gemm(gemm, {.pop_prev = true, .push_prev = k + 1 < tiles}));
    AluInsn alu{.alu_opcode = AluOpcode::kShr,
                .use_imm = true,
                .imm = 8,
                .uop_end = 1,
                .iter_out = 14,
                .iter_in = 14,
                .dst_factor_out = 14,
                .dst_factor_in = 1,
                .src_factor_out = 14,
                .src_factor_in = 1};
    b.add(Instruction::alu(alu));
    alu.alu_opcode = AluOpcode::kMax;
    b.add(Instruction::alu(alu, {.push_next = true}));
    b.store(ProgramBuilder::row(MemoryType::kOut, 0, 0, 196), out,
            {.pop_prev = true, .push_prev = true});
  }
  b.add(Instruction::finish({.pop_next = true}));
  return b.program;
}

void verifyTiles(benchmark::State& state) {
  const HwConfig hw = HwConfig::makeDefault();
  const auto tiles = static_cast<uint32_t>(state.range(0));
  const Program program = convolutionTiles(hw, tiles);
  for (auto _ : state) {
    if (!verifyProgram(program, hw).empty()) state.SkipWithError("unexpected findings");
  }
  state.counters["instructions"] = static_cast<double>(program.instructions.size());
  state.counters["uop_executions"] = static_cast<double>(tiles) * 196 * (1 + 9 + 1 + 1);
}
BENCHMARK(verifyTiles)->ArgName("tiles")->Arg(300)->Arg(3000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vta

BENCHMARK_MAIN();
