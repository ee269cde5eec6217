#include "tools/vta_run/explain_layer.h"

#include <fmt/format.h>
#include <zlib.h>

#include <climits>
#include <cstddef>
#include <span>
#include <vector>

#include "tools/bisect/explain.h"
#include "tools/common/files.h"

namespace vta::tools {
namespace {

Result<std::vector<std::byte>> pack(std::span<const std::byte> data) {
  z_stream stream = {};
  constexpr int kGzip = 16 + MAX_WBITS;
  if (data.size() > UINT_MAX) return invalidArgument("more than 4 GiB");
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return internalError("zlib does not start");
  }
  std::vector<std::byte> packed(deflateBound(&stream, data.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return internalError("zlib does not end");
  return packed;
}

Status writeReproducer(const driver::LaunchImage& image, const std::string& prefix) {
  VTA_ASSIGN_OR_RETURN(const driver::Reproducer files, driver::reproducerOf(image));
  VTA_ASSIGN_OR_RETURN(const auto before, pack(files.before));
  VTA_ASSIGN_OR_RETURN(const auto after, pack(files.after));
  VTA_RETURN_IF_ERROR(writeFile(prefix + ".json", files.description));
  VTA_RETURN_IF_ERROR(writeFile(prefix + ".pre.img.gz", before));
  return writeFile(prefix + ".post.img.gz", after);
}

std::string reproducerText(const driver::LaunchImage& image, const std::string& prefix) {
  if (prefix.empty()) return "  --reproduce PREFIX writes the layer as a memory image\n";
  const Status status = writeReproducer(image, prefix);
  if (!status.ok()) return fmt::format("  no reproducer: {}\n", status.message());
  return fmt::format(
      "  reproducer: vta-run --image {0}.pre.img.gz --description {0}.json --expect "
      "{0}.post.img.gz\n",
      prefix);
}

/// What is wrong with the launch, on a device that works again if it can.
Result<driver::Verdict> judge(const driver::SuspectLayer& layer, const driver::LaunchImage& image) {
  if (layer.has_failed) {
    // A fault of this reset is one that bisection meets, too.
    const Status status = layer.device.reset();
    if (!status.ok() && status.code() != StatusCode::kDeviceFault) return status;
  }
  return driver::bisectLaunch(layer.device, image);
}

std::string explain(const driver::SuspectLayer& layer, const std::string& prefix) {
  const auto image = driver::imageOf(layer);
  if (!image.ok()) return fmt::format("  no bisection: {}\n", image.status().message());
  const auto verdict = judge(layer, *image);
  const std::string text = verdict.ok()
                               ? driver::describeVerdict(*verdict, *image)
                               : fmt::format("  no bisection: {}\n", verdict.status().message());
  return text + reproducerText(*image, prefix);
}

}  // namespace

driver::LayerExplanation explainLayers(const std::string& prefix) {
  return [prefix](const driver::SuspectLayer& layer) { return explain(layer, prefix); };
}

}  // namespace vta::tools
