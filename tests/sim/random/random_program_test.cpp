#include "sim/random/random_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "isa/instruction/encoding.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "sim/functional/functional_model.h"
#include "sim/random/inject_fault.h"
#include "sim/random/program_image.h"
#include "sim/random/random_config.h"

namespace vta::sim {
namespace {

std::optional<Fault> runChecked(ProgramImage& image, const HwConfig& hw, bool checked = true) {
  auto model = FunctionalModel::create(hw, {.checked = checked});
  EXPECT_TRUE(model.ok()) << model.status().message();
  const std::vector<std::byte> stream(streamOf(image, hw).begin(), streamOf(image, hw).end());
  ImageDram dram(image);
  return (*model)->run(stream, image.bases, dram).fault;
}

TEST(RandomProgramTest, ProgramsAreLegalAndFreeOfRaces) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const HwConfig hw = randomHwConfig(rng, ElementSizes::kAll);
    SCOPED_TRACE(hw.toYaml());
    const Program program = randomProgram(hw, rng);
    const Status verified = verifyProgramStatus(program, hw, {.uninitialised_reads = true});
    ASSERT_TRUE(verified.ok()) << verified.message() << disassembleProgram(program, hw);
    auto image = makeImage(program, hw, rng);
    ASSERT_TRUE(image.ok()) << image.status().message();
    const std::optional<Fault> fault = runChecked(*image, hw);
    ASSERT_FALSE(fault) << fault->instruction << ": " << fault->disassembly << ": " << fault->reason
                        << "\n"
                        << disassembleProgram(program, hw);
  }
}

TEST(RandomProgramTest, TheSameSeedGivesTheSameProgram) {
  const auto make = [](uint64_t seed) {
    Rng rng(seed);
    const HwConfig hw = HwConfig::makeDefault();
    const Program program = randomProgram(hw, rng);
    return makeImage(program, hw, rng).value().bytes;
  };
  EXPECT_EQ(make(7), make(7));
  EXPECT_NE(make(7), make(8));
}

TEST(RandomProgramTest, EverythingOccurs) {
  const HwConfig hw = HwConfig::makeDefault();
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    for (const Instruction& insn : randomProgram(hw, rng).instructions) {
      if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
        const std::string type(memoryTypeName(mem->memory_type));
        seen.insert(std::string(opcodeName(insn.opcode)) + " " + type);
        if (mem->x_pad_0 + mem->y_pad_0 > 0 && mem->x_size > 0) seen.insert("pad " + type);
        if (mem->pad_kind == PadKind::kMin) {
          seen.insert("pad_min");
          if (mem->x_size > 0 && mem->x_pad_0 + mem->y_pad_0 > 0) seen.insert("pad_min " + type);
        }
        if (mem->y_size > 1 && mem->x_stride > mem->x_size) seen.insert("rows of " + type);
        if (mem->x_size > 0 && mem->x_stride < mem->x_size) seen.insert("short stride " + type);
        if (mem->x_size == 0) seen.insert("nothing " + type);
      } else if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
        seen.insert(std::string(aluOpcodeName(alu->alu_opcode)) + (alu->use_imm ? " imm" : ""));
      } else if (insn.opcode == Opcode::kGemm) {
        seen.insert(insn.gemm().reset ? "reset" : "gemm");
      }
      const Tokens& t = insn.tokens;
      if (t.pop_prev && t.pop_next) seen.insert("two pops");
      if (t.push_prev && t.push_next) seen.insert("two pushes");
    }
  }
  for (const char* what :
       {"LOAD UOP",    "LOAD INP",    "LOAD WGT",     "LOAD ACC",    "LOAD ACC_8BIT",
        "STORE OUT",   "pad UOP",     "rows of UOP",  "pad_min UOP", "pad INP",
        "pad WGT",     "pad ACC",     "pad ACC_8BIT", "pad_min",     "short stride OUT",
        "nothing INP", "nothing OUT", "MIN",          "MIN imm",     "MAX",
        "MAX imm",     "ADD",         "ADD imm",      "SHR",         "SHR imm",
        "MUL",         "MUL imm",     "QMUL",         "CLIP imm",    "gemm",
        "reset",       "two pops",    "two pushes"}) {
    EXPECT_TRUE(seen.contains(what)) << what;
  }
}

