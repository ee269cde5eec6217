// Files that are there whole or not at all, whatever happens while they are written.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <span>

namespace vta {

/// Gives `file` a new content: it is written under another name in the same folder, which no other
/// process or thread uses, and renamed. `mode` are its permissions, of which the user's mask takes
/// some away. Returns 0, or the errno of what failed; then `file` is as it was, and nothing is left
/// beside it.
int writeWhole(const std::filesystem::path& file, std::span<const std::byte> content, mode_t mode);

}  // namespace vta
