#include "base/numpy/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/half.h"

namespace vta {
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

/// How an element lies in the file.
struct Element {
  DType dtype = DType::kF32;  // of the tensor that it goes to
  size_t bytes = 0;
  bool is_half = false;  // float16, for which tensors have no type: becomes float32
  bool is_big_endian = false;
};

/// The text between the quotes that `descr` starts with; a part of it when that is something else,
/// such as the list of a structure's fields.
std::string_view descrText(std::string_view descr) {
  constexpr size_t kMostShown = 40;
  const bool is_quoted = descr.starts_with('\'');
  if (is_quoted) descr.remove_prefix(1);
  return descr.substr(0, std::min(descr.find_first_of(is_quoted ? "'" : "}"), kMostShown));
}

std::optional<Element> parseDescr(std::string_view descr) {
  constexpr std::string_view kOrders = "<>|=";  // little, big, none needed, this machine's
  if (descr.size() != 3 || kOrders.find(descr[0]) == std::string_view::npos) return std::nullopt;
  const bool is_big_endian = descr[0] == '>';
  descr.remove_prefix(1);
  if (descr == "f2") return Element{DType::kF32, 2, true, is_big_endian};
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f4", DType::kF32}, {"f8", DType::kF64}, {"i1", DType::kI8},  {"u1", DType::kU8},
      {"i2", DType::kI16}, {"u2", DType::kU16}, {"i4", DType::kI32}, {"u4", DType::kU32},
      {"i8", DType::kI64}, {"u8", DType::kU64}, {"b1", DType::kBool}};
  for (const auto& [name, dtype] : kTypes) {
    if (descr == name) return Element{dtype, dtypeBytes(dtype), false, is_big_endian};
  }
  return std::nullopt;
}

std::string_view descrOf(DType dtype) {
  constexpr std::string_view kDescr[] = {"<f4", "<f8", "|i1", "|u1", "<i2", "<u2",
                                         "<i4", "<u4", "<i8", "<u8", "|b1", "<f2"};
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

/// Bytes of the elements in the file; nothing on overflow, also of what they become.
std::optional<uint64_t> sizeOf(const Element& element, const std::vector<int64_t>& shape) {
  constexpr uint64_t kMostElementBytes = 8;
  uint64_t bytes = kMostElementBytes;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes)) return std::nullopt;
  }
  return bytes / kMostElementBytes * element.bytes;
}

void copyElement(const Element& element, const std::byte* from, std::byte* to) {
  std::array<std::byte, 8> bytes{};
  std::copy_n(from, element.bytes, bytes.begin());
  if (element.is_big_endian) {
    std::reverse(bytes.begin(), bytes.begin() + static_cast<int64_t>(element.bytes));
  }
  if (!element.is_half) {
    std::memcpy(to, bytes.data(), element.bytes);
    return;
  }
  uint16_t half = 0;
  std::memcpy(&half, bytes.data(), sizeof half);
  const float value = halfToFloat(half);
  std::memcpy(to, &value, sizeof value);
}

/// Where element `flat` in C order lies among `count` elements in Fortran order.
size_t placeInFortranOrder(const std::vector<int64_t>& shape, size_t count, size_t flat) {
  size_t place = 0;
  size_t stride = count;
  for (size_t axis = shape.size(); axis-- > 0;) {
    const auto extent = static_cast<size_t>(shape[axis]);
    stride /= extent;
    place += flat % extent * stride;
    flat /= extent;
  }
  return place;
}

/// The elements in C order, little endian, of a type that tensors have.
Tensor convert(const Element& element, bool is_fortran, const std::vector<int64_t>& shape,
               const std::byte* data) {
  Tensor tensor = Tensor::zeros(element.dtype, shape);
  const size_t target_bytes = dtypeBytes(element.dtype);
  const auto count = static_cast<size_t>(tensor.elementCount());
  for (size_t i = 0; i < count; ++i) {
    const size_t place = is_fortran ? placeInFortranOrder(shape, count, i) : i;
    copyElement(element, data + place * element.bytes, tensor.data.data() + i * target_bytes);
  }
  return tensor;
}

}  // namespace

Result<Tensor> parseNpy(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic)) return invalidArgument("not a .npy file");
  if (text.size() < kPreludeBytes + 4) return invalidArgument("truncated .npy file");
  constexpr int kNewestVersion = 3;
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > kNewestVersion || text[7] != 0) {
    return unsupported(fmt::format("version {}.{} of the .npy format; use 1.0, 2.0 or 3.0", version,
                                   static_cast<int>(static_cast<unsigned char>(text[7]))));
  }
  const bool is_short = version == 1;
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
  const bool is_fortran = order->starts_with("True");
  if (!is_fortran && !order->starts_with("False")) return invalidArgument("damaged .npy header");
  const std::string_view type = descrText(*descr);
  const auto element = parseDescr(type);
  if (!element) {
    return unsupported(
        fmt::format("element type '{}' of the .npy file; use a float, an integer or bool", type));
  }
  const auto data = file.subspan(header_at + header_bytes);
  const auto size_bytes = sizeOf(*element, *shape);
  if (!size_bytes || *size_bytes > data.size()) {
    return invalidArgument(
        fmt::format("truncated .npy file: {} needs more bytes", describe(element->dtype, *shape)));
  }
  if (is_fortran || element->is_half || element->is_big_endian) {
    return convert(*element, is_fortran, *shape, data.data());
  }
  return Tensor{
      element->dtype, *shape, {data.begin(), data.begin() + static_cast<int64_t>(*size_bytes)}};
}

std::string npyHeader(DType dtype, std::span<const int64_t> shape) {
  // As a tuple of Python: one number has a comma, too.
  const std::string tuple =
      fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                       descrOf(dtype), tuple);
  // The data starts at a multiple of 64 bytes, behind the end of a line.
  constexpr size_t kLengthBytes = 2;
  const size_t unpadded_bytes = kPreludeBytes + kLengthBytes + dictionary.size() + 1;
  dictionary.append((64 - unpadded_bytes % 64) % 64, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

std::vector<std::byte> serializeNpy(const Tensor& tensor) {
  // NumPy has no bfloat16.
  if (tensor.dtype == DType::kBF16) return serializeNpy(toFloatType(tensor, DType::kF32));
  const std::string header = npyHeader(tensor.dtype, tensor.shape);
  const auto bytes = std::as_bytes(std::span(header));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  file.insert(file.end(), tensor.data.begin(), tensor.data.end());
  return file;
}

}  // namespace vta
