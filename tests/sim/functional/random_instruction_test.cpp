// Random legal instructions on every configuration and every instruction-set target, compared with
// the reference interpreter: scratchpads and memory must be equal after each.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "isa/instruction/handover.h"
#include "isa/program/text/assembler.h"
#include "isa/spec/depthwise.h"
#include "isa/spec/narrow_weights.h"
#include "sim/functional/functional_model.h"
#include "tests/sim/functional/flat_dram.h"
#include "tests/sim/functional/reference_interpreter.h"

namespace vta::sim {
namespace {

using test::FlatDram;
using test::ReferenceInterpreter;

struct Geometry {
  int batch, block_in, block_out;
  int log_inp_depth = 8, log_wgt_depth = 7, log_acc_depth = 8;
  int wgt_width_bits = 8;
  int acc_width_bits = 32;
};

class Generator {
 public:
  Generator(const HwConfig& hw, uint32_t seed, uint64_t dram_bytes)
      : hw_(hw), rng_(seed), dram_bytes_(dram_bytes) {}

  /// A random instruction in bounds of SRAM and DRAM.
  Instruction next(const std::vector<Uop>& uops) {
    switch (pick(0, 9)) {
      case 0:
        return hw_.params().ext_handover && pick(0, 1) ? handover() : load(MemoryType::kInp);
      case 1:
        return load(hw_.params().ext_transpose && pick(0, 1) ? MemoryType::kWgtTransposed
                                                             : MemoryType::kWgt);
      case 2:
        return load(pick(0, 1) ? MemoryType::kAcc : MemoryType::kAcc8);
      case 3:
        return store();
      case 4:
      case 5:
      case 6:
        return gemm(uops);
      default:
        return alu(uops);
    }
  }

  uint32_t pick(uint32_t min, uint32_t max) {
    return std::uniform_int_distribution<uint32_t>(min, max)(rng_);
  }

  /// Micro-ops like those of compilers (rows, taps, blocks) or without any order.
  std::vector<Uop> uops() {
    std::vector<Uop> list;
    const uint32_t acc_depth = hw_.depthElems(MemoryType::kAcc);
    const uint32_t inp_depth = hw_.depthElems(MemoryType::kInp);
    const uint32_t wgt_depth = hw_.depthElems(MemoryType::kWgt);
    while (list.size() < hw_.depthElems(MemoryType::kUop)) {
      const uint32_t groups = pick(1, 4);
      const uint32_t taps = pick(1, 9);
      const bool ordered = pick(0, 2) != 0;
      const uint32_t dst = pick(0, acc_depth / 2 - 1);
      uint32_t src = pick(0, inp_depth / 2 - 1);
      if (pick(0, 2) == 0) src = dst + pick(0, 6) - std::min(dst, 3u);  // close, for the ALU
      const uint32_t wgt = pick(0, wgt_depth / 2 - 1);
      const uint32_t src_step = pick(0, 2);
      for (uint32_t g = 0; g < groups; ++g) {
        for (uint32_t t = 0; t < taps; ++t) {
          Uop uop = {dst + g, src + t + g * src_step, wgt + t};
          if (!ordered)
            uop = {pick(0, acc_depth / 2), pick(0, inp_depth / 2), pick(0, wgt_depth / 2)};
          const uint32_t max_src = std::min(inp_depth, acc_depth) - 1;
          list.push_back({std::min(uop.dst_idx, acc_depth - 1), std::min(uop.src_idx, max_src),
                          std::min(uop.wgt_idx, wgt_depth - 1)});
        }
      }
    }
    list.resize(hw_.depthElems(MemoryType::kUop));
    return list;
  }

 private:
  Instruction handover() {
    Instruction insn = load(MemoryType::kInp);
    MemInsn& mem = insn.mem();
    mem.memory_type = MemoryType::kInpFromOut;
    const auto depth = static_cast<uint32_t>(handoverDepth(hw_));
    mem.dram_base = 0;
    if (handoverEnd(mem) > depth) mem.x_stride = 0;
    mem.x_size = std::min(mem.x_size, depth);
    mem.dram_base = pick(0, depth - static_cast<uint32_t>(handoverEnd(mem)));
    return insn;
  }

