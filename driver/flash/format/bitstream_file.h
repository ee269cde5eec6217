// A bitstream with what its description says of it, wherever both come from.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "driver/flash/format/bitstream.h"
#include "driver/flash/format/description.h"

namespace vta::flash {

/// The description of a bitstream as text, and what messages call it.
struct DescriptionText {
  std::string name;  // of its file
  std::string json;
};

struct BitstreamFile {
  std::filesystem::path path;  // as the user named it; commands that read the file get it
  std::vector<std::byte> data;
  Bitstream bitstream;
  std::optional<BoardDescription> description;
  std::optional<DescriptionText> description_text;  // that `description` was read from
};

/// Reads both. Errors: those of readBitstream, beginning with the path, and of parseDescription.
Result<BitstreamFile> makeBitstreamFile(std::filesystem::path path, std::vector<std::byte> data,
                                        std::optional<DescriptionText> description);

/// "vta" for vta.bit and vta.bit.bin.
std::string stemOf(const std::filesystem::path& path);

/// Ok with a description. Error kInvalidArgument, with the remedy, for `what` ("--package"), which
/// needs one.
Status needDescription(const BitstreamFile& file, std::string_view what);

/// Ok when the description is of the bitstream's family: else registers of another one would be
/// written. Error: kInvalidArgument.
Status checkDescription(const BitstreamFile& file);

}  // namespace vta::flash
