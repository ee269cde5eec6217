#include "tools/inputs/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace vta::tools {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kPreludeBytes = 8;  // magic and version

/// The text behind `'key':` in the header's dictionary, blanks skipped.
std::optional<std::string_view> valueOf(std::string_view header, std::string_view key) {
  const size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return std::nullopt;
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

std::optional<DType> parseDescr(std::string_view descr) {
  if (descr.size() < 5 || descr[0] != '\'') return std::nullopt;
  if (descr[1] != '<' && descr[1] != '|') return std::nullopt;
  const std::string_view type = descr.substr(2, 2);
  if (descr[4] != '\'') return std::nullopt;
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f4", DType::kF32}, {"f8", DType::kF64}, {"i1", DType::kI8},  {"u1", DType::kU8},
      {"i2", DType::kI16}, {"u2", DType::kU16}, {"i4", DType::kI32}, {"u4", DType::kU32},
      {"i8", DType::kI64}, {"u8", DType::kU64}, {"b1", DType::kBool}};
  for (const auto& [name, dtype] : kTypes) {
    if (type == name) return dtype;
  }
  return std::nullopt;
}

std::string_view descrOf(DType dtype) {
  constexpr std::string_view kDescr[] = {"<f4", "<f8", "|i1", "|u1", "<i2", "<u2",
                                         "<i4", "<u4", "<i8", "<u8", "|b1"};
  return kDescr[static_cast<size_t>(dtype)];
}

std::optional<std::vector<int64_t>> parseShape(std::string_view text) {
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos) return std::nullopt;
  text = text.substr(1, end - 1);
  std::vector<int64_t> shape;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.empty()) return shape;
    int64_t extent = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
  }
}

/// Bytes of the elements; nothing on overflow.
std::optional<uint64_t> sizeOf(DType dtype, const std::vector<int64_t>& shape) {
  uint64_t bytes = dtypeBytes(dtype);
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace

Result<Tensor> parseNpy(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic)) return invalidArgument("not a .npy file");
  if (text.size() < kPreludeBytes + 4) return invalidArgument("truncated .npy file");
  const bool is_short = text[6] == 1;
  uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, &text[kPreludeBytes], is_short ? 2 : 4);
  const size_t header_at = kPreludeBytes + (is_short ? 2 : 4);
  if (header_bytes > text.size() - header_at) return invalidArgument("truncated .npy file");
  const std::string_view header = text.substr(header_at, header_bytes);

  const auto descr = valueOf(header, "descr");
  const auto order = valueOf(header, "fortran_order");
  const auto shape_text = valueOf(header, "shape");
  const auto shape = shape_text ? parseShape(*shape_text) : std::nullopt;
  if (!descr || !order || !shape) return invalidArgument("damaged .npy header");
  if (!order->starts_with("False")) {
    return unsupported("the .npy file is in Fortran order; save numpy.ascontiguousarray(array)");
  }
  const auto dtype = parseDescr(*descr);
  if (!dtype) {
    return unsupported(
        fmt::format("element type {} of the .npy file; use float32 or an integer "
                    "type, little endian",
                    descr->substr(0, 8)));
  }
  const auto data = file.subspan(header_at + header_bytes);
  const auto size_bytes = sizeOf(*dtype, *shape);
  if (!size_bytes || *size_bytes > data.size()) {
    return invalidArgument(
        fmt::format("truncated .npy file: {} needs more bytes", describe(*dtype, *shape)));
  }
  return Tensor{*dtype, *shape, {data.begin(), data.begin() + static_cast<int64_t>(*size_bytes)}};
}

std::vector<std::byte> serializeNpy(const Tensor& tensor) {
  std::string shape;
  for (const int64_t extent : tensor.shape) shape += fmt::format("{}, ", extent);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descrOf(tensor.dtype), shape);
  // The data starts at a multiple of 64 bytes.
  const size_t unpadded_bytes = kPreludeBytes + 2 + header.size() + 1;
  header.append((64 - unpadded_bytes % 64) % 64, ' ');
  header += '\n';
  std::string prelude(kMagic);
  prelude += '\x01';
  prelude += '\0';
  prelude += static_cast<char>(header.size() & 0xff);
  prelude += static_cast<char>(header.size() >> 8);
  const std::string text = prelude + header;
  std::vector<std::byte> file;
  const auto bytes = std::as_bytes(std::span(text));
  file.insert(file.end(), bytes.begin(), bytes.end());
  file.insert(file.end(), tensor.data.begin(), tensor.data.end());
  return file;
}

}  // namespace vta::tools
