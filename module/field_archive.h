// The binary form of structures that list their fields: the metadata of modules, and GPU programs.
//
// Numbers have their least byte first. Texts and lists stand behind their lengths, which are 32-bit
// numbers. A structure is its fields, one behind the other. `Fields` is a function object that
// calls an archive with the name and the value of each field of a structure.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status.h"
#include "module/hw_config_values.h"

namespace vta {

/// Appends values.
template <typename Fields>
class FieldWriter {
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

  void operator()(const char* key, const std::vector<std::byte>& bytes) {
    (*this)(key, static_cast<uint32_t>(bytes.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  template <typename T, size_t kCount>
  void operator()(const char* key, const std::array<T, kCount>& elements) {
    for (const T& element : elements) (*this)(key, element);
  }

  void operator()(const char* key, const std::optional<HwConfig>& hw) {
    (*this)(key, hw.has_value());
    if (hw) (*this)(key, valuesOf(*hw));
  }

  template <typename T>
  requires std::is_class_v<T>
  void operator()(const char* /*key*/, const T& value) { Fields{}(*this, value); }

  template <typename T, typename Names>
  void choice(const char* key, T value, const Names& /*names*/) {
    (*this)(key, static_cast<uint8_t>(value));
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads untrusted values. The first problem is kept, and turns every later call into a no-op.
template <typename Fields>
class FieldReader {
 public:
  /// `what` begins messages: "module metadata".
  FieldReader(std::string_view what, std::span<const std::byte> bytes)
      : what_(what), rest_(bytes) {}

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

  void operator()(const char* key, std::vector<std::byte>& bytes) {
    uint32_t size = 0;
    (*this)(key, size);
    const std::span<const std::byte> taken = take(key, size);
    bytes.assign(taken.begin(), taken.end());
  }

  template <typename T, size_t kCount>
  void operator()(const char* key, std::array<T, kCount>& elements) {
    for (T& element : elements) (*this)(key, element);
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
      status_ = config.status().withContext(what_);
    }
  }

  template <typename T>
  requires std::is_class_v<T>
  void operator()(const char* /*key*/, T& value) { Fields{}(*this, value); }

  template <typename T, typename Names>
  void choice(const char* key, T& value, const Names& names) {
    uint8_t index = 0;
    (*this)(key, index);
    if (index >= names.size()) return fail(key, fmt::format("has the unknown value {}", index));
    value = static_cast<T>(index);
  }

  bool ok() const { return status_.ok(); }

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
    status_ = invalidArgument(fmt::format("{}: '{}' {}", what_, key, problem));
    rest_ = {};
  }

  std::string_view what_;
  std::span<const std::byte> rest_;
  Status status_;
};

}  // namespace vta
