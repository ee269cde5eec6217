// Reads a module's file without running anything of it: for the loader's checks before dlopen, and
// for modules built for other machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "module/module_info.h"

namespace vta {

inline constexpr const char* kModuleHeaderSymbol = "vta_module_header";
inline constexpr char kModuleMagic[8] = {'V', 'T', 'A', 'M', 'O', 'D', 'U', 'L'};
inline constexpr uint32_t kModuleFormatVersion = 10;

/// Layout of the exported header. Offsets are from the header's own address; metadata, constants
/// and programs follow it in this order, each aligned to 64 bytes. `content_hash` is that of the
/// whole file but for these eight bytes (stampModule).
struct ModuleHeader {
  char magic[8];
  uint32_t format_version;
  uint32_t header_bytes;
  uint64_t file_bytes;
  uint64_t content_hash;
  int64_t metadata_offset;
  uint64_t metadata_bytes;
  int64_t constants_offset;
  uint64_t constants_bytes;
  int64_t programs_offset;
  uint64_t programs_bytes;
};
static_assert(sizeof(ModuleHeader) == 80);

/// The parts of a module. The spans point into the bytes given to viewModule.
struct ModuleView {
  uint16_t elf_machine = 0;  // EM_X86_64, EM_AARCH64, EM_ARM
  ModuleHeader header{};
  std::span<const std::byte> metadata;
  std::span<const std::byte> constants;
  std::span<const std::byte> programs;
  ModuleInfo info;
};

/// "x86-64", "aarch64", "arm" or "machine 123".
std::string elfMachineName(uint16_t elf_machine);

/// The machine this code was built for.
uint16_t nativeElfMachine();

/// True when `file` begins like an ELF object (a module) and not like a model.
bool looksLikeModule(std::span<const std::byte> file);

/// Checks the ELF structure, the header, the hash of the whole file and the metadata of a module.
/// Errors: not a module, truncated, extended or otherwise changed, another format version. Safe on
/// hostile input.
Result<ModuleView> viewModule(std::span<const std::byte> file);

/// A program and the configuration it was built for.
struct ModuleProgram {
  Program program;
  HwConfig hw;
};

/// Program `index` of a module. Errors: no such program, one that is not a VTA's, a corrupt one.
Result<ModuleProgram> moduleProgram(const ModuleView& module, int64_t index);

/// Completes the header of a module that has just been linked: the file's size and hash. Errors: as
/// for viewModule.
Status stampModule(std::span<std::byte> file);

/// Hash of a module's contents: quick, not cryptographic. A change within one 64-bit word always
/// changes it.
uint64_t moduleHash(std::span<const std::byte> bytes);

}  // namespace vta