TEST(RandomProgramTest, MemoriesOfExtensionsOccurWithTheExtensionOnly) {
  HwParams params;
  const auto count = [&](MemoryType type) {
    const HwConfig hw = *HwConfig::create(params);
    int loads = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      Rng rng(seed);
      for (const Instruction& insn : randomProgram(hw, rng).instructions) {
        const auto* mem = std::get_if<MemInsn>(&insn.body);
        loads += mem != nullptr && mem->memory_type == type ? 1 : 0;
      }
    }
    return loads;
  };
  EXPECT_EQ(count(MemoryType::kWgtTransposed) + count(MemoryType::kInpFromOut), 0);
  params.ext_transpose = params.ext_handover = true;
  EXPECT_GT(count(MemoryType::kWgtTransposed), 10);
  EXPECT_GT(count(MemoryType::kInpFromOut), 10);
}

TEST(RandomProgramTest, LargeFieldsAreLegalToo) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const HwConfig hw = seed % 2 == 0 ? HwConfig::makeDefault() : randomHwConfig(rng);
    SCOPED_TRACE(hw.toYaml());
    const Program program = randomProgram(hw, rng, RandomProgramOptions::largeFields());
    const Status verified = verifyProgramStatus(program, hw, {.uninitialised_reads = true});
    ASSERT_TRUE(verified.ok()) << verified.message();
    auto image = makeImage(program, hw, rng);
    ASSERT_TRUE(image.ok()) << image.status().message();
    const std::optional<Fault> fault = runChecked(*image, hw);
    ASSERT_FALSE(fault) << fault->instruction << ": " << fault->disassembly << ": "
                        << fault->reason;
  }
}

// On scratchpads that are as deep as the fields allow.
TEST(RandomProgramTest, LargeTransfersReachTheEndOfTheirFields) {
  const HwConfig hw = *loadHwConfig(VTA_SOURCE_DIR "/tests/sim/rtl/configs/wide-bus-2x2x2.yaml");
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    for (const Instruction& insn :
         randomProgram(hw, rng, RandomProgramOptions::largeFields()).instructions) {
      const auto* mem = std::get_if<MemInsn>(&insn.body);
      if (mem == nullptr) continue;
      const std::string what(opcodeName(insn.opcode));
      if (mem->x_size > 0 && mem->y_size > 32767) seen.insert(what + " rows");
      if (mem->x_size > 32767) seen.insert(what + " columns");
    }
  }
  EXPECT_EQ(seen,
            (std::set<std::string>{"LOAD rows", "LOAD columns", "STORE rows", "STORE columns"}));
}

// Also of transfers without elements, which may begin behind the last one.
TEST(RandomProgramTest, ProgramsForTheDeepestScratchpadsAreLegal) {
  const HwConfig hw = *loadHwConfig(VTA_SOURCE_DIR "/tests/sim/rtl/configs/wide-bus-2x2x2.yaml");
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const auto image = makeImage(randomProgram(hw, rng), hw, rng, ImagePlace::kAnywhere);
    ASSERT_TRUE(image.ok()) << image.status().message();
  }
}

