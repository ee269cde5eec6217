// Modules: the ELF reader with its header and hash, and the metadata on its own.
#include <cstdlib>
#include <vector>

#include "module/metadata.h"
#include "module/module_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace vta {
namespace {

/// Puts the right size and hash into the header, if there is one.
void repair(std::vector<std::byte>& file) { static_cast<void>(stampModule(file)); }

void checkInfo(const ModuleInfo& info, uint64_t constants_bytes, uint64_t programs_bytes) {
  // What was accepted can be written and is accepted again.
  if (!decodeMetadata(encodeMetadata(info), constants_bytes, programs_bytes).ok()) std::abort();
}

void run(std::span<const uint8_t> data) {
  if (data.empty()) return;
  const auto bytes = std::as_bytes(data.subspan(1));
  if (data[0] & 1) {
    constexpr uint64_t kSectionBytes = 4096;
    const auto info = decodeMetadata(bytes, kSectionBytes, kSectionBytes);
    if (info.ok()) checkInfo(*info, kSectionBytes, kSectionBytes);
    return;
  }
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  if (data[0] & 2) repair(file);
  const auto view = viewModule(file);
  if (!view.ok()) return;
  checkInfo(view->info, view->constants.size(), view->programs.size());
  for (size_t i = 0; i < view->info.programs.size(); ++i) {
    static_cast<void>(moduleProgram(*view, static_cast<int64_t>(i)));
  }
}

}  // namespace
}  // namespace vta

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vta::run({data, size});
  return 0;
}
