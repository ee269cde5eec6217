// GEMM on known answers and against plain loops.
#include "isa/spec/accumulator.h"
#include "tests/driver/conformance/compute_program.h"

namespace vta::driver::conformance {
namespace {

class GemmTest : public ConformanceTest {};

/// acc[b][oc] += sum_ic inp[b][ic] * wgt[oc][ic] for element `inp_at`, `wgt_at`, `acc_at`.
void accumulate(const HwConfig& hw, const Lanes& inp, size_t inp_at, const Lanes& wgt,
                size_t wgt_at, Lanes& acc, size_t acc_at) {
  const auto batch = static_cast<size_t>(hw.batch());
  const auto block_in = static_cast<size_t>(hw.blockIn());
  const auto block_out = static_cast<size_t>(hw.blockOut());
  for (size_t b = 0; b < batch; ++b) {
    for (size_t oc = 0; oc < block_out; ++oc) {
      auto sum = static_cast<uint32_t>(acc[(acc_at * batch + b) * block_out + oc]);
      for (size_t ic = 0; ic < block_in; ++ic) {
        sum += static_cast<uint32_t>(inp[(inp_at * batch + b) * block_in + ic] *
                                     wgt[(wgt_at * block_out + oc) * block_in + ic]);
      }
      acc[(acc_at * batch + b) * block_out + oc] = static_cast<int32_t>(sum);
    }
  }
}

TEST_P(GemmTest, OneMicroOpMultipliesSignedBytes) {
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    for (const auto& [x, w] :
         std::vector<std::pair<int, int>>{{-128, -128}, {127, -128}, {127, 127}, {-1, 1}}) {
      ComputeProgram program(spec(), hw, {{0, 0, 0}});
      const uint32_t lanes = program.machine().lanesOf(MemoryType::kAcc);
      program.loadAcc(0, Lanes(lanes, 3));
      program.loadOperands(Lanes(program.machine().lanesOf(MemoryType::kInp), x),
                           Lanes(program.machine().lanesOf(MemoryType::kWgt), w));
      program.add(Instruction::gemm(gemmOnce()));
      EXPECT_EQ(program.run(1), Lanes(lanes, 3 + x * w * hw.blockIn()));
    }
  }
}

TEST_P(GemmTest, AccumulatorWraps) {
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    ComputeProgram program(spec(), hw, {{0, 0, 0}});
    const uint32_t lanes = program.machine().lanesOf(MemoryType::kAcc);
    const AccumulatorRange range = accumulatorRange(hw.params().acc_width_bits);
    program.loadAcc(0, Lanes(lanes, range.most));
    program.loadOperands(Lanes(program.machine().lanesOf(MemoryType::kInp), 1),
                         Lanes(program.machine().lanesOf(MemoryType::kWgt), 1));
    program.add(Instruction::gemm(gemmOnce()));
    EXPECT_EQ(program.run(1), Lanes(lanes, range.least + hw.blockIn() - 1));
  }
}

TEST_P(GemmTest, ConvolutionLoopNest) {
  // 3 x 4 pixels of a 5 x 6 input, 3 x 3 taps as micro-ops, two output blocks.
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    std::vector<Uop> uops;
    for (uint32_t oc = 0; oc < 2; ++oc) {
      for (uint32_t tap = 0; tap < 9; ++tap) {
        uops.push_back({oc * 12, tap / 3 * 6 + tap % 3, oc * 9 + tap});
      }
    }
    ComputeProgram program(spec(), hw, uops);
    Machine& machine = program.machine();
    const Lanes inp = randomLanes(size_t{30} * machine.lanesOf(MemoryType::kInp), -128, 127, 1);
    const Lanes wgt = randomLanes(size_t{18} * machine.lanesOf(MemoryType::kWgt), -128, 127, 2);
    Lanes acc = randomLanes(size_t{24} * machine.lanesOf(MemoryType::kAcc), -1000, 1000, 3);
    program.loadAcc(0, acc);
    program.loadOperands(inp, wgt);
    GemmInsn insn = gemmOnce(18);
    insn.iter_out = 3;
    insn.iter_in = 4;
    insn.dst_factor_out = 4;
    insn.dst_factor_in = 1;
    insn.src_factor_out = 6;
    insn.src_factor_in = 1;
    program.add(Instruction::gemm(insn));
    for (uint32_t y = 0; y < 3; ++y) {
      for (uint32_t x = 0; x < 4; ++x) {
        for (const Uop& uop : uops) {
          accumulate(hw, inp, uop.src_idx + y * 6 + x, wgt, uop.wgt_idx, acc,
                     uop.dst_idx + y * 4 + x);
        }
      }
    }
    EXPECT_EQ(program.run(24), acc);
  }
}

