#include "isa/program/verify/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "isa/instruction/contiguous_row.h"
#include "isa/instruction/handover.h"
#include "tests/isa/config/random_config.h"
#include "tests/isa/program/sample_program.h"

namespace vta {
namespace {

using test::gemmProgram;
using test::ProgramBuilder;
using ::testing::HasSubstr;

const HwConfig kHw = HwConfig::makeDefault();

std::string findingsOf(const Program& program, const VerifyOptions& options = {}) {
  const Status status = verifyProgramStatus(program, kHw, options);
  return status.ok() ? "ok" : status.message();
}

std::string findingsAfter(const std::function<void(Program&)>& change) {
  Program program = gemmProgram(kHw);
  change(program);
  return findingsOf(program);
}

TEST(Verifier, LegalProgramsHaveNoFindings) {
  EXPECT_TRUE(verifyProgram(gemmProgram(kHw), kHw).empty());
  for (const char* name :
       {"small-1x8x8", "large-1x32x32", "batched-4x16x16", "tiny-buffers", "wide", "vta-0.0.2"}) {
    const HwConfig hw = *loadHwConfig(std::string(VTA_SOURCE_DIR "/configs/hw/") + name + ".yaml");
    const Status status = verifyProgramStatus(gemmProgram(hw), hw);
    EXPECT_TRUE(status.ok()) << name << status.message();
  }
}

TEST(Verifier, FindingsNameInstructionSymbolAndDisassembly) {
  Program program = gemmProgram(kHw);
  program.instructions[4].tokens.pop_prev = false;
  const std::vector<VerifyFinding> findings = verifyProgram(program, kHw);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].instruction, 4u);
  EXPECT_THAT(findings[0].message,
              HasSubstr("instruction 4 (gemm) `gemm uop=0:1 iter=1x4 dst=0,1 src=0,1 wgt=0,0`: "
                        "race: INP[0] is also written by instruction 1 (gemm) `load inp"));
}

TEST(Verifier, MalformedProgramsAreOneFinding) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions.pop_back(); }),
              HasSubstr("does not end with FINISH"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.uops[0].dst_idx = 5000; }),
              HasSubstr("micro-op 0: micro-op field dst_idx is 5000"));
}

TEST(Verifier, IllegalFieldsAndDirections) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[1].mem().x_size = 1 << 20; }),
              HasSubstr("LOAD field x_size is 1048576"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[1].tokens.pop_prev = true; }),
              HasSubstr("the load unit has no previous unit"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[6].tokens.push_next = true; }),
              HasSubstr("the store unit has no next unit"));
  EXPECT_THAT(
      findingsAfter([](Program& p) { p.instructions[6].mem().memory_type = MemoryType::kAcc; }),
      HasSubstr("STORE cannot address ACC; legal: OUT"));
  EXPECT_THAT(
      findingsAfter([](Program& p) { p.instructions[1].mem().memory_type = MemoryType::kOut; }),
      HasSubstr("LOAD cannot address OUT"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[4].gemm().uop_end = 8193; }),
              HasSubstr("uop_end is 8193; the micro-op buffer holds 8192"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[5].alu().reset = true; }),
              HasSubstr("reset has no meaning in ALU"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[3] = Instruction::finish(); }),
              HasSubstr("instruction 3 (gemm) `finish`: instructions follow FINISH"));
}

TEST(Verifier, ExtensionImmediates) {
  const auto withAlu = [](AluOpcode opcode, bool use_imm, int32_t imm) {
    return findingsAfter([&](Program& p) {
      AluInsn& alu = p.instructions[5].alu();
      alu.alu_opcode = opcode;
      alu.use_imm = use_imm;
      alu.imm = imm;
    });
  };
  EXPECT_EQ(withAlu(AluOpcode::kQmul, false, 62), "ok");
  EXPECT_THAT(withAlu(AluOpcode::kQmul, false, 63), HasSubstr("QMUL shifts by 63; legal: 0 to 62"));
  EXPECT_THAT(withAlu(AluOpcode::kQmul, true, 1), HasSubstr("QMUL has no immediate operand"));
  EXPECT_EQ(withAlu(AluOpcode::kClip, true, 0x7f80), "ok");
  EXPECT_THAT(withAlu(AluOpcode::kClip, true, int16_t(0x8000)),
              HasSubstr("CLIP to an empty range: 0 to -128"));
  EXPECT_THAT(withAlu(AluOpcode::kClip, false, 0), HasSubstr("CLIP needs its immediate"));

  const HwConfig plain = *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml");
  Program program = gemmProgram(plain);
  program.instructions[5].alu().alu_opcode = AluOpcode::kClip;
  EXPECT_THAT(verifyProgramStatus(program, plain).message(), HasSubstr("no extension clip"));
}

