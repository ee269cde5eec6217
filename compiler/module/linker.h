// Links relocatable objects to a shared object with lld, inside this process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::compiler {

/// Links `objects` (ELF images of one target) to a shared object and returns its bytes. `options`
/// are those of ld.lld and stand behind ours. Calls from several threads take turns, since lld has
/// global state. Nothing stays on disk, whatever happens.
/// Errors: what lld reported, or no space for its output.
Result<std::vector<std::byte>> linkSharedObject(std::span<const std::span<const std::byte>> objects,
                                                std::span<const std::string> options = {});

}  // namespace vta::compiler