  Instruction load(MemoryType type) {
    MemInsn mem;
    mem.memory_type = type;
    mem.x_size = pick(0, 12);
    mem.y_size = pick(0, 5);
    mem.x_stride = pick(0, 2) == 0 ? mem.x_size : pick(0, 20);
    if (pick(0, 1)) {
      mem.x_pad_0 = pick(0, 3);
      mem.x_pad_1 = pick(0, 3);
      mem.y_pad_0 = pick(0, 2);
      mem.y_pad_1 = pick(0, 2);
      mem.pad_kind = pick(0, 1) ? PadKind::kMin : PadKind::kZero;
    }
    const uint32_t elems =
        (mem.y_pad_0 + mem.y_size + mem.y_pad_1) * (mem.x_pad_0 + mem.x_size + mem.x_pad_1);
    if (elems > hw_.depthElems(type)) return load(type);
    mem.sram_base = pick(0, hw_.depthElems(type) - elems);
    placeInDram(mem);
    return Instruction::load(mem);
  }

  Instruction store() {
    MemInsn mem;
    mem.memory_type = MemoryType::kOut;
    mem.x_size = pick(0, 12);
    mem.y_size = pick(0, 5);
    mem.x_stride = pick(0, 2) == 0 ? mem.x_size : pick(0, 20);
    mem.sram_base = pick(0, hw_.depthElems(MemoryType::kOut) - mem.x_size * mem.y_size);
    placeInDram(mem);
    return Instruction::store(mem);
  }

  void placeInDram(MemInsn& mem) {
    const uint64_t elems = dram_bytes_ / hw_.elemBytes(mem.memory_type);
    const uint64_t used = uint64_t{mem.y_size} * mem.x_stride + mem.x_size;
    mem.dram_base = pick(0, static_cast<uint32_t>(elems - used));
  }

  /// Loop counts and factors that keep `max_index` plus both loops below `depth`.
  struct Factors {
    uint32_t out, in;
  };
  Factors factors(uint32_t max_index, uint32_t depth, uint32_t iter_out, uint32_t iter_in) {
    const uint32_t room = depth - 1 - max_index;
    const uint32_t in = iter_in == 1 ? pick(0, 5) : pick(0, std::min(room / (iter_in - 1), 6u));
    const uint32_t rest = room - in * (iter_in - 1);
    uint32_t out = iter_out == 1 ? pick(0, 5) : pick(0, std::min(rest / (iter_out - 1), 40u));
    if (in * iter_in * (iter_out - 1) <= rest && pick(0, 1)) out = in * iter_in;  // contiguous
    return {out, in};
  }

  template <typename Insn>
  void pickLoops(Insn& insn, size_t uop_count) {
    insn.uop_bgn = pick(0, static_cast<uint32_t>(uop_count) - 1);
    const uint32_t most = std::min<uint32_t>(static_cast<uint32_t>(uop_count), insn.uop_bgn + 24);
    insn.uop_end = pick(insn.uop_bgn, most);
    insn.iter_out = pick(0, 9) == 0 ? 0 : pick(1, 6);
    insn.iter_in = pick(0, 9) == 0 ? 0 : pick(1, 20);
  }

  Instruction gemm(const std::vector<Uop>& uops) {
    GemmInsn insn;
    pickLoops(insn, uops.size());
    insn.reset = pick(0, 7) == 0;
    if (hw_.params().ext_depthwise && pick(0, 1)) {
      insn.depthwise = true;
      insn.taps = pick(1, inpReadElems(hw_.params()));
    }
    Uop max;
    for (uint32_t u = insn.uop_bgn; u < insn.uop_end; ++u) {
      max.dst_idx = std::max(max.dst_idx, uops[u].dst_idx);
      max.src_idx = std::max(max.src_idx, uops[u].src_idx);
      max.wgt_idx = std::max(max.wgt_idx, uops[u].wgt_idx);
    }
    const uint32_t out = std::max(insn.iter_out, 1u);
    const uint32_t in = std::max(insn.iter_in, 1u);
    const Factors dst = factors(max.dst_idx, hw_.depthElems(MemoryType::kAcc), out, in);
    const uint32_t inputs = hw_.depthElems(MemoryType::kInp) - (insn.taps - 1);
    if (max.src_idx >= inputs) insn.uop_end = insn.uop_bgn;
    const Factors src = factors(std::min(max.src_idx, inputs - 1), inputs, out, in);
    Factors wgt = factors(max.wgt_idx, hw_.depthElems(MemoryType::kWgt), out, in);
    if (pick(0, 2)) wgt = {0, pick(0, 1) ? wgt.in : 0};  // shared weights, as convolutions have
    insn.dst_factor_out = pick(0, 3) ? dst.out : 0;
    insn.dst_factor_in = pick(0, 3) ? dst.in : 0;
    insn.src_factor_out = src.out;
    insn.src_factor_in = src.in;
    insn.wgt_factor_out = wgt.out;
    insn.wgt_factor_in = wgt.in;
    return Instruction::gemm(insn);
  }

