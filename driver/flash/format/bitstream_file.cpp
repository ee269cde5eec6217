#include "driver/flash/format/bitstream_file.h"

#include <fmt/format.h>

#include <utility>

namespace vta::flash {

Result<BitstreamFile> makeBitstreamFile(std::filesystem::path path, std::vector<std::byte> data,
                                        std::optional<DescriptionText> description) {
  BitstreamFile file;
  file.path = std::move(path);
  file.data = std::move(data);
  auto bitstream = readBitstream(file.data);
  if (!bitstream.ok()) {
    return bitstream.status().withContext(fmt::format("'{}'", file.path.string()));
  }
  file.bitstream = *std::move(bitstream);
  if (description) {
    VTA_ASSIGN_OR_RETURN(file.description, parseDescription(description->json, description->name));
    file.description_text = std::move(description);
  }
  return file;
}

std::string stemOf(const std::filesystem::path& path) {
  std::string stem = path.stem().string();
  if (stem.ends_with(".bit")) stem.resize(stem.size() - 4);
  return stem;
}

Status needDescription(const BitstreamFile& file, std::string_view what) {
  if (file.description) return {};
  return invalidArgument(
      fmt::format("{} needs the description of the bitstream: there is no {}.json and no vta.json "
                  "beside it; give "
                  "--description",
                  what, stemOf(file.path)));
}

Status checkDescription(const BitstreamFile& file) {
  if (!file.description || !file.bitstream.configuration) return {};
  const FpgaDie* die = findDieOfBitstream(*file.bitstream.configuration->idcode);
  if (die == nullptr || die->family == file.description->family) return {};
  return invalidArgument(
      fmt::format("the bitstream is for {}, its description is for a {}; take both "
                  "from one build",
                  die->name, familyName(file.description->family)));
}

}  // namespace vta::flash