TEST_P(GemmTest, WeightLoopsAndRepeatedAccumulators) {
  // The inner loop walks weights into the same accumulator, the outer one other accumulators, and
  // the two micro-ops hit an accumulator twice.
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    const std::vector<Uop> uops = {{0, 0, 0}, {1, 2, 1}};
    ComputeProgram program(spec(), hw, uops);
    Machine& machine = program.machine();
    const Lanes inp = randomLanes(size_t{12} * machine.lanesOf(MemoryType::kInp), -128, 127, 4);
    const Lanes wgt = randomLanes(size_t{12} * machine.lanesOf(MemoryType::kWgt), -128, 127, 5);
    Lanes acc(size_t{4} * machine.lanesOf(MemoryType::kAcc), 0);
    program.loadAcc(0, acc);
    program.loadOperands(inp, wgt);
    GemmInsn insn = gemmOnce(2);
    insn.iter_out = 3;
    insn.iter_in = 4;
    insn.dst_factor_out = 1;
    insn.src_factor_out = 2;
    insn.src_factor_in = 1;
    insn.wgt_factor_out = 1;
    insn.wgt_factor_in = 2;
    program.add(Instruction::gemm(insn));
    for (uint32_t i0 = 0; i0 < 3; ++i0) {
      for (uint32_t i1 = 0; i1 < 4; ++i1) {
        for (const Uop& uop : uops) {
          accumulate(hw, inp, uop.src_idx + 2 * i0 + i1, wgt, uop.wgt_idx + i0 + 2 * i1, acc,
                     uop.dst_idx + i0);
        }
      }
    }
    EXPECT_EQ(program.run(4), acc);
  }
}

TEST_P(GemmTest, ResetZeroes) {
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    ComputeProgram program(spec(), hw, {{1, 0, 0}});
    const uint32_t lanes = program.machine().lanesOf(MemoryType::kAcc);
    program.loadAcc(0, Lanes(size_t{8} * lanes, 77));
    GemmInsn insn = gemmOnce();
    insn.reset = true;
    insn.iter_out = 2;
    insn.iter_in = 2;
    insn.dst_factor_out = 4;
    insn.dst_factor_in = 1;
    program.add(Instruction::gemm(insn));  // elements 1, 2, 5, 6
    Lanes expected(size_t{8} * lanes, 77);
    for (const uint32_t element : {1, 2, 5, 6}) {
      std::fill_n(expected.begin() + element * lanes, lanes, 0);
    }
    EXPECT_EQ(program.run(8), expected);
  }
}

/// One row of a 3x3 kernel and more: `taps` elements from `inp_at` on, as docs/isa.md has it.
void accumulateTaps(const HwConfig& hw, const GemmInsn& insn, const Lanes& inp, size_t inp_at,
                    const Lanes& wgt, size_t wgt_at, Lanes& acc, size_t acc_at) {
  const auto batch = static_cast<size_t>(hw.batch());
  const auto block_in = static_cast<size_t>(hw.blockIn());
  const auto block_out = static_cast<size_t>(hw.blockOut());
  for (size_t b = 0; b < batch; ++b) {
    for (size_t oc = 0; oc < block_out; ++oc) {
      int32_t& value = acc[(acc_at * batch + b) * block_out + oc];
      if (insn.reset) value = 0;
      for (size_t ic = 0; ic < block_in; ++ic) {
        const size_t tap = ic % (block_in / 2);
        const size_t channel = oc % block_in / 2 * 2 + (ic < block_in / 2 ? 0 : 1);
        if (tap >= insn.taps) continue;
        value += inp[((inp_at + tap) * batch + b) * block_in + channel] *
                 wgt[(wgt_at * block_out + oc) * block_in + ic];
      }
    }
  }
}

TEST_P(GemmTest, DepthwiseTakesTheOwnChannelsOfSeveralInputs) {
  // 2 x 3 pixels with a stride of 2, kernels of two rows; the first row assigns.
  for (const HwConfig& hw : configs()) {
    if (!hw.params().ext_depthwise) continue;
    for (uint32_t taps = 1; taps <= static_cast<uint32_t>(hw.params().depthwise_taps); ++taps) {
      SCOPED_TRACE(hw.summary() + ", taps " + std::to_string(taps));
      const std::vector<Uop> uops = {{1, 0, 0}, {1, 16, 1}};
      ComputeProgram program(spec(), hw, uops);
      Machine& machine = program.machine();
      const Lanes inp = randomLanes(size_t{64} * machine.lanesOf(MemoryType::kInp), -128, 127, 6);
      const Lanes wgt = randomLanes(size_t{2} * machine.lanesOf(MemoryType::kWgt), -128, 127, 7);
      Lanes acc = randomLanes(size_t{8} * machine.lanesOf(MemoryType::kAcc), -1000, 1000, 8);
      program.loadAcc(0, acc);
      program.loadOperands(inp, wgt);
      for (uint32_t row = 0; row < 2; ++row) {
        GemmInsn insn = gemmOnce();
        insn.uop_bgn = row;
        insn.uop_end = row + 1;
        insn.depthwise = true;
        insn.taps = taps;
        insn.reset = row == 0;
        insn.iter_out = 2;
        insn.iter_in = 3;
        insn.dst_factor_out = 3;
        insn.dst_factor_in = 1;
        insn.src_factor_out = 32;
        insn.src_factor_in = 2;
        program.add(Instruction::gemm(insn));
        for (uint32_t i = 0; i < 6; ++i) {
          accumulateTaps(hw, insn, inp, row * 16 + i / 3 * 32 + i % 3 * 2, wgt, row, acc, 1 + i);
        }
      }
      EXPECT_EQ(program.run(8), acc);
    }
  }
}

VTA_INSTANTIATE_CONFORMANCE(GemmTest);

}  // namespace
}  // namespace vta::driver::conformance
