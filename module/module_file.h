// Reads a module's file without running anything of it: for the loader's checks before dlopen, and
// for modules built for other machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"
#include "program/program.h"

namespace vta {

/// The parts of a module. The spans point into the bytes given to viewModule.
struct ModuleView {
  uint16_t elf_machine = 0;  // EM_X86_64, EM_AARCH64, EM_ARM
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

/// Checks the ELF structure, the header, the checksum and the metadata of a module. Errors: not a
/// module, truncated or corrupt, another format version. Safe on hostile input.
Result<ModuleView> viewModule(std::span<const std::byte> file);

/// A program and the configuration it was built for.
struct ModuleProgram {
  Program program;
  HwConfig hw;
};

/// Program `index` of a module. Errors: no such program, a corrupt one.
Result<ModuleProgram> moduleProgram(const ModuleView& module, int64_t index);

/// Checksum of a module's contents: quick, not cryptographic.
uint64_t moduleChecksum(std::span<const std::byte> bytes);

}  // namespace vta
