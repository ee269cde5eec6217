// The relocatable ELF object that carries a module's header, metadata, constants and programs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::compiler {

/// The sections of a module as its header describes them.
struct ModuleSections {
  std::vector<std::byte> metadata;
  std::span<const std::byte> constants;
  std::span<const std::byte> programs;
};

/// Which ELF flavour a target's objects have.
struct ElfTarget {
  bool is_64_bit = true;
  uint16_t machine = 0;
  uint32_t flags = 0;
};

/// The flavour of an LLVM triple. Errors: an architecture modules are not built for.
Result<ElfTarget> elfTargetOf(const std::string& triple);

/// Writes the object: one read-only section that begins with the ModuleHeader, exported as
/// kModuleHeaderSymbol. Written directly, because tens of megabytes of constants would take seconds
/// as LLVM IR.
std::vector<std::byte> makeDataObject(const ModuleSections& sections, const ElfTarget& target);

}  // namespace vta::compiler
