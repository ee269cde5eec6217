#include "compiler/module/data_object.h"

#include <elf.h>
#include <fmt/format.h>
#include <llvm/TargetParser/Triple.h>

#include <cstring>

#include "module/module_file.h"
#include "module/module_info.h"
#include "module/module_info_check.h"

namespace vta::compiler {
namespace {

struct Elf32Types {
  using Ehdr = Elf32_Ehdr;
  using Shdr = Elf32_Shdr;
  using Sym = Elf32_Sym;
  static constexpr unsigned char kClass = ELFCLASS32;
};
struct Elf64Types {
  using Ehdr = Elf64_Ehdr;
  using Shdr = Elf64_Shdr;
  using Sym = Elf64_Sym;
  static constexpr unsigned char kClass = ELFCLASS64;
};

// Section numbers and the string table they share with the symbol.
enum SectionNumber { kNull, kData, kSymbols, kStrings, kSectionCount };
constexpr std::string_view kStringTable("\0.rodata.vta\0.symtab\0.strtab\0vta_module_header\0", 47);

uint32_t stringOffset(std::string_view text) {
  return static_cast<uint32_t>(kStringTable.find(text));
}

class ByteWriter {
 public:
  explicit ByteWriter(size_t capacity_bytes) { bytes_.reserve(capacity_bytes); }
  size_t size() const { return bytes_.size(); }

  template <typename T>
  void append(const T& value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  void append(std::span<const std::byte> data) {
    bytes_.insert(bytes_.end(), data.begin(), data.end());
  }
  /// Pads to a multiple of `alignment_bytes` and returns the position.
  size_t align(size_t alignment_bytes) {
    bytes_.resize((bytes_.size() + alignment_bytes - 1) / alignment_bytes * alignment_bytes);
    return bytes_.size();
  }
  template <typename T>
  void overwrite(size_t at, const T& value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Appends header, metadata, constants and programs; returns where the header lies. Size and hash
/// of the file are known only when it is linked (stampModule).
size_t appendContents(ByteWriter& writer, const ModuleSections& sections) {
  const size_t start = writer.align(kModuleAlignmentBytes);
  ModuleHeader header{};
  std::memcpy(header.magic, kModuleMagic, sizeof(header.magic));
  header.format_version = kModuleFormatVersion;
  header.header_bytes = sizeof(header);
  writer.append(header);

  const auto appendSection = [&](std::span<const std::byte> data, int64_t& offset, uint64_t& size) {
    offset = static_cast<int64_t>(writer.align(kModuleAlignmentBytes) - start);
    size = data.size();
    writer.append(data);
  };
  appendSection(sections.metadata, header.metadata_offset, header.metadata_bytes);
  appendSection(sections.constants, header.constants_offset, header.constants_bytes);
  appendSection(sections.programs, header.programs_offset, header.programs_bytes);
  writer.overwrite(start, header);
  return start;
}

template <typename Elf>
std::vector<std::byte> makeObject(const ModuleSections& sections, const ElfTarget& target) {
  ByteWriter writer(sections.metadata.size() + sections.constants.size() +
                    sections.programs.size() + 4096);
  typename Elf::Ehdr file_header{};
  std::memcpy(file_header.e_ident, ELFMAG, SELFMAG);
  file_header.e_ident[EI_CLASS] = Elf::kClass;
  file_header.e_ident[EI_DATA] = ELFDATA2LSB;
  file_header.e_ident[EI_VERSION] = EV_CURRENT;
  file_header.e_type = ET_REL;
  file_header.e_machine = target.machine;
  file_header.e_version = EV_CURRENT;
  file_header.e_flags = target.flags;
  file_header.e_ehsize = sizeof(file_header);
  file_header.e_shentsize = sizeof(typename Elf::Shdr);
  file_header.e_shnum = kSectionCount;
  file_header.e_shstrndx = kStrings;
  writer.append(file_header);

  typename Elf::Shdr headers[kSectionCount] = {};
  const auto describe = [&](SectionNumber number, std::string_view name, uint32_t type, size_t at,
                            size_t alignment_bytes) {
    headers[number].sh_name = stringOffset(name);
    headers[number].sh_type = type;
    headers[number].sh_offset = at;
    headers[number].sh_size = writer.size() - at;
    headers[number].sh_addralign = alignment_bytes;
  };

  const size_t contents_at = appendContents(writer, sections);
  describe(kData, ".rodata.vta", SHT_PROGBITS, contents_at, kModuleAlignmentBytes);
  headers[kData].sh_flags = SHF_ALLOC;

  const size_t symbols_at = writer.align(alignof(typename Elf::Sym));
  typename Elf::Sym symbols[2] = {};
  symbols[1].st_name = stringOffset(kModuleHeaderSymbol);
  symbols[1].st_info = ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT);
  symbols[1].st_shndx = kData;
  symbols[1].st_size = headers[kData].sh_size;
  writer.append(symbols);
  describe(kSymbols, ".symtab", SHT_SYMTAB, symbols_at, alignof(typename Elf::Sym));
  headers[kSymbols].sh_link = kStrings;
  headers[kSymbols].sh_info = 1;  // the first global symbol
  headers[kSymbols].sh_entsize = sizeof(typename Elf::Sym);

  const size_t strings_at = writer.size();
  writer.append(std::as_bytes(std::span(kStringTable)));
  describe(kStrings, ".strtab", SHT_STRTAB, strings_at, 1);

  file_header.e_shoff = writer.align(alignof(typename Elf::Shdr));
  writer.append(headers);
  writer.overwrite(0, file_header);
  return writer.take();
}

}  // namespace

Result<ElfTarget> elfTargetOf(const std::string& triple_text) {
  const llvm::Triple triple(triple_text);
  switch (triple.getArch()) {
    case llvm::Triple::x86_64:
      return ElfTarget{true, EM_X86_64, 0};
    case llvm::Triple::aarch64:
      return ElfTarget{true, EM_AARCH64, 0};
    case llvm::Triple::arm:
    case llvm::Triple::thumb:
      return ElfTarget{false, EM_ARM, EF_ARM_EABI_VER5 | EF_ARM_ABI_FLOAT_HARD};
    default:
      return unsupported(fmt::format(
          "target '{}': modules are built for x86_64, aarch64 and arm (hard float)", triple_text));
  }
}

std::vector<std::byte> makeDataObject(const ModuleSections& sections, const ElfTarget& target) {
  return target.is_64_bit ? makeObject<Elf64Types>(sections, target)
                          : makeObject<Elf32Types>(sections, target);
}

}  // namespace vta::compiler