TEST(Verifier, SramBounds) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[1].mem().sram_base = 2045; }),
              HasSubstr("touches INP[2048]; its depth is 2048"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[6].mem().sram_base = 2045; }),
              HasSubstr("touches OUT[2048]; its depth is 2048"));
  // Without a row it touches nothing, but devices compare where the range begins.
  EXPECT_THAT(findingsAfter([](Program& p) {
                p.instructions[6].mem().sram_base = 2049;
                p.instructions[6].mem().y_size = 0;
              }),
              HasSubstr("touches OUT[2049]; its depth is 2048"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[1].mem().y_pad_1 = 15; }), "ok");
  EXPECT_THAT(findingsAfter([](Program& p) {
                p.instructions[1].mem().sram_base = 1990;
                p.instructions[1].mem().y_pad_1 = 15;
              }),
              HasSubstr("touches INP[2053]"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[3].gemm().dst_factor_in = 1000; }),
              HasSubstr("touches ACC[3000]; its depth is 2048"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[4].gemm().src_factor_in = 700; }),
              HasSubstr("touches INP[2100]"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[4].gemm().wgt_factor_in = 1000; }),
              HasSubstr("touches WGT[3000]; its depth is 1024"));
  EXPECT_THAT(findingsAfter([](Program& p) {
                AluInsn& alu = p.instructions[5].alu();
                alu.use_imm = false;
                alu.src_factor_in = 1000;
              }),
              HasSubstr("touches ACC[3000]"));
}

TEST(Verifier, DramBounds) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[1].mem().dram_base = 1; }),
              HasSubstr("accesses bytes 16 to 79 of buffer \"inp\", which has 64"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.buffers[3].size_bytes = 63; }),
              HasSubstr("accesses bytes 0 to 63 of buffer \"out\", which has 63"));
  EXPECT_THAT(findingsAfter([](Program& p) {
                MemInsn& mem = p.instructions[1].mem();
                mem.y_size = 2;
                mem.x_size = 2;
                mem.x_stride = 3;
              }),
              HasSubstr("accesses bytes 0 to 79"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.buffers[3].kind = BufferKind::kConstant; }),
              HasSubstr("stores into constant buffer \"out\""));
}

TEST(Verifier, MicroOpsMustExistAndBeLoaded) {
  EXPECT_THAT(findingsAfter([](Program& p) {
                p.instructions[0].mem().x_size = 2;
                p.buffers[0].size_bytes = 8;
              }),
              HasSubstr("loads micro-op 1; the program has 1"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[5].alu().uop_end = 2; }),
              HasSubstr("instruction 5 (gemm) `alu shr imm=4 uop=0:2 iter=1x4 dst=0,1 src=0,1 "
                        "push_next`: uses micro-op 1, which has not been loaded"));
  // Padding is micro-ops of zeros.
  EXPECT_EQ(findingsAfter([](Program& p) {
              p.instructions[0].mem().x_pad_1 = 1;
              p.instructions[5].alu().uop_end = 2;
            }),
            "ok");
}

TEST(Verifier, EmptyLoopsAndCarriersTouchNothing) {
  EXPECT_EQ(findingsAfter([](Program& p) {
              GemmInsn& gemm = p.instructions[3].gemm();
              gemm.iter_in = 0;
              gemm.uop_bgn = 100;
              gemm.uop_end = 8000;
              gemm.dst_factor_out = 2000;
            }),
            "ok");
  EXPECT_EQ(findingsAfter([](Program& p) {
              MemInsn carrier;
              carrier.memory_type = MemoryType::kInp;
              carrier.sram_base = 60000;
              carrier.y_size = 100;
              carrier.y_pad_0 = 15;
              p.instructions.insert(p.instructions.begin() + 7, Instruction::load(carrier));
            }),
            "ok");
}