// What hardware gets wrong that has too few bits for a field or for a sum of fields.
TEST(RandomProgramTest, LargeFieldsReachTheirLimits) {
  const HwConfig hw = HwConfig::makeDefault();
  std::set<std::string> seen;
  const auto saw = [&](const char* what, bool holds) {
    if (holds) seen.insert(what);
  };
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const Program program = randomProgram(hw, rng, RandomProgramOptions::largeFields());
    for (const Instruction& insn : program.instructions) {
      if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
        if (mem->x_size == 0) continue;
        const bool is_store = insn.opcode == Opcode::kStore;
        saw("LOAD stride above 32767", !is_store && mem->y_size > 1 && mem->x_stride > 32767);
        saw("STORE stride above 32767", is_store && mem->y_size > 1 && mem->x_stride > 32767);
        saw("pads of a row, 16 and more", mem->x_pad_0 + mem->x_pad_1 >= 16);
        saw("pads above and below, 16 and more", mem->y_pad_0 + mem->y_pad_1 >= 16);
        saw("pads of 15", mem->x_pad_0 == 15 || mem->y_pad_1 == 15);
        saw("STORE rows above 255", is_store && mem->y_size > 255);
        saw("STORE rows of more than 255", is_store && mem->x_size > 255);
        saw("LOAD rows above 255", !is_store && mem->y_size > 255);
        saw("LOAD rows of more than 255", !is_store && mem->x_size > 255);
        saw("last element",
            mem->sram_base + mem->x_size * mem->y_size == hw.depthElems(mem->memory_type));
      } else if (insn.opcode == Opcode::kGemm) {
        saw("GEMM inner loop above 8192", insn.gemm().iter_in > 8192);
        saw("GEMM outer loop above 8192", insn.gemm().iter_out > 8192);
        saw("GEMM loop of 16383", insn.gemm().iter_in == 16383 || insn.gemm().iter_out == 16383);
        saw("GEMM micro-ops above 1024", insn.gemm().uop_end > insn.gemm().uop_bgn + 1024);
        saw("large factor", insn.gemm().dst_factor_in > 1000);
      } else if (insn.opcode == Opcode::kAlu) {
        saw("ALU inner loop above 8192", insn.alu().iter_in > 8192);
        saw("ALU outer loop above 8192", insn.alu().iter_out > 8192);
      }
    }
  }
  for (const char* what :
       {"pads of a row, 16 and more", "pads above and below, 16 and more", "pads of 15",
        "LOAD stride above 32767", "STORE stride above 32767", "STORE rows above 255",
        "STORE rows of more than 255", "LOAD rows above 255", "LOAD rows of more than 255",
        "last element", "GEMM inner loop above 8192", "GEMM outer loop above 8192",
        "GEMM loop of 16383", "GEMM micro-ops above 1024", "large factor",
        "ALU inner loop above 8192", "ALU outer loop above 8192"}) {
    EXPECT_TRUE(seen.contains(what)) << what;
  }
}

TEST(RandomProgramTest, ImagesLieAnywhereInTheAddressSpace) {
  for (const int address_bits : {32, 40, 64}) {
    HwParams params;
    params.axi_addr_width_bits = address_bits;
    const HwConfig hw = *HwConfig::create(params);
    const uint64_t end = uint64_t{1} << std::min(address_bits, 48);
    bool is_low = false;
    bool is_at_the_end = false;
    bool has_large_distance = false;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Rng rng(seed);
      auto image = makeImage(randomProgram(hw, rng), hw, rng, ImagePlace::kAnywhere);
      ASSERT_TRUE(image.ok()) << image.status().message();
      ASSERT_LE(image->address + image->bytes.size(), end);
      ASSERT_LE(image->bases.inp, image->address);
      is_low |= image->address < (1 << 20);
      is_at_the_end |= image->address + image->bytes.size() + (1 << 16) > end;
      has_large_distance |= image->address - image->bases.inp > uint64_t{3} << 30;
      const std::optional<Fault> fault = runChecked(*image, hw);
      ASSERT_FALSE(fault) << fault->disassembly << ": " << fault->reason;
    }
    EXPECT_TRUE(is_low && is_at_the_end && has_large_distance) << address_bits << " bits";
  }
}

TEST(RandomProgramTest, DistancesReachTheEndOfTheirField) {
  HwParams params;
  params.axi_addr_width_bits = 64;
  const HwConfig hw = *HwConfig::create(params);
  constexpr uint32_t kNearTheEnd = 0xfff00000;
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    auto image = makeImage(randomProgram(hw, rng), hw, rng, ImagePlace::kAnywhere);
    ASSERT_TRUE(image.ok()) << image.status().message();
    if (image->bases.inp != image->bases.wgt && image->bases.uop != image->bases.acc) {
      seen.insert("bases that differ");
    }
    const auto insn_bytes = static_cast<size_t>(hw.instructionBytes());
    for (uint32_t i = 0; i < image->instruction_count; ++i) {
      const auto insn =
          decodeInstruction(streamOf(*image, hw).subspan(i * insn_bytes, insn_bytes), hw);
      ASSERT_TRUE(insn.ok());
      const auto* mem = std::get_if<MemInsn>(&insn->body);
      if (mem == nullptr || mem->x_size == 0 || mem->dram_base < kNearTheEnd) continue;
      seen.insert(std::string(memoryTypeName(mem->memory_type)));
    }
    const std::optional<Fault> fault = runChecked(*image, hw);
    ASSERT_FALSE(fault) << fault->disassembly << ": " << fault->reason;
  }
  // Elements of ACC are four times as long as those of ACC_8BIT, which count from the same base.
  EXPECT_EQ(seen,
            (std::set<std::string>{"ACC_8BIT", "INP", "OUT", "UOP", "WGT", "bases that differ"}));
}

