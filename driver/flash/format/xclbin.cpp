#include "driver/flash/format/xclbin.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/bytes/byte_reader.h"

namespace vta::flash {
namespace {

// Places in struct axlf of XRT's xclbin.h.
constexpr std::string_view kXclbinMagic("xclbin2\0", 8);
constexpr uint64_t kLengthOffset = 304;
constexpr uint64_t kPlatformOffset = 352, kPlatformBytes = 64;
constexpr uint64_t kUuidOffset = 416, kUuidBytes = 16;
constexpr uint64_t kSectionCountOffset = 448;
constexpr uint64_t kSectionsOffset = 456, kSectionBytes = 40, kSectionNameBytes = 16;

std::string textAt(std::span<const std::byte> file, uint64_t offset_bytes, uint64_t size_bytes) {
  const auto field = file.subspan(offset_bytes, size_bytes);
  const std::string text(reinterpret_cast<const char*>(field.data()), field.size());
  return text.substr(0, text.find('\0'));
}

Result<XclbinSection> readSection(std::span<const std::byte> file, uint64_t offset_bytes) {
  XclbinSection section;
  section.kind = readAt<uint32_t>(file, offset_bytes).value_or(0);
  section.name = textAt(file, offset_bytes + 4, kSectionNameBytes);
  section.offset_bytes = readAt<uint64_t>(file, offset_bytes + 24).value_or(0);
  section.size_bytes = readAt<uint64_t>(file, offset_bytes + 32).value_or(0);
  if (section.offset_bytes > file.size() ||
      section.size_bytes > file.size() - section.offset_bytes) {
    return invalidArgument(fmt::format(
        "section {} ('{}') of the .xclbin file lies outside of the file: it was cut off or damaged",
        section.kind, section.name));
  }
  return section;
}

}  // namespace

const XclbinSection* Xclbin::find(uint32_t kind) const {
  const auto found = std::ranges::find(sections, kind, &XclbinSection::kind);
  return found == sections.end() ? nullptr : &*found;
}

bool beginsAsXclbin(std::span<const std::byte> file) {
  return file.size() >= kXclbinMagic.size() &&
         std::string_view(reinterpret_cast<const char*>(file.data()), kXclbinMagic.size()) ==
             kXclbinMagic;
}

Result<Xclbin> readXclbin(std::span<const std::byte> file) {
  const std::optional<uint64_t> length = readAt<uint64_t>(file, kLengthOffset);
  const std::optional<uint32_t> count = readAt<uint32_t>(file, kSectionCountOffset);
  if (!length || !count || file.size() < kSectionsOffset) {
    return invalidArgument("the header of the .xclbin file is cut off; copy the file again");
  }
  if (*length != file.size()) {
    return invalidArgument(
        fmt::format("the .xclbin file says that it has {} bytes, but it has {}; copy it again",
                    *length, file.size()));
  }
  if (*count > (file.size() - kSectionsOffset) / kSectionBytes) {
    return invalidArgument(fmt::format(
        "the .xclbin file announces {} sections, more than fit into it: it is damaged", *count));
  }
  Xclbin container;
  container.platform = textAt(file, kPlatformOffset, kPlatformBytes);
  for (const std::byte b : file.subspan(kUuidOffset, kUuidBytes)) {
    container.uuid += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  }
  for (uint32_t i = 0; i < *count; ++i) {
    VTA_ASSIGN_OR_RETURN(XclbinSection section,
                         readSection(file, kSectionsOffset + i * kSectionBytes));
    container.sections.push_back(std::move(section));
  }
  return container;
}

}  // namespace vta::flash