TEST(Verifier, MissingTokensAreDeadlocks) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[2].tokens.push_next = false; }),
              HasSubstr("deadlock: compute waits at instruction 4 for a load->compute token that "
                        "nothing pushes; store waits at instruction 6 for a compute->store token"));
  EXPECT_THAT(findingsAfter([](Program& p) {
                p.instructions[1].tokens.pop_next = true;
                p.instructions[4].tokens.push_prev = true;
              }),
              HasSubstr("deadlock: load waits at instruction 1 for a compute->load token; compute "
                        "waits at instruction 4 for a load->compute token"));
}

TEST(Verifier, LeftOverTokensAreReported) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[1].tokens.push_next = true; }),
              HasSubstr("1 load->compute tokens are left over at the end"));
}

TEST(Verifier, FinishMustWaitForStores) {
  EXPECT_THAT(findingsAfter([](Program& p) {
                p.instructions[6].tokens.push_prev = false;
                p.instructions[7].tokens.pop_next = false;
              }),
              HasSubstr("FINISH does not wait for this store; pop its token in instruction 7"));
}

// `count` loads before the compute instruction that the first of them waits for.
Program blockedLoads(const HwConfig& hw, uint32_t count) {
  ProgramBuilder b(hw);
  const uint32_t inp = b.buffer("inp", BufferKind::kInput, 16);
  MemInsn carrier;
  b.add(Instruction::load(carrier));
  for (uint32_t i = 0; i < count; ++i) {
    b.load(ProgramBuilder::row(MemoryType::kInp, 0, 0, 1), inp,
           {.pop_next = i == 0, .push_next = i + 1 == count});
  }
  b.add(Instruction::load(carrier, {.push_prev = true}));
  b.add(Instruction::finish({.pop_prev = true}));
  return b.program;
}

TEST(Verifier, CommandQueuesAreFinite) {
  EXPECT_EQ(findingsOf(blockedLoads(kHw, 512)), "ok");
  EXPECT_THAT(findingsOf(blockedLoads(kHw, 513)),
              HasSubstr("deadlock: load waits at instruction 1 for a compute->load token; fetch "
                        "cannot pass instruction 513: the load queue is full (512)"));
  HwParams params = kHw.params();
  params.command_queue_depth = 1024;
  const HwConfig deep = *HwConfig::create(params);
  EXPECT_TRUE(verifyProgram(blockedLoads(deep, 513), deep).empty());
  EXPECT_FALSE(verifyProgram(blockedLoads(deep, 513), deep, {.compat_0_0_2 = true}).empty());
}

TEST(Verifier, TokenQueuesAreFinite) {
  HwParams params = kHw.params();
  params.token_queue_depth = 4;
  const HwConfig hw = *HwConfig::create(params);
  const auto tokens = [&](int count) {
    ProgramBuilder b(hw);
    MemInsn load;
    load.memory_type = MemoryType::kInp;
    for (int i = 0; i < count; ++i) b.add(Instruction::load(load, {.push_next = true}));
    for (int i = 0; i < count; ++i) b.add(Instruction::load(MemInsn{}, {.pop_prev = true}));
    b.add(Instruction::finish());
    return verifyProgramStatus(b.program, hw).message();
  };
  EXPECT_EQ(tokens(4), "");
  EXPECT_THAT(tokens(5),
              HasSubstr("token overflow: the load->compute queue may hold 5 tokens here; "
                        "it has room for 4"));
}

