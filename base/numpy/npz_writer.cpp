#include "base/numpy/npz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/numpy/npy.h"
#include "base/numpy/zip_records.h"

namespace vta {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

constexpr uint16_t kVersionNeeded = 20;              // deflated files
constexpr uint16_t kTime = 0;                        // midnight
constexpr uint16_t kDate = (0 << 9) | (1 << 5) | 1;  // 1 January 1980, the first that there is

template <typename T>
void put(std::string& text, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  text.append(bytes, sizeof(T));
}

std::string deflated(const std::string& contents) {
  z_stream stream = {};
  constexpr int kNoZlibHeader = -15;
  deflateInit2(&stream, 6, Z_DEFLATED, kNoZlibHeader, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, contents.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(contents.data()));
  stream.avail_in = static_cast<uInt>(contents.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  [[maybe_unused]] const int code = deflate(&stream, Z_FINISH);
  assert(code == Z_STREAM_END && "the bound has room for everything");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

void NpzWriter::add(std::string_view name, std::span<const int32_t> values) {
  addArray(name, DType::kI32, values.size(), std::as_bytes(values));
}

void NpzWriter::add(std::string_view name, std::span<const int64_t> values) {
  addArray(name, DType::kI64, values.size(), std::as_bytes(values));
}

void NpzWriter::addArray(std::string_view array, DType dtype, size_t count,
                         std::span<const std::byte> elements) {
  const std::string name = fmt::format("{}.npy", array);
  std::string contents = npyHeader(dtype, std::array{static_cast<int64_t>(count)});
  contents.append(reinterpret_cast<const char*>(elements.data()), elements.size());
  const std::string data = deflated(contents);
  std::string common;  // to both headers
  put(common, kVersionNeeded);
  put(common, uint16_t{0});  // flags
  put(common, zip::kDeflated);
  put(common, kTime);
  put(common, kDate);
  put(common, static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(contents.data()),
                                          static_cast<uInt>(contents.size()))));
  put(common, static_cast<uint32_t>(data.size()));
  put(common, static_cast<uint32_t>(contents.size()));
  put(common, static_cast<uint16_t>(name.size()));
  put(common, uint16_t{0});  // no extra field
  const auto offset = static_cast<uint32_t>(archive_.size());
  put(archive_, zip::kLocalSignature);
  archive_ += common + name + data;
  put(directory_, zip::kEntrySignature);
  put(directory_, kVersionNeeded);  // made by
  directory_ += common;
  put(directory_, uint16_t{0});  // no comment
  put(directory_, uint16_t{0});  // first disk
  put(directory_, uint16_t{0});  // internal attributes
  put(directory_, uint32_t{0});  // external attributes
  put(directory_, offset);
  directory_ += name;
  ++files_;
}

std::string NpzWriter::finish() {
  const auto offset = static_cast<uint32_t>(archive_.size());
  archive_ += directory_;
  put(archive_, zip::kEndSignature);
  put(archive_, uint16_t{0});  // this disk
  put(archive_, uint16_t{0});  // disk with the directory
  put(archive_, files_);
  put(archive_, files_);
  put(archive_, static_cast<uint32_t>(directory_.size()));
  put(archive_, offset);
  put(archive_, uint16_t{0});  // no comment
  directory_.clear();
  files_ = 0;
  return std::exchange(archive_, {});
}

}  // namespace vta