// The largest index that each operand of GEMM and ALU instructions reaches.
struct Reach {
  uint32_t uop = 0, acc = 0, inp = 0, wgt = 0;
};

class ReachFinder {
 public:
  explicit ReachFinder(const HwConfig& hw) : uops_(hw.depthElems(MemoryType::kUop)) {}

  void add(const Program& program) {
    for (const Instruction& insn : program.instructions) {
      const auto* mem = std::get_if<MemInsn>(&insn.body);
      if (mem != nullptr && mem->memory_type == MemoryType::kUop) load(*mem, program.uops);
      if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
        walk(*alu);
        if (!alu->use_imm) raise(reach_.acc, src_, alu->src_factor_out, alu->src_factor_in, *alu);
      }
      if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) {
        walk(*gemm);
        if (!gemm->readsOperands()) continue;
        raise(reach_.inp, src_ + gemm->taps - 1, gemm->src_factor_out, gemm->src_factor_in, *gemm);
        raise(reach_.wgt, wgt_, gemm->wgt_factor_out, gemm->wgt_factor_in, *gemm);
      }
    }
  }
  const Reach& reach() const { return reach_; }

 private:
  // Padding is micro-ops of zeros.
  void load(const MemInsn& mem, const std::vector<Uop>& from) {
    if (mem.x_size == 0) return;
    const uint32_t row = mem.x_pad_0 + mem.x_size + mem.x_pad_1;
    const uint32_t rows = mem.y_pad_0 + mem.y_size + mem.y_pad_1;
    std::fill_n(uops_.begin() + mem.sram_base, row * rows, Uop{});
    for (uint32_t y = 0; y < mem.y_size; ++y) {
      const uint32_t to = mem.sram_base + (mem.y_pad_0 + y) * row + mem.x_pad_0;
      std::copy_n(from.begin() + mem.dram_base + y * mem.x_stride, mem.x_size, uops_.begin() + to);
    }
  }
  template <typename Insn>
  static void raise(uint32_t& most, uint32_t index, uint32_t out, uint32_t in, const Insn& insn) {
    if (insn.uop_bgn >= insn.uop_end || insn.iter_out * insn.iter_in == 0) return;
    most = std::max(most, index + out * (insn.iter_out - 1) + in * (insn.iter_in - 1));
  }
  template <typename Insn>
  void walk(const Insn& insn) {
    uint32_t dst = 0;
    src_ = wgt_ = 0;
    for (uint32_t u = insn.uop_bgn; u < insn.uop_end; ++u) {
      dst = std::max(dst, uops_[u].dst_idx);
      src_ = std::max(src_, uops_[u].src_idx);
      wgt_ = std::max(wgt_, uops_[u].wgt_idx);
    }
    raise(reach_.uop, insn.uop_end - 1, 0, 0, insn);
    raise(reach_.acc, dst, insn.dst_factor_out, insn.dst_factor_in, insn);
  }

  std::vector<Uop> uops_;
  uint32_t src_ = 0, wgt_ = 0;  // the largest of the instruction's micro-ops
  Reach reach_;
};

TEST(RandomProgramTest, InstructionsReachTheLastElementsOfAnyDepth) {
  HwParams params;
  params.uop_buf_bytes = 996 * 4;
  params.inp_buf_bytes = 1023 * 16;
  params.wgt_buf_bytes = 513 * 256;
  params.acc_buf_bytes = 1028 * 64;
  const HwConfig hw = *HwConfig::create(params);
  ReachFinder finder(hw);
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    Rng rng(seed);
    finder.add(randomProgram(hw, rng));
  }
  EXPECT_EQ(finder.reach().uop, 995u);
  EXPECT_EQ(finder.reach().inp, 1022u);
  EXPECT_EQ(finder.reach().wgt, 512u);
  EXPECT_EQ(finder.reach().acc, 1027u);
}