// Double-buffered GEMM: two INP slots; loads of tile k+2 wait until tile k has been used.
Program doubleBuffered(uint32_t tiles, bool wait_for_slot) {
  ProgramBuilder b(kHw);
  b.program.uops = {{0, 0, 0}, {0, 16, 0}};
  const uint32_t uop = b.buffer("uop", BufferKind::kUop, 8);
  const uint32_t inp = b.buffer("inp", BufferKind::kInput, uint64_t{tiles} * 16 * 16);
  const uint32_t wgt = b.buffer("wgt", BufferKind::kConstant, 256);
  const uint32_t out = b.buffer("out", BufferKind::kOutput, 16 * 16);
  b.load(ProgramBuilder::row(MemoryType::kUop, 0, 0, 2), uop);
  b.load(ProgramBuilder::row(MemoryType::kWgt, 0, 0, 1), wgt);
  b.add(Instruction::gemm(
      {.reset = true, .uop_end = 1, .iter_out = 1, .iter_in = 16, .dst_factor_in = 1}));
  for (uint32_t k = 0; k < tiles; ++k) {
    const bool reuses = k >= 2 && wait_for_slot;
    b.load(ProgramBuilder::row(MemoryType::kInp, k % 2 * 16, k * 16, 16), inp,
           {.pop_next = reuses, .push_next = true});
    b.add(Instruction::gemm({.uop_bgn = k % 2,
                             .uop_end = k % 2 + 1,
                             .iter_out = 1,
                             .iter_in = 16,
                             .dst_factor_in = 1,
                             .src_factor_in = 1},
                            {.pop_prev = true,
                             .push_prev = wait_for_slot && k + 2 < tiles,
                             .push_next = k + 1 == tiles}));
  }
  b.store(ProgramBuilder::row(MemoryType::kOut, 0, 0, 16), out,
          {.pop_prev = true, .push_prev = true});
  b.add(Instruction::finish({.pop_next = true}));
  return b.program;
}

TEST(Verifier, DoubleBufferingIsLegalAndNeedsItsTokens) {
  EXPECT_EQ(findingsOf(doubleBuffered(10, true)), "ok");
  EXPECT_THAT(findingsOf(doubleBuffered(10, false)), HasSubstr("race: INP["));
}

TEST(Verifier, TransposedWeightsAreWeights) {
  HwParams params;
  params.ext_transpose = true;
  const HwConfig hw = *HwConfig::create(params);
  Program program = gemmProgram(hw);
  MemInsn& mem = program.instructions[2].mem();
  mem.memory_type = MemoryType::kWgtTransposed;
  EXPECT_TRUE(verifyProgramStatus(program, hw, {.uninitialised_reads = true}).ok());
  mem.sram_base = 1024;
  EXPECT_THAT(verifyProgramStatus(program, hw).message(), HasSubstr("WGT_TRANSPOSED"));
  mem.sram_base = 0;
  std::swap(program.instructions[1].tokens, program.instructions[2].tokens);
  EXPECT_THAT(verifyProgramStatus(program, hw).message(), HasSubstr("race: WGT[0]"));
}

// What a GEMM and the ALU have made goes to INP, and from there through the same again.
Program handedOver(const HwConfig& hw, Tokens load_tokens = {.pop_next = true, .push_next = true}) {
  Program program = gemmProgram(hw);
  const uint32_t parts = handoverParts(hw);
  const std::vector<Instruction> once = program.instructions;
  program.instructions.pop_back();  // FINISH
  program.instructions.pop_back();  // STORE
  program.instructions.back().tokens = {.push_prev = load_tokens.pop_next};
  program.instructions.push_back(
      Instruction::load(contiguousRow(MemoryType::kInpFromOut, 0, 0, 4 * parts), load_tokens));
  program.instructions.push_back(once[4]);  // GEMM
  program.instructions.back().tokens = {.pop_prev = load_tokens.push_next};
  program.instructions.insert(program.instructions.end(), once.begin() + 5, once.end());
  program.relocations.back().instruction = static_cast<uint32_t>(program.instructions.size() - 2);
  return program;
}

TEST(Verifier, HandoversReadOutAndWriteInp) {
  HwParams params;
  params.ext_handover = true;
  for (const int block_out : {16, 32}) {
    params.block_out = block_out;
    const HwConfig hw = *HwConfig::create(params);
    const auto findings = [&](const Program& program) {
      return verifyProgramStatus(program, hw, {.uninitialised_reads = true}).message();
    };
    Program program = handedOver(hw);
    EXPECT_EQ(findings(program), "");
    const uint32_t parts = handoverParts(hw);
    MemInsn& mem = program.instructions[6].mem();
    mem.dram_base = parts;
    EXPECT_THAT(findings(program), HasSubstr("reads OUT[4]"));
    mem.dram_base = static_cast<uint32_t>(handoverDepth(hw)) - 1;
    EXPECT_THAT(findings(program), HasSubstr("touches OUT["));
    mem.dram_base = 0;
    mem.sram_base = hw.depthElems(MemoryType::kInp) - 1;
    EXPECT_THAT(findings(program), HasSubstr("touches INP_FROM_OUT["));
    EXPECT_THAT(findings(handedOver(hw, {.push_next = true})), HasSubstr("race: OUT[0]"));
    EXPECT_THAT(findings(handedOver(hw, {.pop_next = true})), HasSubstr("race: "));
  }
}

