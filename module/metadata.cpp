#include "module/metadata.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "module/metadata_fields.h"
#include "module/module_info_check.h"

namespace vta {
namespace {

/// Appends values: numbers with the least byte first, texts and lists behind their lengths.
class Writer {
 public:
  template <typename T>
  requires std::is_integral_v<T>
  void operator()(const char* /*key*/, T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<std::byte>(static_cast<uint64_t>(value) >> (8 * i)));
    }
  }

  void operator()(const char* key, const std::string& text) {
    (*this)(key, static_cast<uint32_t>(text.size()));
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  template <typename T>
  void operator()(const char* key, const std::vector<T>& elements) {
    (*this)(key, static_cast<uint32_t>(elements.size()));
    for (const T& element : elements) (*this)(key, element);
  }

  void operator()(const char* key, const std::optional<HwConfig>& hw) {
    (*this)(key, hw.has_value());
    if (hw) (*this)(key, valuesOf(*hw));
  }

  template <typename T>
  requires std::is_class_v<T>
  void operator()(const char* /*key*/, const T& value) { metadata::fields(*this, value); }

  template <typename T, typename Names>
  void choice(const char* key, T value, const Names& /*names*/) {
    (*this)(key, static_cast<uint8_t>(value));
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads them. The first problem is kept, and turns every later call into a no-op.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
  requires std::is_integral_v<T>
  void operator()(const char* key, T& value) {
    const std::span<const std::byte> bytes = take(key, sizeof(T));
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes.size(); ++i) bits |= std::to_integer<uint64_t>(bytes[i]) << 8 * i;
    if constexpr (std::is_same_v<T, bool>) {
      if (bits > 1) fail(key, "is neither true nor false");
    }
    value = static_cast<T>(bits);
  }

  void operator()(const char* key, std::string& text) {
    uint32_t size = 0;
    (*this)(key, size);
    const std::span<const std::byte> bytes = take(key, size);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  template <typename T>
  void operator()(const char* key, std::vector<T>& elements) {
    uint32_t count = 0;
    (*this)(key, count);
    // Every element takes a byte at least, so no allocation goes far beyond the file.
    if (count > rest_.size()) return fail(key, "has more elements than the file has bytes");
    elements.reserve(count);
    for (uint32_t i = 0; i < count && status_.ok(); ++i) {
      T element{};
      (*this)(key, element);
      elements.push_back(std::move(element));
    }
  }

  void operator()(const char* key, std::optional<HwConfig>& hw) {
    bool is_there = false;
    (*this)(key, is_there);
    if (!is_there || !status_.ok()) return;
    HwConfigValues values;
    (*this)(key, values);
    if (!status_.ok()) return;
    auto config = hwConfigOf(values);
    if (config.ok()) {
      hw = *std::move(config);
    } else {
      status_ = config.status().withContext("module metadata");
    }
  }

  template <typename T>
  requires std::is_class_v<T>
  void operator()(const char* /*key*/, T& value) { metadata::fields(*this, value); }

  template <typename T, typename Names>
  void choice(const char* key, T& value, const Names& names) {
    uint8_t index = 0;
    (*this)(key, index);
    if (index >= names.size()) return fail(key, fmt::format("has the unknown value {}", index));
    value = static_cast<T>(index);
  }

  /// Ok when everything was right and nothing is left.
  Status finish() {
    if (!rest_.empty()) fail("", "is longer than its contents");
    return status_;
  }

 private:
  std::span<const std::byte> take(const char* key, uint64_t count) {
    if (status_.ok() && count > rest_.size()) fail(key, "is cut off");
    if (!status_.ok()) return {};
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  void fail(std::string_view key, std::string_view problem) {
    if (!status_.ok()) return;
    status_ = invalidArgument(fmt::format("module metadata: '{}' {}", key, problem));
    rest_ = {};
  }

  std::span<const std::byte> rest_;
  Status status_;
};

}  // namespace

std::vector<std::byte> encodeMetadata(const ModuleInfo& info) {
  Writer writer;
  metadata::fields(writer, info);
  return writer.take();
}

Result<ModuleInfo> decodeMetadata(std::span<const std::byte> bytes, uint64_t constants_bytes,
                                  uint64_t programs_bytes) {
  Reader reader(bytes);
  ModuleInfo info;
  metadata::fields(reader, info);
  VTA_RETURN_IF_ERROR(reader.finish());
  VTA_RETURN_IF_ERROR(checkModuleInfo(info, constants_bytes, programs_bytes));
  return info;
}

}  // namespace vta
