#include "isa/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/hash.h"
#include "isa/instruction/encoding.h"
#include "tests/isa/config/random_config.h"
#include "tests/isa/program/sample_program.h"

namespace vta {
namespace {

using test::gemmProgram;
using ::testing::HasSubstr;

const HwConfig kHw = HwConfig::makeDefault();

std::vector<std::byte> serialized(const Program& program, const HwConfig& hw = kHw) {
  Result<std::vector<std::byte>> bytes = serializeProgram(program, hw);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return *bytes;
}

std::string structureError(const std::function<void(Program&)>& damage) {
  Program program = gemmProgram(kHw);
  damage(program);
  const Status status = checkProgramStructure(program, kHw);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(serializeProgram(program, kHw).ok());
  return status.message();
}

TEST(Program, SymbolAtFindsTheCoveringSymbol) {
  Program program;
  program.symbols = {{2, "a"}, {5, "b"}};
  EXPECT_EQ(program.symbolAt(1), "");
  EXPECT_EQ(program.symbolAt(2), "a");
  EXPECT_EQ(program.symbolAt(4), "a");
  EXPECT_EQ(program.symbolAt(5), "b");
  EXPECT_EQ(program.symbolAt(500), "b");
}

TEST(Program, BufferKindsHaveNames) {
  EXPECT_EQ(bufferKindName(BufferKind::kUop), "uop");
  EXPECT_EQ(bufferKindName(BufferKind::kScratch), "scratch");
  EXPECT_EQ(bufferKindName(static_cast<BufferKind>(9)), "illegal");
}

TEST(Program, StructureErrorsSayWhatIsWrong) {
  EXPECT_THAT(structureError([](Program& p) { p.instructions.pop_back(); }),
              HasSubstr("does not end with FINISH"));
  EXPECT_THAT(structureError([](Program& p) { p.hw_fingerprint ^= 1; }),
              HasSubstr("another hardware configuration"));
  EXPECT_THAT(structureError([](Program& p) { p.encoding = Encoding::kWide; }),
              HasSubstr("wide encoding, \"default\" has"));
  EXPECT_THAT(structureError([](Program& p) { p.relocations.erase(p.relocations.begin() + 1); }),
              HasSubstr("instruction 1 (LOAD) addresses memory but has no relocation"));
  EXPECT_THAT(structureError([](Program& p) { p.relocations[3].instruction = 5; }),
              HasSubstr("instruction 5 (ALU) has a relocation but addresses no memory"));
  EXPECT_THAT(structureError([](Program& p) { p.relocations[2].buffer = 9; }),
              HasSubstr("relocation of instruction 2 names buffer 9 of 4"));
  EXPECT_THAT(structureError([](Program& p) {
                p.relocations.push_back({6, 3});
              }),
              HasSubstr("relocation 4 (of instruction 6) is out of order"));
  EXPECT_THAT(structureError([](Program& p) { p.relocations[1].buffer = 0; }),
              HasSubstr("relocates a data access to buffer \"uop\" of kind uop"));
  EXPECT_THAT(structureError([](Program& p) { p.relocations[0].buffer = 1; }),
              HasSubstr("relocates a micro-op access to buffer \"inp\" of kind input"));
  EXPECT_THAT(structureError([](Program& p) { p.symbols[0].first_instruction = 8; }),
              HasSubstr("symbol \"gemm\" at instruction 8 is past the end (8 instructions)"));
  EXPECT_THAT(structureError([](Program& p) {
                p.symbols = {{3, "b"}, {1, "a"}};
              }),
              HasSubstr("symbol \"a\" at instruction 1 is out of order"));
  EXPECT_THAT(structureError([](Program& p) { p.buffers[1].alignment_bytes = 3; }),
              HasSubstr("buffer \"inp\" has alignment 3; legal: powers of two"));
  EXPECT_THAT(structureError([](Program& p) { p.buffers[0].size_bytes = 3; }),
              HasSubstr("micro-op buffer \"uop\" has 3 bytes"));
  EXPECT_THAT(structureError([](Program& p) { p.buffers[1].kind = BufferKind::kUop; }),
              HasSubstr("1 micro-ops and 2 micro-op buffers"));
}

TEST(Program, BinaryFormRoundTripsOnEveryEncoding) {
  const HwConfig wide = *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/wide.yaml");
  for (const HwConfig& hw : {kHw, wide}) {
    const Program program = gemmProgram(hw);
    const Result<Program> again = deserializeProgram(serialized(program, hw), hw);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(*again, program);
  }
}

TEST(Program, RandomInstructionsSurviveTheBinaryForm) {
  test::Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    const HwConfig hw = test::randomConfig(rng);
    test::ProgramBuilder b(hw);
    b.buffer("u", BufferKind::kUop, 100 * hw.uopBytes());
    b.buffer("d", BufferKind::kScratch, 100);
    for (int k = 0; k < 100; ++k) b.program.uops.push_back(test::randomUop(rng, hw));
    for (int k = 0; k < 100; ++k) {
      const Instruction insn = test::randomInstruction(rng, hw);
      if (!std::holds_alternative<MemInsn>(insn.body)) {
        b.add(insn);
      } else if (insn.mem().memory_type == MemoryType::kUop) {
        b.load(insn.mem(), 0, insn.tokens);
      } else {
        b.store(insn.mem(), 1, insn.tokens);
      }
    }
    b.program.symbols = {{0, "first"}, {50, "with \"odd\"\ncharacters"}};
    b.add(Instruction::finish());
    const Result<Program> again = deserializeProgram(serialized(b.program, hw), hw);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(*again, b.program);
  }
}

TEST(Program, ValuesThatDoNotFitAreNamedWithTheirInstruction) {
  Program program = gemmProgram(kHw);
  program.instructions[4].gemm().iter_in = 1 << 14;
  EXPECT_THAT(serializeProgram(program, kHw).status().message(),
              HasSubstr("instruction 4: GEMM field iter_in is 16384"));
  program = gemmProgram(kHw);
  program.uops[0].dst_idx = 2048;
  EXPECT_THAT(serializeProgram(program, kHw).status().message(),
              HasSubstr("micro-op 0: micro-op field dst_idx is 2048"));
}

TEST(Program, EveryTruncationIsAnError) {
  const std::vector<std::byte> bytes = serialized(gemmProgram(kHw));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(deserializeProgram(std::span(bytes).first(size), kHw).ok()) << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(deserializeProgram(longer, kHw).ok());
}

TEST(Program, EveryChangedByteIsAnErrorOrHarmless) {
  const std::vector<std::byte> bytes = serialized(gemmProgram(kHw));
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::vector<std::byte> changed = bytes;
    changed[at] ^= std::byte{0x41};
    const bool reserved = at >= 11 && at < 16;
    EXPECT_EQ(deserializeProgram(changed, kHw).ok(), reserved) << at;
  }
}