TEST(Verifier, HandoversHaveNoRelocation) {
  HwParams params;
  params.ext_handover = true;
  const HwConfig hw = *HwConfig::create(params);
  Program program = handedOver(hw);
  program.relocations.insert(program.relocations.end() - 1, {6, 1});
  EXPECT_THAT(verifyProgramStatus(program, hw).message(),
              HasSubstr("has a relocation but addresses no memory"));
}

TEST(Verifier, AccumulatorsMustNotChangeUnderAStore) {
  const auto twoTiles = [](bool wait) {
    Program p = gemmProgram(kHw);
    // The same accumulators again, before FINISH.
    const Instruction reset = p.instructions[3];
    Instruction store = p.instructions[6];
    p.instructions.pop_back();
    p.instructions.push_back(reset);
    p.instructions.back().tokens = {.pop_next = wait, .push_next = true};
    p.instructions.push_back(store);
    p.relocations.push_back({8, 3});
    if (!wait) p.instructions.push_back(Instruction::load(MemInsn{}, {.pop_next = true}));
    p.instructions.push_back(Instruction::finish({.pop_next = true}));
    return findingsOf(p);
  };
  EXPECT_EQ(twoTiles(true), "ok");
  EXPECT_THAT(twoTiles(false), HasSubstr("race: OUT[0] is also written by instruction 7"));
}

// Stores `tmp` and loads it again as an input.
Program throughMemory(bool wait) {
  Program p = gemmProgram(kHw);
  p.buffers[3] = {"tmp", BufferKind::kScratch, 64, 64};
  p.instructions.pop_back();
  if (wait) {
    p.instructions.push_back(Instruction::load(MemInsn{}, {.pop_next = true, .push_prev = true}));
  }
  p.relocations.push_back({static_cast<uint32_t>(p.instructions.size()), 3});
  p.instructions.push_back(Instruction::load(ProgramBuilder::row(MemoryType::kInp, 100, 3, 1),
                                             {.pop_next = wait, .push_next = true}));
  p.instructions.push_back(Instruction::finish({.pop_prev = true, .pop_next = !wait}));
  return p;
}

TEST(Verifier, LoadsOfStoredBuffersMustWaitForTheStore) {
  EXPECT_EQ(findingsOf(throughMemory(true)), "ok");
  EXPECT_THAT(findingsOf(throughMemory(false)),
              HasSubstr("race: byte 48 of buffer \"tmp\" is also"));
}

TEST(Verifier, DisjointPartsOfABufferDoNotRace) {
  Program p = throughMemory(false);
  p.buffers[3].size_bytes = 128;
  p.instructions[7].mem().dram_base = 4;
  EXPECT_EQ(findingsOf(p), "ok");
}

TEST(Verifier, LinkedProgramsAreLegalAndOrdered) {
  // The second program reads what the first one stored.
  Program first = gemmProgram(kHw, 4, "a_");
  Program second = gemmProgram(kHw, 4, "b_");
  first.buffers[3] = {"tensor", BufferKind::kScratch, 64, 64};
  second.buffers[1] = {"tensor", BufferKind::kScratch, 64, 64};
  const std::vector<Program> programs = {first, second, second};
  Result<LinkedProgram> linked = linkPrograms(programs, kHw);
  ASSERT_TRUE(linked.ok()) << linked.status().message();
  EXPECT_EQ(findingsOf(linked->program), "ok");
  EXPECT_EQ(findingsOf(linked->program, {.compat_0_0_2 = true}), "ok");
  // Without the barrier's token, the load overtakes the store.
  linked->program.instructions[7].tokens.push_prev = false;
  linked->program.instructions[9].tokens.pop_next = false;
  EXPECT_THAT(findingsOf(linked->program), HasSubstr("of buffer \"tensor\" is also"));
}

