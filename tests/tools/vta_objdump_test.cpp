#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "isa/program/program.h"
#include "isa/program/text/assembler.h"
#include "tests/isa/program/sample_program.h"

namespace vta {
namespace {

using test::gemmProgram;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const HwConfig kHw = HwConfig::makeDefault();

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class ObjdumpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::path(::testing::TempDir()) /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path path = dir_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  std::string write(const std::string& name, const Program& program, const HwConfig& hw) const {
    const std::vector<std::byte> bytes = *serializeProgram(program, hw);
    return write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  Outcome run(const std::string& arguments) const {
    const std::string err_path = (dir_ / "stderr").string();
    const std::string command =
        std::string(VTA_BINARY_DIR "/bin/vta-objdump ") + arguments + " 2> " + err_path;
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> chunk{};
    for (size_t n = 0; (n = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
      outcome.out.append(chunk.data(), n);
    }
    outcome.exit_code = WEXITSTATUS(pclose(pipe));
    std::ifstream err(err_path);
    outcome.err.assign(std::istreambuf_iterator<char>(err), {});
    return outcome;
  }

  std::filesystem::path dir_;
};

// The buffers of gemmProgram, and what stands in them; `vta-run --image` runs such a file in the
// tutorial on programs.
TEST_F(ObjdumpTest, WritesAMemoryImage) {
  const Program program = gemmProgram(kHw);
  const std::string file = write("p.vtaprog", program, kHw);
  const std::string weights = write("w.bin", std::string(256, 'w'));
  const std::string image = (dir_ / "p.img").string();
  const Outcome outcome = run(file + " --verify --image " + image + " --data wgt=" + weights);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("vta-run --image " + image + " --address 0x10000"));

  std::ifstream stream(image, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const size_t instruction_bytes = program.instructions.size() * kHw.instructionBytes();
  ASSERT_GT(bytes.size(), instruction_bytes);
  const size_t at = bytes.find(std::string(256, 'w'));
  ASSERT_NE(at, std::string::npos);
  EXPECT_GE(at, instruction_bytes);
  EXPECT_EQ(at % 256, 0u);
}

TEST_F(ObjdumpTest, RefusesDataThatDoesNotFitTheImage) {
  const std::string file = write("p.vtaprog", gemmProgram(kHw), kHw);
  const std::string image = (dir_ / "p.img").string();
  const std::string small = write("s.bin", "abc");
  const auto expectError = [&](const std::string& data, const std::string& part) {
    const Outcome outcome = run(file + " --image " + image + " " + data);
    EXPECT_EQ(outcome.exit_code, 1) << data;
    EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_FALSE(std::filesystem::exists(image)) << data;
  };
  expectError("--data wgt=" + small, "the file has 3 bytes, the buffer 256");
  expectError("--data uop=" + small, "no such buffer for data; it has: inp, wgt, out");
  expectError("--data wgt", "not BUFFER=FILE");
  expectError("--data wgt=" + dir_.string() + "/none", "none");
  EXPECT_EQ(run(file + " --data wgt=" + small).exit_code, 2);
  EXPECT_EQ(run(file + " --image " + image + " --asm").exit_code, 2);
}

TEST_F(ObjdumpTest, PrintsAProgramForPeople) {
  const Outcome outcome = run(write("p.vtaprog", gemmProgram(kHw), kHw));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("program for default: 1x16x16"));
  EXPECT_THAT(outcome.out, HasSubstr("8 instructions, 1 micro-ops, 4 buffers"));
  EXPECT_THAT(outcome.out, HasSubstr("     2  wgt   constant           256    256"));
  EXPECT_THAT(outcome.out, HasSubstr("<gemm>\n     0  compute  load uop sram=0 dram=0 size=1x1 "
                                     "stride=1  ; dram in uop\n     1  load     load inp"));
  EXPECT_THAT(outcome.out, HasSubstr("     7  compute  finish pop_next"));
}

TEST_F(ObjdumpTest, PrintsJsonWithTheEncodingsFields) {
  Program program = gemmProgram(kHw);
  program.instructions[5].alu().imm = -4;
  const Outcome outcome = run(write("p.vtaprog", program, kHw) + " --json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["encoding"], "base");
  ASSERT_EQ(json["instructions"].size(), 8u);
  EXPECT_EQ(json["instructions"][4]["fields"]["iter_in"], 4);
  EXPECT_EQ(json["instructions"][5]["fields"]["imm"], -4);
  EXPECT_EQ(json["instructions"][6]["buffer"], 3);
  EXPECT_EQ(json["instructions"][6]["unit"], "store");
  EXPECT_TRUE(json["instructions"][3]["buffer"].is_null());
  EXPECT_EQ(json["buffers"][1]["size_bytes"], 64);
  EXPECT_EQ(json["uops"][0], (nlohmann::json{0, 0, 0}));
}

TEST_F(ObjdumpTest, AssemblerTextReadsBack) {
  const std::string binary = write("p.vtaprog", gemmProgram(kHw), kHw);
  const Outcome outcome = run(binary + " --asm");
  EXPECT_EQ(*assemble(outcome.out, "out", kHw), gemmProgram(kHw));
  const std::string text = write("p.s", outcome.out);
  EXPECT_EQ(run(text).out, run(binary).out);
}

TEST_F(ObjdumpTest, OtherConfigurationsNeedTheirFile) {
  const std::string wide_file = VTA_SOURCE_DIR "/configs/hw/wide.yaml";
  const HwConfig wide = *loadHwConfig(wide_file);
  const std::string file = write("p.vtaprog", gemmProgram(wide), wide);
  EXPECT_EQ(run(file + " --hw " + wide_file).exit_code, 0);
  const Outcome outcome = run(file);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("built for another hardware configuration"));
}

TEST_F(ObjdumpTest, VerificationDecidesTheExitCode) {
  Program program = gemmProgram(kHw);
  EXPECT_EQ(run(write("good.vtaprog", program, kHw) + " --verify --compat 0.0.2").exit_code, 0);
  program.instructions[4].tokens.pop_prev = false;
  const Outcome outcome = run(write("bad.vtaprog", program, kHw) + " --verify");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("instructions"));
  EXPECT_THAT(outcome.err, HasSubstr("race: INP[0]"));
  program = gemmProgram(kHw);
  program.instructions[5].alu().alu_opcode = AluOpcode::kMul;
  const std::string mul = write("mul.vtaprog", program, kHw);
  EXPECT_EQ(run(mul + " --verify").exit_code, 0);
  EXPECT_THAT(run(mul + " --compat 0.0.2").err, HasSubstr("MUL is outside the common subset"));
}

TEST_F(ObjdumpTest, BadInputIsOneMessageAndExitCodeOne) {
  const std::string good = write("p.vtaprog", gemmProgram(kHw), kHw);
  const std::pair<std::string, std::string> cases[] = {
      {(dir_ / "absent").string(), "absent': No such file or directory"},
      {dir_.string(), "is a directory"},
      {write("empty", ""), "empty: the file is empty"},
      {write("zeros", std::string(100, '\0')), "neither a VTA program nor assembler text"},
      {write("cut", "VTAPROG"), "not a VTA program"},
      {write("text", "hello world\n"), "text:1:1: unknown instruction \"hello\""},
      {good + " --hw " + (dir_ / "none.yaml").string(), "no such hardware configuration file"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << arguments;
    EXPECT_THAT(outcome.err, StartsWith("vta-objdump: error: "));
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(ObjdumpTest, WrongUsageIsExitCodeTwo) {
  const std::string good = write("p.vtaprog", gemmProgram(kHw), kHw);
  for (const std::string& arguments :
       {std::string(), good + " --frobnicate", good + " --compat 0.0.1", good + " --asm --json"}) {
    EXPECT_EQ(run(arguments).exit_code, 2) << arguments;
  }
}

TEST_F(ObjdumpTest, HelpHasExamplesAndVersionHasANumber) {
  const Outcome help = run("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("Examples:"));
  EXPECT_THAT(run("--version").out, StartsWith("vta-objdump 0."));
}

}  // namespace
}  // namespace vta
