#include "module/gpu/amd_interface.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>

#include "base/bytes/byte_reader.h"

namespace vta {
namespace {

/// Of what the runtime reads to launch a kernel.
constexpr uint64_t kDescriptorBytes = 64;

/// A section of a code object; nothing where it does not lie inside.
std::optional<Elf64_Shdr> amdSection(std::span<const std::byte> code, const Elf64_Ehdr& header,
                                     uint32_t number) {
  if (header.e_shoff > code.size()) return {};
  const auto section = readAt<Elf64_Shdr>(code, header.e_shoff + sizeof(Elf64_Shdr) * number);
  if (!section || section->sh_offset > code.size() ||
      section->sh_size > code.size() - section->sh_offset) {
    return {};
  }
  return section;
}

/// Whether the text of `strings` from `at` on, up to a zero, is `name`.
bool isNameAt(std::span<const std::byte> strings, uint64_t at, std::string_view name) {
  return at < strings.size() && name.size() < strings.size() - at &&
         std::memcmp(strings.data() + at, name.data(), name.size()) == 0 &&
         strings[at + name.size()] == std::byte{0};
}

/// Whether the table of symbols has a kernel's descriptor called `name`.
bool hasDescriptor(std::span<const std::byte> symbols, std::span<const std::byte> strings,
                   std::string_view name) {
  for (uint64_t at = 0; const auto symbol = readAt<Elf64_Sym>(symbols, at);
       at += sizeof(Elf64_Sym)) {
    const bool is_descriptor = ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
                               symbol->st_shndx != SHN_UNDEF && symbol->st_size == kDescriptorBytes;
    if (is_descriptor && isNameAt(strings, symbol->st_name, name)) return true;
  }
  return false;
}

}  // namespace

std::string amdCodeProblem(std::span<const std::byte> code, std::string_view entry_point) {
  constexpr const char* kNoObject = "is no code object for AMD's GPUs";
  const auto header = readAt<Elf64_Ehdr>(code, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != EM_AMDGPU || header->e_type != ET_DYN) {
    return kNoObject;
  }
  for (uint32_t i = 0; i < header->e_shnum; ++i) {
    const auto section = amdSection(code, *header, i);
    if (!section) return kNoObject;
    if (section->sh_type != SHT_DYNSYM) continue;
    const auto names = amdSection(code, *header, section->sh_link);
    if (!names) return kNoObject;
    if (hasDescriptor(code.subspan(section->sh_offset, section->sh_size),
                      code.subspan(names->sh_offset, names->sh_size),
                      fmt::format("{}.kd", entry_point))) {
      return "";
    }
  }
  return fmt::format("has no kernel '{}'", entry_point);
}

}  // namespace vta