  Instruction alu(const std::vector<Uop>& uops) {
    AluInsn insn;
    pickLoops(insn, uops.size());
    std::vector<AluOperation> there;
    std::ranges::copy_if(kAluOperations, std::back_inserter(there), [&](const AluOperation& each) {
      return hasAluOperation(hw_.params(), each);
    });
    const AluOperation& operation = there[pick(0, static_cast<uint32_t>(there.size()) - 1)];
    insn.alu_opcode = operation.opcode;
    insn.use_imm = operation.operand == AluOperand::kImmediate || pick(0, 1);
    insn.imm = static_cast<int16_t>(pick(0, 0xffff));
    if (operation.immediate == AluImmediate::kByteRange) {
      const auto [low, high] = std::minmax(
          {static_cast<int8_t>(insn.imm & 0xff), static_cast<int8_t>(insn.imm >> 8 & 0xff)});
      insn.imm = static_cast<int16_t>((high & 0xff) << 8 | (low & 0xff));
    }
    if (operation.immediate == AluImmediate::kZero) insn.imm = 0;
    const bool reads_acc =
        operation.operand == AluOperand::kTensor || operation.operand == AluOperand::kPair;
    if (reads_acc) insn.use_imm = false;
    if (operation.immediate == AluImmediate::kShift) {
      insn.imm = static_cast<int32_t>(pick(0, kMaxAluShift));
    }
    uint32_t max_dst = 0;
    uint32_t max_src = 0;
    for (uint32_t u = insn.uop_bgn; u < insn.uop_end; ++u) {
      max_dst = std::max(max_dst, uops[u].dst_idx);
      max_src = std::max(max_src, uops[u].src_idx);
    }
    const uint32_t out = std::max(insn.iter_out, 1u);
    const uint32_t in = std::max(insn.iter_in, 1u);
    const Factors dst = factors(max_dst, hw_.depthElems(MemoryType::kAcc), out, in);
    const Factors src = factors(max_src, hw_.depthElems(MemoryType::kAcc), out, in);
    insn.dst_factor_out = dst.out;
    insn.dst_factor_in = dst.in;
    insn.src_factor_out = pick(0, 1) ? src.out : std::min(src.out, dst.out);
    insn.src_factor_in = pick(0, 1) ? src.in : std::min(src.in, dst.in);
    return Instruction::alu(insn);
  }