TEST(RandomProgramTest, HalfOfTheScratchpadsHaveDepthsBetweenPowersOfTwo) {
  int between = 0;
  constexpr int kConfigs = 200;
  for (uint64_t seed = 1; seed <= kConfigs; ++seed) {
    Rng rng(seed);
    const HwConfig hw = randomHwConfig(rng);
    for (const MemoryType type :
         {MemoryType::kUop, MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc}) {
      between += std::has_single_bit(hw.depthElems(type)) ? 0 : 1;
    }
  }
  EXPECT_GT(between, 4 * kConfigs / 3);
  EXPECT_LT(between, 4 * kConfigs * 2 / 3);
}

TEST(RandomProgramTest, ShortTokenQueuesNeverOverflow) {
  HwParams p = HwConfig::makeDefault().params();
  p.token_queue_depth = 2;
  p.command_queue_depth = 1;
  const HwConfig hw = HwConfig::create(p).value();
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Status verified = verifyProgramStatus(randomProgram(hw, rng), hw);
    ASSERT_TRUE(verified.ok()) << verified.message();
  }
}

// A token that is left over never fills a queue, so the fault is the same in any timing.
TEST(InjectFaultTest, TokensAreLeftOverAndNeverTooMany) {
  for (const int depth : {1, 2, 4}) {
    HwParams params;
    params.token_queue_depth = depth;
    params.command_queue_depth = 2;
    const HwConfig hw = *HwConfig::create(params);
    int injected = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      SCOPED_TRACE(std::to_string(depth) + " tokens, seed " + std::to_string(seed));
      Rng rng(seed);
      ProgramImage image = makeImage(randomProgram(hw, rng), hw, rng).value();
      if (!injectFault(image, hw, InjectedFault::kTokenLeftOver, rng)) continue;
      ++injected;
      const std::optional<Fault> fault = runChecked(image, hw, false);
      ASSERT_TRUE(fault.has_value());
      ASSERT_EQ(fault->kind, FaultKind::kTokensLeftOver) << fault->reason;
    }
    EXPECT_GT(injected, 20);
  }
}

TEST(InjectFaultTest, RowsOfHandoversAreSoFarApartThat16BitsAreTooFew) {
  HwParams params;
  params.ext_handover = true;
  const HwConfig hw = *HwConfig::create(params);
  int far_apart = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    ProgramImage image = makeImage(randomProgram(hw, rng), hw, rng).value();
    if (!injectFault(image, hw, InjectedFault::kHandoverRowsPastOut, rng)) continue;
    const std::optional<Fault> fault = runChecked(image, hw, false);
    ASSERT_TRUE(fault.has_value());
    const auto insn_bytes = static_cast<size_t>(hw.instructionBytes());
    const MemInsn mem =
        decodeInstruction(streamOf(image, hw).subspan(fault->instruction * insn_bytes, insn_bytes),
                          hw)
            ->mem();
    ASSERT_EQ(mem.memory_type, MemoryType::kInpFromOut);
    const uint64_t last = uint64_t{mem.y_size - 1} * mem.x_stride;
    ASSERT_GT(last, 65535u);
    EXPECT_LT(last % 65536, hw.depthElems(MemoryType::kOut));
    ++far_apart;
  }
  EXPECT_GT(far_apart, 5);
}

TEST(InjectFaultTest, EveryKindIsFoundByTheFunctionalModel) {
  for (int kind = 0; kind < kInjectedFaultCount; ++kind) {
    const auto fault = static_cast<InjectedFault>(kind);
    SCOPED_TRACE(injectedFaultName(fault));
    int injected = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Rng rng(seed);
      const HwConfig hw = randomHwConfig(rng, ElementSizes::kAll);
      ProgramImage image = makeImage(randomProgram(hw, rng), hw, rng).value();
      if (!injectFault(image, hw, fault, rng)) continue;
      ++injected;
      EXPECT_TRUE(runChecked(image, hw, false).has_value());
    }
    EXPECT_GT(injected, 5);
  }
}

}  // namespace
}  // namespace vta::sim
