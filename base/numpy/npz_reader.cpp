#include "base/numpy/npz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/bytes/byte_reader.h"
#include "base/numpy/npy.h"
#include "base/numpy/zip_records.h"

namespace vta {
namespace {

using Bytes = std::span<const std::byte>;

// Larger ones have sizes of 64 bits, in a record that is not read.
constexpr uint64_t kMaxEntryBytes = uint64_t{1} << 32;

Status damaged() { return invalidArgument("damaged .npz archive"); }

struct Entry {
  std::string name;
  uint16_t method = 0;
  uint32_t sum = 0;  // CRC-32 of the contents
  uint32_t packed_bytes = 0;
  uint32_t size_bytes = 0;
  uint32_t local_at = 0;
  uint64_t next_at = 0;  // of the next central record
};

Result<Entry> readEntry(Bytes file, uint64_t at) {
  if (at > file.size() || file.size() - at < zip::kEntryBytes) return damaged();
  if (readAt<uint32_t>(file, at) != zip::kEntrySignature) return damaged();
  Entry entry;
  entry.method = *readAt<uint16_t>(file, at + 10);
  entry.sum = *readAt<uint32_t>(file, at + 16);
  entry.packed_bytes = *readAt<uint32_t>(file, at + 20);
  entry.size_bytes = *readAt<uint32_t>(file, at + 24);
  entry.local_at = *readAt<uint32_t>(file, at + 42);
  const uint64_t name_bytes = *readAt<uint16_t>(file, at + 28);
  const uint64_t skip =
      name_bytes + *readAt<uint16_t>(file, at + 30) + *readAt<uint16_t>(file, at + 32);
  entry.next_at = at + zip::kEntryBytes + skip;
  if (entry.next_at > file.size()) return damaged();
  entry.name.assign(reinterpret_cast<const char*>(file.data()) + at + zip::kEntryBytes, name_bytes);
  return entry;
}

Result<std::vector<std::byte>> inflateEntry(Bytes packed, uint64_t size_bytes) {
  std::vector<std::byte> data(size_bytes);
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return internalError("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(data.data());
  stream.avail_out = static_cast<uInt>(data.size());
  const int code = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (code != Z_STREAM_END || stream.total_out != size_bytes) return damaged();
  return data;
}

Result<Tensor> parseChecked(Bytes data, const Entry& entry) {
  const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size());
  if (sum != entry.sum) {
    return invalidArgument(
        "damaged .npz archive: the array has another checksum than the archive says");
  }
  return parseNpy(data);
}

Result<Tensor> readArray(Bytes file, const Entry& entry) {
  const auto name_bytes = readAt<uint16_t>(file, uint64_t{entry.local_at} + 26);
  const auto extra_bytes = readAt<uint16_t>(file, uint64_t{entry.local_at} + 28);
  if (!name_bytes || !extra_bytes) return damaged();
  const uint64_t data_at = uint64_t{entry.local_at} + zip::kLocalBytes + *name_bytes + *extra_bytes;
  if (data_at > file.size() || entry.packed_bytes > file.size() - data_at) return damaged();
  const Bytes packed = file.subspan(data_at, entry.packed_bytes);
  if (entry.method == zip::kStored) return parseChecked(packed, entry);
  // Deflate shrinks by at most about 1032 times: a larger claim is a lie, not a reason to allocate.
  const bool plausible = entry.size_bytes / 1040 <= uint64_t{entry.packed_bytes} + 1;
  if (entry.method != zip::kDeflated || entry.size_bytes >= kMaxEntryBytes - 1 || !plausible) {
    return damaged();
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> data, inflateEntry(packed, entry.size_bytes));
  return parseChecked(data, entry);
}

/// Where the end record lies: it is followed only by a comment.
std::optional<size_t> findEnd(Bytes file) {
  if (file.size() < zip::kEndBytes) return std::nullopt;
  constexpr size_t kMaxCommentBytes = 65535;
  const size_t last = file.size() - zip::kEndBytes;
  for (size_t back = 0; back <= std::min(last, kMaxCommentBytes); ++back) {
    if (readAt<uint32_t>(file, last - back) == zip::kEndSignature) return last - back;
  }
  return std::nullopt;
}

}  // namespace

Result<std::map<std::string, Tensor>> parseNpz(std::span<const std::byte> file) {
  const auto end = findEnd(file);
  if (!end) return invalidArgument("not an .npz archive");
  const uint16_t count = *readAt<uint16_t>(file, *end + 10);
  uint64_t at = *readAt<uint32_t>(file, *end + 16);
  std::map<std::string, Tensor> arrays;
  for (uint16_t i = 0; i < count; ++i) {
    VTA_ASSIGN_OR_RETURN(const Entry entry, readEntry(file, at));
    std::string name = entry.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    auto array = readArray(file, entry);
    if (!array.ok()) return array.status().withContext(fmt::format("array '{}'", name));
    if (!arrays.try_emplace(name, *std::move(array)).second) {
      return invalidArgument(fmt::format("two arrays of the .npz archive are called '{}'", name));
    }
    at = entry.next_at;
  }
  return arrays;
}

}  // namespace vta
