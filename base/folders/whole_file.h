// Files that are there whole or not at all, whatever happens while they are written.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace vta {

/// Gives `file` a new content: it is written under another name in the same folder, which no other
/// process or thread uses, and renamed. `mode` are its permissions, of which the user's mask takes
/// some away. Returns 0, or the errno of what failed; then `file` is as it was, and nothing is left
/// beside it.
int writeWhole(const std::filesystem::path& file, std::span<const std::byte> content, mode_t mode);

// The steps of writeWhole but the last, for those who do something between them.

/// A new file in the folder of `file`, open for writing, whose name goes to `name`. A negative
/// result leaves errno.
int createBeside(const std::filesystem::path& file, mode_t mode, std::string& name);

/// Writes everything and closes the descriptor, also after an error. 0 or errno.
int writeAndClose(int descriptor, std::span<const std::byte> content);

}  // namespace vta
