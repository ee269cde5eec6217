#include "compiler/codegen/llvm/object_cache.h"

#include <fmt/format.h>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA256.h"

namespace vta::codegen {

std::string objectKey(std::string_view bitcode, const llvm::TargetMachine& machine,
                      std::string_view recipe) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(bitcode));
  hash.update(fmt::format("\n{} {} {} {}", LLVM_VERSION_STRING, machine.getTargetCPU().str(),
                          machine.getTargetFeatureString().str(), recipe));
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::optional<std::vector<std::byte>> ObjectCache::find(const std::string& key) const {
  auto found = files_.find(key, key);
  return found.ok() ? *std::move(found) : std::nullopt;
}

void ObjectCache::add(const std::string& key, std::span<const std::byte> object) const {
  (void)files_.add(key, key, object);
}

}  // namespace vta::codegen
