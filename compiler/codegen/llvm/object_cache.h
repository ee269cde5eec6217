// Objects that were compiled before, by content, in a folder that several processes may use.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/folders/file_cache.h"
#include "llvm/Target/TargetMachine.h"

namespace vta::codegen {

/// What an object depends on, as a file's name: the code before LLVM's optimiser, the machine,
/// LLVM's version, and `recipe`, which says what LLVM is told to do.
std::string objectKey(std::string_view bitcode, const llvm::TargetMachine& machine,
                      std::string_view recipe);

/// A cache that cannot be read or written costs time and nothing else: its errors are no errors of
/// a compilation. What it holds is run, so a folder or file that others can write is not used.
class ObjectCache {
 public:
  /// Where objects are; empty: nothing is kept. Beyond `most_bytes` the objects go that were not
  /// used for the longest time.
  explicit ObjectCache(std::filesystem::path folder, uint64_t most_bytes = uint64_t{1} << 30)
      : files_(std::move(folder), ".o", most_bytes) {}

  std::optional<std::vector<std::byte>> find(const std::string& key) const;
  void add(const std::string& key, std::span<const std::byte> object) const;

 private:
  FileCache files_;
};

}  // namespace vta::codegen
