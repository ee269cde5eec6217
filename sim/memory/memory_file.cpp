// Memories by name or file. Alone, so that programs without a file system have the rest.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "base/closest_name.h"
#include "base/files.h"
#include "sim/memory/memory_config.h"

namespace vta::sim {

Result<MemoryConfig> resolveMemoryConfig(std::string_view spec) {
  if (auto builtin = builtinMemory(spec); builtin.ok()) return builtin;
  const std::string path(spec);
  std::error_code ec;
  if (!std::filesystem::is_regular_file(path, ec)) {
    return notFound(fmt::format("\"{}\" is neither a memory that is built in ({}) nor a file{}",
                                spec, fmt::join(builtinMemoryNames(), ", "),
                                suggestion(spec, builtinMemoryNames())));
  }
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(path));
  return parseMemoryConfig(text, path);
}

}  // namespace vta::sim