// With the checksum made right again the parser itself must stand any bytes.
TEST(Program, CorruptPayloadsWithValidChecksumsNeverCrash) {
  const std::vector<std::byte> bytes = serialized(gemmProgram(kHw));
  test::Rng rng(6);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> changed = bytes;
    for (int k = 0; k < 1 + i % 4; ++k) {
      const auto at = static_cast<size_t>(test::uniform(rng, 32, int64_t(bytes.size()) - 1));
      changed[at] = static_cast<std::byte>(test::uniform(rng, 0, 255));
    }
    if (i % 3 == 0)
      changed.resize(static_cast<size_t>(test::uniform(rng, 60, int64_t(bytes.size()))));
    const uint64_t checksum = hashBytes(std::span(changed).subspan(24));
    for (int k = 0; k < 8; ++k) changed[16 + k] = static_cast<std::byte>(checksum >> (8 * k));
    const Result<Program> program = deserializeProgram(changed, kHw);
    if (!program.ok()) continue;
    ++accepted;
    EXPECT_TRUE(checkProgramStructure(*program, kHw).ok());
  }
  EXPECT_GT(accepted, 0);
}

TEST(Program, HeaderErrorsTellThemApart) {
  std::vector<std::byte> bytes = serialized(gemmProgram(kHw));
  EXPECT_THAT(deserializeProgram({}, kHw).status().message(), HasSubstr("not a VTA program"));
  EXPECT_THAT(deserializeProgram(bytes, *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/wide.yaml"))
                  .status()
                  .message(),
              HasSubstr("built for another hardware configuration"));
  EXPECT_THAT(deserializeProgram(std::span(bytes).first(40), kHw).status().message(),
              HasSubstr("header is truncated"));
  EXPECT_THAT(deserializeProgram(std::span(bytes).first(100), kHw).status().message(),
              HasSubstr("checksum does not match"));
  bytes[8] = std::byte{2};
  const Status version = deserializeProgram(bytes, kHw).status();
  EXPECT_EQ(version.code(), StatusCode::kUnsupported);
  EXPECT_THAT(version.message(), HasSubstr("version 2 is not supported; this build reads 1"));
}

TEST(Program, InstructionStreamHasAddressesAdded) {
  const Program program = gemmProgram(kHw);
  const std::vector<uint64_t> addresses = {0x1000, 0x2000, 0x3000, 0x4000};
  const Result<std::vector<std::byte>> stream = encodeInstructionStream(program, kHw, addresses);
  ASSERT_TRUE(stream.ok()) << stream.status().message();
  ASSERT_EQ(stream->size(), program.instructions.size() * 16);
  const uint32_t expected[] = {0x1000 / 4, 0x2000 / 16, 0x3000 / 256};
  for (int i = 0; i < 3; ++i) {
    const auto insn = decodeInstruction(std::span(*stream).subspan(i * 16), kHw);
    EXPECT_EQ(insn->mem().dram_base, expected[i]);
  }
  EXPECT_EQ(decodeInstruction(std::span(*stream).subspan(6 * 16), kHw)->mem().dram_base,
            0x4000u / 16);
}

TEST(Program, UnreachableAddressesAreErrors) {
  const Program program = gemmProgram(kHw);
  const auto errorWith = [&](std::vector<uint64_t> addresses) {
    return encodeInstructionStream(program, kHw, addresses).status().message();
  };
  EXPECT_THAT(errorWith({0, 0, 0x80, 0}),
              HasSubstr("buffer \"wgt\" at address 0x80 cannot be reached by instruction 2: WGT "
                        "elements need a multiple of 256 bytes"));
  EXPECT_THAT(errorWith({uint64_t{1} << 34, 0, 0, 0}),
              HasSubstr("element 4294967296 does not fit the 32 bits of dram_base"));
  EXPECT_THAT(errorWith({0, 0, 0}), HasSubstr("has 4 buffers, 3 addresses were given"));
}

TEST(Program, UopStreamHoldsTheEncodedMicroOps) {
  Program program = gemmProgram(kHw);
  program.uops = {{1, 2, 3}, {4, 5, 6}};
  const Result<std::vector<std::byte>> stream = encodeUopStream(program, kHw);
  ASSERT_EQ(stream->size(), 8u);
  EXPECT_EQ(decodeUop(std::span(*stream).subspan(4), kHw), (Uop{4, 5, 6}));
}

}  // namespace
}  // namespace vta