  HwConfig hw_;
  std::mt19937 rng_;
  uint64_t dram_bytes_;
};

HwConfig makeConfig(const Geometry& g) {
  HwParams p;
  p.batch = g.batch;
  p.block_in = g.block_in;
  p.block_out = g.block_out;
  const auto elem = [](uint64_t a, uint64_t b, uint64_t bytes) { return a * b * bytes; };
  p.inp_buf_bytes = elem(g.batch, g.block_in, 1) << g.log_inp_depth;
  p.wgt_width_bits = g.wgt_width_bits;
  p.wgt_buf_bytes =
      packedWeightBytes(elem(g.block_out, g.block_in, 1) << g.log_wgt_depth, g.wgt_width_bits);
  p.acc_buf_bytes = elem(g.batch, g.block_out, 4) << g.log_acc_depth;
  p.uop_buf_bytes = 1024;
  p.acc_width_bits = g.acc_width_bits;
  p.ext_prelu = p.ext_requant = true;
  p.ext_lut = p.acc_width_bits == 32;
  p.ext_depthwise = p.block_in >= 4;
  p.ext_transpose = p.wgt_width_bits == 8;
  p.ext_handover = p.block_out % p.block_in == 0;
  p.depthwise_taps = std::clamp(p.block_in / 2, 2, 7);
  return HwConfig::create(p).value();
}

void compare(const FunctionalModel& model, const ReferenceInterpreter& reference,
             const std::vector<std::byte>& dram) {
  const Scratchpads& pads = model.scratchpads();
  ASSERT_TRUE(std::equal(reference.acc.begin(), reference.acc.end(), pads.acc(0)));
  ASSERT_TRUE(std::equal(reference.inp.begin(), reference.inp.end(), pads.inp(0)));
  ASSERT_TRUE(std::equal(reference.wgt.begin(), reference.wgt.end(), pads.wgt(0)));
  ASSERT_TRUE(dram == reference.dram);
}

void runRandomInstructions(const HwConfig& hw, uint32_t seed, int count) {
  SCOPED_TRACE(hw.summary() + ", seed " + std::to_string(seed));
  auto model = FunctionalModel::create(hw);
  ASSERT_TRUE(model.ok()) << model.status().message();
  SCOPED_TRACE((*model)->kernelTarget());
  constexpr uint64_t kDramBytes = 1 << 19;
  Generator generator(hw, seed, kDramBytes);
  std::vector<std::byte> bytes(kDramBytes);
  for (std::byte& b : bytes) b = static_cast<std::byte>(generator.pick(0, 255));
  FlatDram dram(bytes);
  ReferenceInterpreter reference(hw, bytes);
  reference.uops = generator.uops();
  std::ranges::copy(reference.uops, (*model)->scratchpads().uops().begin());
  for (int i = 0; i < count; ++i) {
    if (i % 16 == 15) {  // other micro-ops at the same place
      reference.uops = generator.uops();
      std::ranges::copy(reference.uops, (*model)->scratchpads().uops().begin());
    }
    const Instruction insn = generator.next(reference.uops);
    SCOPED_TRACE(disassemble(insn));
    const auto violation = (*model)->step(insn, {}, dram);
    ASSERT_FALSE(violation) << violation->reason;
    reference.execute(insn);
    compare(**model, reference, dram.bytes());
    if (testing::Test::HasFatalFailure()) return;
  }
}

class RandomInstructionTest : public testing::TestWithParam<Geometry> {
 protected:
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

TEST_P(RandomInstructionTest, EveryTargetAgreesWithTheReference) {
  const HwConfig hw = makeConfig(GetParam());
  uint32_t seed = 1;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (int i = 0; i < 2; ++i) {
      runRandomInstructions(hw, seed++, 100);
      if (HasFatalFailure()) return;
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Geometries, RandomInstructionTest,
    testing::Values(Geometry{1, 16, 16}, Geometry{1, 8, 8}, Geometry{4, 16, 16},
                    Geometry{1, 32, 32}, Geometry{2, 4, 4}, Geometry{1, 16, 4}, Geometry{1, 4, 32},
                    Geometry{2, 64, 8}, Geometry{1, 8, 64}, Geometry{1, 128, 16}, Geometry{1, 2, 2},
                    Geometry{2, 1, 1}, Geometry{1, 16, 2}, Geometry{1, 16, 16, 12, 11, 12},
                    Geometry{1, 16, 16, 8, 7, 8, 4}, Geometry{2, 2, 2, 8, 7, 8, 2},
                    Geometry{2, 8, 64, 8, 7, 8, 2}, Geometry{1, 16, 16, 8, 7, 8, 8, 24},
                    Geometry{2, 4, 32, 8, 7, 8, 8, 24}, Geometry{2, 2, 2, 8, 7, 8, 8, 29}),
    [](const testing::TestParamInfo<Geometry>& info) {
      const Geometry& g = info.param;
      std::string name = std::to_string(g.batch) + "x" + std::to_string(g.block_in) + "x" +
                         std::to_string(g.block_out);
      if (g.log_acc_depth > 11) name += "wide";
      if (g.wgt_width_bits == 4) name += "w4";
      if (g.wgt_width_bits == 2) name += "w2";
      if (g.acc_width_bits != 32) name.append("a").append(std::to_string(g.acc_width_bits));
      return name;
    });

}  // namespace
}  // namespace vta::sim
