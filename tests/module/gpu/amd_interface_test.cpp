#include "module/gpu/amd_interface.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "module/gpu/gpu_program.h"

namespace vta {
namespace {

using ::testing::HasSubstr;

/// What the reader looks at: a header, the sections' names, a table of symbols and its names.
struct CodeObject {
  Elf64_Ehdr header{};
  Elf64_Shdr symbols_section{}, names_section{};
  Elf64_Sym symbols[2]{};
  char names[16] = "\0compute.kd";

  CodeObject() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = EM_AMDGPU;
    header.e_shoff = offsetof(CodeObject, symbols_section);
    header.e_shnum = 2;
    symbols_section.sh_type = SHT_DYNSYM;
    symbols_section.sh_offset = offsetof(CodeObject, symbols);
    symbols_section.sh_size = sizeof(symbols);
    symbols_section.sh_link = 1;
    names_section.sh_type = SHT_STRTAB;
    names_section.sh_offset = offsetof(CodeObject, names);
    names_section.sh_size = sizeof(names);
    symbols[1].st_name = 1;
    symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbols[1].st_shndx = 5;
    symbols[1].st_size = 64;
  }

  std::vector<std::byte> bytes() const {
    std::vector<std::byte> result(sizeof(*this));
    std::memcpy(result.data(), this, sizeof(*this));
    return result;
  }
};

struct ObjectMistake {
  const char* message;
  std::function<void(CodeObject&)> make;
};
class AmdCodeMistake : public ::testing::TestWithParam<ObjectMistake> {};

TEST_P(AmdCodeMistake, IsNamed) {
  CodeObject object;
  ASSERT_EQ(amdCodeProblem(object.bytes(), "compute"), "");
  GetParam().make(object);
  EXPECT_EQ(amdCodeProblem(object.bytes(), "compute"), GetParam().message);
}

constexpr const char* kNoCode = "is no code object for AMD's GPUs";
constexpr const char* kNoKernel = "has no kernel 'compute'";
const ObjectMistake kObjectMistakes[] = {
    {kNoCode, [](CodeObject& o) { o.header.e_ident[0] = 'E'; }},
    {kNoCode, [](CodeObject& o) { o.header.e_ident[EI_CLASS] = ELFCLASS32; }},
    {kNoCode, [](CodeObject& o) { o.header.e_ident[EI_DATA] = ELFDATA2MSB; }},
    {kNoCode, [](CodeObject& o) { o.header.e_machine = EM_X86_64; }},
    {kNoCode, [](CodeObject& o) { o.header.e_type = ET_REL; }},
    {kNoCode, [](CodeObject& o) { o.header.e_shoff = sizeof(CodeObject); }},
    {kNoCode, [](CodeObject& o) { o.header.e_shoff = ~uint64_t{0} - 8; }},
    {kNoCode, [](CodeObject& o) { o.symbols_section.sh_offset = sizeof(CodeObject) + 1; }},
    {kNoCode, [](CodeObject& o) { o.symbols_section.sh_size = ~uint64_t{0}; }},
    {kNoCode, [](CodeObject& o) { o.symbols_section.sh_link = 9; }},
    {kNoKernel, [](CodeObject& o) { o.header.e_shnum = 0; }},
    {kNoKernel, [](CodeObject& o) { o.symbols_section.sh_size = sizeof(Elf64_Sym); }},
    {kNoKernel, [](CodeObject& o) { o.symbols[1].st_name = 2; }},
    {kNoKernel, [](CodeObject& o) { o.symbols[1].st_name = 4'000'000'000; }},
    {kNoKernel, [](CodeObject& o) { o.symbols[1].st_size = 32; }},
    {kNoKernel, [](CodeObject& o) { o.symbols[1].st_shndx = SHN_UNDEF; }},
    {kNoKernel, [](CodeObject& o) { o.symbols[1].st_info = STT_FUNC; }},
    {kNoKernel, [](CodeObject& o) { o.names[11] = 's'; }},
    {kNoKernel, [](CodeObject& o) { o.names_section.sh_size = 11; }},
};
INSTANTIATE_TEST_SUITE_P(All, AmdCodeMistake, ::testing::ValuesIn(kObjectMistakes));

TEST(AmdCode, EveryCutIsRefused) {
  const std::vector<std::byte> bytes = CodeObject().bytes();
  const size_t used = offsetof(CodeObject, names) + sizeof(CodeObject::names);
  for (size_t size = 0; size < used; ++size) {
    EXPECT_NE(amdCodeProblem(std::span(bytes).first(size), "compute"), "") << size;
  }
}

GpuProgram programWith(GpuCode code) {
  GpuProgram program;
  program.kernels = {{.name = "k", .codes = {std::move(code)}}};
  return program;
}

GpuCode amdCode(const std::string& target) {
  return {GpuCodeForm::kAmdCode, "compute", target, {}, CodeObject().bytes()};
}

TEST(AmdCode, IsPartOfPrograms) {
  for (const char* target : {"gfx90a", "gfx1100", "gfx906"}) {
    const GpuProgram program = programWith(amdCode(target));
    const auto bytes = serializeGpuProgram(program);
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    EXPECT_EQ(*parseGpuProgram(*bytes), program);
  }
  for (const char* target : {"", "gfx", "gfx9", "gfx90a12", "gfx90z", "gfx000", "sm_80"}) {
    EXPECT_THAT(checkGpuProgram(programWith(amdCode(target))).message(),
                HasSubstr("AMD code object of kernel 0 'k' is for the unknown target '" +
                          std::string(target) + "'"));
  }
  GpuCode other = amdCode("gfx90a");
  other.entry_point = "other";
  EXPECT_THAT(checkGpuProgram(programWith(other)).message(),
              HasSubstr("AMD code object of kernel 0 'k' has no kernel 'other'"));
}

TEST(WgslCode, IsATextWithoutATarget) {
  const std::string text = "@compute @workgroup_size(1) fn main() {}";
  const auto bytes = std::as_bytes(std::span(text));
  GpuCode code{GpuCodeForm::kWgsl, "main", "", {}, {bytes.begin(), bytes.end()}};
  const GpuProgram program = programWith(code);
  EXPECT_EQ(*parseGpuProgram(*serializeGpuProgram(program)), program);
  code.target = "gfx90a";
  EXPECT_THAT(checkGpuProgram(programWith(code)).message(),
              HasSubstr("WGSL of kernel 0 'k' is for the unknown target 'gfx90a'"));
  code.target = "";
  code.code.clear();
  EXPECT_THAT(checkGpuProgram(programWith(code)).message(),
              HasSubstr("WGSL of kernel 0 'k' is not a text"));
}

}  // namespace
}  // namespace vta
