// docs/isa.md says what the code does: its tables, its YAML and its example.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "isa/instruction/encoding.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "isa/registers/registers.h"
#include "isa/spec/parameters.h"

namespace vta {
namespace {

const HwConfig kHw = HwConfig::makeDefault();

std::string manual() {
  std::ifstream file(VTA_SOURCE_DIR "/docs/isa.md");
  EXPECT_TRUE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

// The text between `begin` and the next `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin);
  EXPECT_NE(from, std::string::npos) << begin;
  const size_t start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

// "bits field unit" of the rows of the encoding table under `heading`.
std::vector<std::string> rowsUnder(const std::string& heading) {
  std::istringstream section(between(manual(), "\n### " + heading + "\n", "\n#"));
  std::vector<std::string> rows;
  for (std::string line; std::getline(section, line);) {
    if (!line.starts_with("| ") || line.starts_with("| bits")) continue;
    std::istringstream cells(line);
    std::string bar, bits, field, rest, cell;
    cells >> bar >> bits >> bar >> field;
    std::string unit;
    while (cells >> cell) {
      if (cell != "|") unit = cell;
    }
    rows.push_back(bits + " " + field + " " + unit);
  }
  return rows;
}

std::vector<std::string> rowsOf(const std::vector<FieldInfo>& fields) {
  std::vector<std::string> rows;
  for (const FieldInfo& f : fields) {
    const int msb = f.lsb + f.width_bits - 1;
    const std::string bits = msb == f.lsb ? std::to_string(msb) : fmt::format("{}:{}", msb, f.lsb);
    rows.push_back(fmt::format("{} `{}` {}", bits, f.name, f.unit));
  }
  return rows;
}

TEST(Manual, EncodingTablesAreTheFieldTable) {
  EXPECT_EQ(rowsUnder("FINISH"), rowsOf(instructionFields(Opcode::kFinish, kHw)));
  EXPECT_EQ(rowsUnder("LOAD, STORE"), rowsOf(instructionFields(Opcode::kLoad, kHw)));
  EXPECT_EQ(rowsUnder("LOAD, STORE"), rowsOf(instructionFields(Opcode::kStore, kHw)));
  EXPECT_EQ(rowsUnder("GEMM"), rowsOf(instructionFields(Opcode::kGemm, kHw)));
  EXPECT_EQ(rowsUnder("ALU"), rowsOf(instructionFields(Opcode::kAlu, kHw)));
  EXPECT_EQ(rowsUnder("Micro-op"), rowsOf(uopFields(kHw)));
}

TEST(Manual, RegisterTableIsTheRegisterMap) {
  const std::string text = manual();
  uint32_t previous = 0;
  for (const RegisterInfo& info : controlRegisters()) {
    EXPECT_TRUE(info.offset == 0 || info.offset > previous) << info.name;
    EXPECT_EQ(info.offset % 4, 0u) << info.name;
    previous = info.offset;
    const std::string row = fmt::format("\n| 0x{:02X} | `{}` | {} | {} |", info.offset, info.name,
                                        registerAccessName(info.access), info.description());
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

TEST(Manual, YamlIsTheDefaultConfiguration) {
  const Result<HwConfig> hw = parseHwConfig(between(manual(), "```yaml\n", "```"), "manual");
  ASSERT_TRUE(hw.ok()) << hw.status().message();
  EXPECT_EQ(hw->params(), kHw.params());
}

TEST(Manual, ConfigurationTableIsTheTableOfParameters) {
  std::string table;
  for (const Parameter& p : parameters()) {
    const std::string value = p.kind == ParameterKind::kText ? "" : valueText(p, kHw.params());
    table += fmt::format("| `{}` | {} | {} | {} |\n", p.fullKey(), legalText(p),
                         value.empty() ? "" : fmt::format("`{}`", value), p.doc);
  }
  EXPECT_NE(manual().find("|---|---|---|---|\n" + table + "\n"), std::string::npos) << table;
}

TEST(Manual, MemoryTableIsTheTableOfMemories) {
  for (const MemoryInfo& memory : memories()) {
    const std::string row = fmt::format(
        "\n| {} | {} | {} |{}|", memory.name, static_cast<int>(memory.type), memory.element,
        memory.layout.empty() ? " " : fmt::format(" {} ", memory.layout));
    EXPECT_NE(manual().find(row), std::string::npos) << row;
  }
}

TEST(Manual, AssemblerExampleIsALegalProgram) {
  const Result<Program> program = assemble(between(manual(), "```vta-asm\n", "```"), "manual", kHw);
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(program->instructions.size(), 9u);
  const Status status = verifyProgramStatus(*program, kHw);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Manual, OpcodesAndMemoryTypesHaveTheirCodes) {
  const std::string text = manual();
  for (int code = 0; code < kMemoryTypeCount; ++code) {
    const std::string row =
        fmt::format("\n| {} | {} |", memoryTypeName(static_cast<MemoryType>(code)), code);
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
  for (int code = 0; code <= 4; ++code) {
    const std::string name = fmt::format("{} {}", opcodeName(static_cast<Opcode>(code)), code);
    EXPECT_NE(text.find(name), std::string::npos) << name;
  }
}

std::string operandText(AluOperand operand) {
  switch (operand) {
    case AluOperand::kTensorOrImmediate:
      return "either";
    case AluOperand::kTensor:
      return "tensor";
    case AluOperand::kImmediate:
      return "immediate";
    case AluOperand::kPair:
      return "pair";
  }
  return "";
}

std::string immediateText(AluImmediate immediate) {
  switch (immediate) {
    case AluImmediate::kNumber:
      return "y";
    case AluImmediate::kShift:
      return fmt::format("0 to {}", kMaxAluShift);
    case AluImmediate::kByteRange:
      return "bounds";
    case AluImmediate::kZero:
      return "0";
  }
  return "";
}

TEST(Manual, AluOperationsAreTheTable) {
  std::string rows = "|---|---|---|---|---|---|\n";
  for (const AluOperation& operation : kAluOperations) {
    const bool is_base = operation.extension == nullptr;
    rows += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", static_cast<int>(operation.opcode), operation.name,
        is_base ? "base" : fmt::format("`{}`", extensionName(operation.extension)),
        operandText(operation.operand), immediateText(operation.immediate), operation.meaning);
  }
  EXPECT_NE(manual().find(rows + "\n"), std::string::npos) << "docs/isa.md needs:\n" << rows;
}

}  // namespace
}  // namespace vta
