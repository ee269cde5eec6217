// Bitstreams and their descriptions: any bytes give an error with a text, or a structure inside of
// the file whose image a second reading understands.
#include <cstdlib>
#include <span>
#include <string_view>

#include "driver/flash/format/bitstream.h"
#include "driver/flash/format/description.h"
#include "driver/flash/package/package_files.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace vta::flash;

void readAsBitstream(std::span<const std::byte> file) {
  const auto bitstream = readBitstream(file);
  if (!bitstream.ok()) {
    if (bitstream.status().message().empty()) std::abort();
    return;
  }
  if (!bitstream->configuration) return;
  const auto image = managerImage(*bitstream, file);
  if (!image.ok() || image->size() % 4 != 0) std::abort();
  const auto again = readBitstream(*image);
  const bool same = again.ok() && again->configuration &&
                    again->configuration->order == WordOrder::kSwapped &&
                    again->configuration->idcode == bitstream->configuration->idcode;
  // What was padding before the sync word may look like another format once it is swapped.
  if (!same && bitstream->configuration->sync_offset_bytes % 4 == 0 && again.ok()) std::abort();
}

void readAsDescription(std::string_view text) {
  const auto description = parseDescription(text, "fuzz.json");
  if (!description.ok()) {
    if (description.status().message().empty()) std::abort();
    return;
  }
  if (overlaySource(*description, "x.bin").empty()) std::abort();
  if (hardwareHandoff(*description, "x").empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  readAsBitstream(std::as_bytes(std::span(data, size)));
  readAsDescription({reinterpret_cast<const char*>(data), size});
  return 0;
}
