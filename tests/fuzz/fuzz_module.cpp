// Modules: the ELF reader with its header and checksum, and the metadata on its own.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "isa/config/hw_config.h"
#include "module/module_file.h"
#include "module/module_info.h"
#include "tests/fuzz/fuzz_target.h"

namespace vta {
namespace {

/// Puts the right checksum into the header, if its fields allow it.
void repair(std::vector<std::byte>& file) {
  const auto magic = std::as_bytes(std::span(kModuleMagic));
  const auto found = std::search(file.begin(), file.end(), magic.begin(), magic.end());
  const auto place = static_cast<uint64_t>(found - file.begin());
  if (file.size() - place < sizeof(ModuleHeader)) return;
  ModuleHeader header;
  std::memcpy(&header, file.data() + place, sizeof(header));
  const uint64_t rest = file.size() - place;
  const auto begin = static_cast<uint64_t>(header.metadata_offset);
  const auto end = static_cast<uint64_t>(header.programs_offset) + header.programs_bytes;
  if (begin > rest || end > rest || begin > end) return;
  header.checksum = moduleChecksum(std::span(file).subspan(place + begin, end - begin));
  std::memcpy(file.data() + place, &header, sizeof(header));
}

void checkInfo(const ModuleInfo& info, uint64_t constants_bytes, uint64_t programs_bytes) {
  // What was accepted can be written and is accepted again.
  if (!parseModuleInfo(toJson(info), constants_bytes, programs_bytes).ok()) std::abort();
  if (!info.hw_yaml.empty()) static_cast<void>(parseHwConfig(info.hw_yaml, "module"));
}

void run(std::span<const uint8_t> data) {
  if (data.empty()) return;
  const auto bytes = std::as_bytes(data.subspan(1));
  if (data[0] & 1) {
    const std::string_view json(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    constexpr uint64_t kSectionBytes = 4096;
    const auto info = parseModuleInfo(json, kSectionBytes, kSectionBytes);
    if (info.ok()) checkInfo(*info, kSectionBytes, kSectionBytes);
    return;
  }
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  if (data[0] & 2) repair(file);
  const auto view = viewModule(file);
  if (view.ok()) checkInfo(view->info, view->constants.size(), view->programs.size());
}

}  // namespace
}  // namespace vta

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vta::run({data, size});
  return 0;
}
