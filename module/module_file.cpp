#include "module/module_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include "base/bytes/byte_reader.h"
#include "module/metadata.h"

namespace vta {
namespace {

using FileBytes = std::span<const std::byte>;

struct Elf32Types {
  using Ehdr = Elf32_Ehdr;
  using Phdr = Elf32_Phdr;
  using Shdr = Elf32_Shdr;
  using Sym = Elf32_Sym;
};
struct Elf64Types {
  using Ehdr = Elf64_Ehdr;
  using Phdr = Elf64_Phdr;
  using Shdr = Elf64_Shdr;
  using Sym = Elf64_Sym;
};

Status corrupt(std::string_view what) {
  return invalidArgument(fmt::format("not a usable module: {}", what));
}

/// The `size_bytes` bytes at `offset_bytes`, or nothing when they do not lie inside.
std::optional<FileBytes> sliceAt(FileBytes bytes, uint64_t offset_bytes, uint64_t size_bytes) {
  if (offset_bytes > bytes.size() || size_bytes > bytes.size() - offset_bytes) return std::nullopt;
  return bytes.subspan(offset_bytes, size_bytes);
}

/// Where the header lies, and the file contents of the segment from there on.
struct HeaderPlace {
  uint64_t file_offset = 0;
  FileBytes from_header;
  uint16_t elf_machine = 0;
};

template <typename Elf>
class ElfReader {
 public:
  static Result<HeaderPlace> findHeader(FileBytes file) {
    ElfReader reader(file);
    VTA_RETURN_IF_ERROR(reader.readSegments());
    VTA_ASSIGN_OR_RETURN(const uint64_t address, reader.findSymbol(kModuleHeaderSymbol));
    for (const auto& segment : reader.segments_) {
      if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz) continue;
      const uint64_t skip = address - segment.p_vaddr;
      const uint64_t at = segment.p_offset + skip;
      return HeaderPlace{at, file.subspan(at, segment.p_filesz - skip), reader.header_.e_machine};
    }
    return corrupt("its header is outside every segment");
  }

 private:
  explicit ElfReader(FileBytes file) : file_(file) {}

  Status readSegments() {
    const auto header = readAt<typename Elf::Ehdr>(file_, 0);
    if (!header) return corrupt("truncated file");
    header_ = *header;
    if (header_.e_type != ET_DYN) return corrupt("an ELF file, but no shared object");
    // The section headers come last in the file: with them, all of it is there.
    if (!sliceAt(file_, header_.e_shoff, header_.e_shnum * sizeof(typename Elf::Shdr))) {
      return corrupt("truncated file");
    }
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      const auto segment = readAt<typename Elf::Phdr>(
          file_, uint64_t{header_.e_phoff} + i * sizeof(typename Elf::Phdr));
      if (!segment || !sliceAt(file_, segment->p_offset, segment->p_filesz)) {
        return corrupt("truncated file");
      }
      if (segment->p_type == PT_LOAD) segments_.push_back(*segment);
    }
    return {};
  }

  Result<uint64_t> findSymbol(std::string_view name) const {
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      const auto section = sectionAt(i);
      if (!section) return corrupt("truncated file");
      if (section->sh_type != SHT_DYNSYM) continue;
      const auto string_section = sectionAt(section->sh_link);
      const auto symbols = sliceAt(file_, section->sh_offset, section->sh_size);
      const auto strings = string_section
                               ? sliceAt(file_, string_section->sh_offset, string_section->sh_size)
                               : std::nullopt;
      if (!symbols || !strings) return corrupt("truncated file");
      for (uint64_t at = 0; at + sizeof(typename Elf::Sym) <= symbols->size();
           at += sizeof(typename Elf::Sym)) {
        const auto symbol = *readAt<typename Elf::Sym>(*symbols, at);
        if (stringAt(*strings, symbol.st_name) == name) return uint64_t{symbol.st_value};
      }
    }
    return corrupt("a shared object that was not made by vta-compile");
  }

  std::optional<typename Elf::Shdr> sectionAt(uint64_t index) const {
    return readAt<typename Elf::Shdr>(
        file_, uint64_t{header_.e_shoff} + index * sizeof(typename Elf::Shdr));
  }

  static std::string_view stringAt(FileBytes strings, uint64_t offset_bytes) {
    if (offset_bytes >= strings.size()) return {};
    const char* text = reinterpret_cast<const char*>(strings.data()) + offset_bytes;
    return {text, strnlen(text, strings.size() - offset_bytes)};
  }

  FileBytes file_;
  typename Elf::Ehdr header_{};
  std::vector<typename Elf::Phdr> segments_;
};

std::optional<FileBytes> sectionFrom(FileBytes from_header, int64_t offset_bytes,
                                     uint64_t size_bytes) {
  if (offset_bytes < static_cast<int64_t>(sizeof(ModuleHeader))) return std::nullopt;
  return sliceAt(from_header, static_cast<uint64_t>(offset_bytes), size_bytes);
}