TEST(Verifier, UninitialisedReadsAreFoundOnDemand) {
  const auto after = [](const std::function<void(Program&)>& change) {
    Program program = gemmProgram(kHw);
    change(program);
    EXPECT_EQ(findingsOf(program), "ok");
    return findingsOf(program, {.uninitialised_reads = true});
  };
  EXPECT_EQ(after([](Program&) {}), "ok");
  EXPECT_THAT(after([](Program& p) { p.instructions[4].gemm().src_factor_in = 2; }),
              HasSubstr("instruction 4 (gemm) `gemm uop=0:1 iter=1x4 dst=0,1 src=0,2 wgt=0,0 "
                        "pop_prev`: reads INP[4], which the program has not written before"));
  EXPECT_THAT(after([](Program& p) { p.instructions[4].gemm().wgt_factor_in = 1; }),
              HasSubstr("reads WGT[1]"));
  EXPECT_THAT(after([](Program& p) { p.instructions[3].gemm().iter_in = 3; }),
              HasSubstr("reads ACC[3]"));
  EXPECT_THAT(after([](Program& p) {
                AluInsn& alu = p.instructions[5].alu();
                alu.use_imm = false;
                alu.src_factor_in = 2;
              }),
              HasSubstr("reads ACC[4]"));
  EXPECT_THAT(after([](Program& p) { p.instructions[6].mem().sram_base = 2; }),
              HasSubstr("reads OUT[4]"));
}

// Whatever the instructions are, the verifier comes back with an answer.
TEST(Verifier, RandomProgramsGetAnAnswer) {
  test::Rng rng(12);
  for (int round = 0; round < 400; ++round) {
    const HwConfig hw = test::randomConfig(rng);
    ProgramBuilder b(hw);
    b.buffer("uop", BufferKind::kUop, 64 * hw.uopBytes());
    b.buffer("data", BufferKind::kScratch, uint64_t{1} << test::uniform(rng, 4, 62));
    for (int i = 0; i < 64; ++i) b.program.uops.push_back(test::randomUop(rng, hw));
    b.load(ProgramBuilder::row(MemoryType::kUop, 0, 0, 2), 0);
    for (int i = 0; i < 12; ++i) {
      Instruction insn = test::randomInstruction(rng, hw);
      if (round % 2 == 0) insn.tokens = {};
      if (insn.opcode == Opcode::kFinish) continue;
      if (auto* mem = std::get_if<MemInsn>(&insn.body)) {
        if (insn.opcode == Opcode::kStore) mem->memory_type = MemoryType::kOut;
        if (insn.opcode == Opcode::kLoad && mem->memory_type == MemoryType::kOut) {
          mem->memory_type = MemoryType::kAcc;
        }
        const uint32_t buffer = mem->memory_type == MemoryType::kUop ? 0 : 1;
        insn.opcode == Opcode::kStore ? b.store(insn.mem(), buffer, insn.tokens)
                                      : b.load(insn.mem(), buffer, insn.tokens);
        continue;
      }
      // Loops that get past the checks of single instructions.
      if (auto* gemm = std::get_if<GemmInsn>(&insn.body)) {
        gemm->uop_bgn %= 2;
        gemm->uop_end = 2;
        gemm->dst_factor_out %= 3;
      }
      if (auto* alu = std::get_if<AluInsn>(&insn.body)) {
        alu->reset = false;
        alu->alu_opcode = AluOpcode::kAdd;
        alu->uop_bgn %= 2;
        alu->uop_end = 2;
        alu->dst_factor_in = alu->src_factor_in = 0;
      }
      b.add(insn);
    }
    b.add(Instruction::finish());
    const VerifyOptions options{.compat_0_0_2 = round % 3 == 0, .uninitialised_reads = true};
    EXPECT_LE(verifyProgram(b.program, hw, options).size(), 20u);
  }
}

TEST(Verifier, FindingsAreLimited) {
  Program p = doubleBuffered(50, false);
  EXPECT_EQ(verifyProgram(p, kHw, {.max_findings = 3}).size(), 3u);
  EXPECT_THAT(findingsOf(p, {.max_findings = 1}), HasSubstr("program verifier: 1 finding\n"));
}

}  // namespace
}  // namespace vta
