// Names of files for things that have other names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vta::tools {

/// For each of `names` a name that a file may have, without an ending: '_' for what file systems or
/// shells do not take, something in place of nothing, and at most `most_bytes` of it. All are
/// different, also where capitals do not count: "_2", "_3" ... go behind those that would be equal.
/// Whatever can keep its name does.
std::vector<std::string> fileNamesFor(const std::vector<std::string>& names, size_t most_bytes);

}  // namespace vta::tools