Result<HeaderPlace> findHeader(FileBytes file) {
  if (!looksLikeModule(file)) return corrupt("no ELF file");
  if (file.size() <= EI_DATA) return corrupt("truncated file");
  if (file[EI_DATA] != std::byte{ELFDATA2LSB}) return corrupt("not little endian");
  if (file[EI_CLASS] == std::byte{ELFCLASS64}) return ElfReader<Elf64Types>::findHeader(file);
  if (file[EI_CLASS] == std::byte{ELFCLASS32}) return ElfReader<Elf32Types>::findHeader(file);
  return corrupt("unknown ELF class");
}

/// The header of a module whose format this build reads.
Result<ModuleHeader> readHeader(const HeaderPlace& place) {
  const auto header = readAt<ModuleHeader>(place.from_header, 0);
  // The fields up to the version are where every format has them.
  const auto version = readAt<uint32_t>(place.from_header, offsetof(ModuleHeader, format_version));
  if (!version) return corrupt("truncated header");
  if (std::memcmp(place.from_header.data(), kModuleMagic, sizeof(kModuleMagic)) != 0) {
    return corrupt("wrong magic number");
  }
  if (*version != kModuleFormatVersion) {
    return invalidArgument(
        fmt::format("the module has format version {}, but this build reads version {}; "
                    "compile the model again",
                    *version, kModuleFormatVersion));
  }
  if (!header) return corrupt("truncated header");
  if (header->header_bytes != sizeof(ModuleHeader)) return corrupt("its header has another size");
  return *header;
}

uint64_t hashAround(FileBytes file, uint64_t header_at) {
  const uint64_t hash_at = header_at + offsetof(ModuleHeader, content_hash);
  const uint64_t parts[] = {moduleHash(file.first(hash_at)),
                            moduleHash(file.subspan(hash_at + sizeof(ModuleHeader::content_hash)))};
  return moduleHash(std::as_bytes(std::span(parts)));
}

}  // namespace

std::string elfMachineName(uint16_t elf_machine) {
  switch (elf_machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_ARM:
      return "arm";
    default:
      return fmt::format("machine {}", elf_machine);
  }
}

uint16_t nativeElfMachine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#elif defined(__arm__)
  return EM_ARM;
#else
  return EM_NONE;
#endif
}

bool looksLikeModule(FileBytes file) {
  return file.size() >= SELFMAG && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0;
}

Result<ModuleView> viewModule(FileBytes file) {
  VTA_ASSIGN_OR_RETURN(const HeaderPlace place, findHeader(file));
  VTA_ASSIGN_OR_RETURN(const ModuleHeader header, readHeader(place));
  if (header.file_bytes != file.size()) {
    return corrupt(
        fmt::format("it has {} bytes, its header says {}", file.size(), header.file_bytes));
  }
  if (hashAround(file, place.file_offset) != header.content_hash) {
    return corrupt("its checksum does not match: it was changed since it was made");
  }
  const auto metadata =
      sectionFrom(place.from_header, header.metadata_offset, header.metadata_bytes);
  const auto constants =
      sectionFrom(place.from_header, header.constants_offset, header.constants_bytes);
  const auto programs =
      sectionFrom(place.from_header, header.programs_offset, header.programs_bytes);
  if (!metadata || !constants || !programs) return corrupt("a section lies outside the file");
  VTA_ASSIGN_OR_RETURN(ModuleInfo info,
                       decodeMetadata(*metadata, constants->size(), programs->size()));
  return ModuleView{place.elf_machine, header, *metadata, *constants, *programs, std::move(info)};
}

Status stampModule(std::span<std::byte> file) {
  VTA_ASSIGN_OR_RETURN(const HeaderPlace place, findHeader(file));
  VTA_ASSIGN_OR_RETURN(ModuleHeader header, readHeader(place));
  const auto write = [&] { std::memcpy(file.data() + place.file_offset, &header, sizeof(header)); };
  header.file_bytes = file.size();
  write();
  header.content_hash = hashAround(file, place.file_offset);
  write();
  return {};
}

Result<ModuleProgram> moduleProgram(const ModuleView& module, int64_t index) {
  const auto count = static_cast<int64_t>(module.info.programs.size());
  if (index < 0 || index >= count) {
    return invalidArgument(
        fmt::format("program {}: the module has programs 0 to {}", index, count - 1));
  }
  const ProgramInfo& entry = module.info.programs[index];
  const ExecutorInfo& executor = module.info.executors[entry.executor];
  const CodeVariant* code = entry.variantFor();
  if (!executor.hw || code == nullptr) {
    return unsupported(fmt::format("program {} is code for '{}', of kind {}, and not for a VTA",
                                   index, executor.name, executor.kind));
  }
  const HwConfig& hw = *executor.hw;
  VTA_ASSIGN_OR_RETURN(
      Program program,
      deserializeProgram(module.programs.subspan(code->offset_bytes, code->size_bytes), hw));
  return ModuleProgram{std::move(program), hw};
}

}  // namespace vta
