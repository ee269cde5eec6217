// The published test programs: instruction streams that this project did not write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "isa/instruction/encoding.h"
#include "isa/program/program.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"

namespace vta {
namespace {

const std::filesystem::path kDir = VTA_SOURCE_DIR "/../shared/conformance";

std::vector<std::byte> gunzip(const std::filesystem::path& path) {
  std::vector<std::byte> bytes;
  FILE* pipe = popen(("gzip -dc '" + path.string() + "'").c_str(), "r");
  std::byte chunk[65536];
  for (size_t n = 0; (n = fread(chunk, 1, sizeof(chunk), pipe)) > 0;) {
    bytes.insert(bytes.end(), chunk, chunk + n);
  }
  EXPECT_EQ(pclose(pipe), 0) << path;
  return bytes;
}

// The number after `"key": ` in a flat JSON object.
size_t numberIn(const std::string& json, const std::string& key) {
  const size_t at = json.find('"' + key + '"');
  EXPECT_NE(at, std::string::npos);
  return std::strtoull(json.c_str() + json.find(':', at) + 1, nullptr, 10);
}

class ConformanceTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const std::string stem = (kDir / std::to_string(GetParam())).string();
    if (!std::filesystem::exists(stem + ".json")) GTEST_SKIP() << stem << ".json is not there";
    image_ = gunzip(stem + ".pre.img.gz");
    std::ifstream file(stem + ".json");
    const std::string json{std::istreambuf_iterator<char>(file), {}};
    const size_t count = numberIn(json, "insn_count");
    stream_ = std::span(image_).subspan(numberIn(json, "insn_addr"), count * 16);
  }

  // The stream as a program: every address is an offset into one buffer that is the whole memory.
  Program program() const {
    Program program;
    program.hw_fingerprint = hw_.fingerprint();
    program.encoding = hw_.encoding();
    program.buffers = {{"micro-ops", BufferKind::kUop, image_.size(), 1},
                       {"memory", BufferKind::kScratch, image_.size(), 1}};
    for (size_t at = 0; at < stream_.size(); at += 16) {
      const Result<Instruction> insn = decodeInstruction(stream_.subspan(at), hw_);
      EXPECT_TRUE(insn.ok()) << insn.status().message();
      const auto* mem = std::get_if<MemInsn>(&insn->body);
      if (mem != nullptr && mem->x_size > 0) {
        const uint32_t buffer = mem->memory_type == MemoryType::kUop ? 0 : 1;
        program.relocations.push_back({static_cast<uint32_t>(at / 16), buffer});
      }
      program.instructions.push_back(*insn);
    }
    for (size_t at = 0; at + 4 <= image_.size(); at += 4) {
      program.uops.push_back(decodeUop(std::span(image_).subspan(at), hw_));
    }
    return program;
  }

  HwConfig hw_ = *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml");
  std::vector<std::byte> image_;
  std::span<const std::byte> stream_;
};

TEST_P(ConformanceTest, DecodesAndEncodesToTheSameBits) {
  // Bits that the published field layout calls part of a field all survive.
  for (size_t at = 0; at < stream_.size(); at += 16) {
    const Result<Instruction> insn = decodeInstruction(stream_.subspan(at), hw_);
    ASSERT_TRUE(insn.ok()) << insn.status().message();
    std::vector<std::byte> again;
    ASSERT_TRUE(encodeInstruction(*insn, hw_, again).ok());
    EXPECT_EQ(again, std::vector(stream_.begin() + at, stream_.begin() + at + 16))
        << disassemble(*insn);
  }
}

TEST_P(ConformanceTest, IsLegal) {
  HwParams params = hw_.params();
  params.compat_0_0_2 = false;
  const Status status = verifyProgramStatus(program(), *HwConfig::create(params));
  EXPECT_TRUE(status.ok()) << status.message();
}

// Programs 1 and 2 name another src in their immediate operations, which the HLS hardware and the
// published simulator ignore but not every implementation does. Nothing else is to be found.
TEST_P(ConformanceTest, IsInsideTheCommonSubsetButForSrcOfImmediateOperations) {
  const std::vector<VerifyFinding> findings = verifyProgram(program(), hw_);
  EXPECT_EQ(findings.empty(), GetParam() > 2);
  for (const VerifyFinding& finding : findings) {
    EXPECT_THAT(finding.message,
                ::testing::HasSubstr("an immediate operation with src other than dst"));
  }
}

TEST_P(ConformanceTest, SurvivesBinaryAndTextForm) {
  const Program original = program();
  const Result<std::vector<std::byte>> bytes = serializeProgram(original, hw_);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  EXPECT_EQ(*deserializeProgram(*bytes, hw_), original);
  const Result<Program> text = assemble(disassembleProgram(original, hw_), "text", hw_);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(*text, original);
}

INSTANTIATE_TEST_SUITE_P(Published, ConformanceTest, ::testing::Range(1, 7));

}  // namespace
}  // namespace vta
