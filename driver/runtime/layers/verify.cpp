#include "driver/runtime/layers/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "base/half.h"

namespace vta::driver {
namespace {

/// Element `index`; of a packed activation, [N/b][C/blk][H][W][b][blk], where it lies in the image.
std::string describePlace(const TensorInfo& tensor, int64_t index) {
  if (tensor.shape.size() != 6) return fmt::format("element {}", index);
  std::array<int64_t, 6> at;
  for (size_t i = at.size(); i-- > 0;) {
    at[i] = index % tensor.shape[i];
    index /= tensor.shape[i];
  }
  return fmt::format("n={} c={} y={} x={}", at[0] * tensor.shape[4] + at[4],
                     at[1] * tensor.shape[5] + at[5], at[2], at[3]);
}

std::string describeValue(DType dtype, std::span<const std::byte> bytes) {
  if (dtype == DType::kI8) return fmt::format("{}", static_cast<int8_t>(bytes[0]));
  if (dtype == DType::kI32) {
    int32_t value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return fmt::format("{}", value);
  }
  if (dtype == DType::kF32) {
    float value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return fmt::format("{}", value);
  }
  std::string text = "0x";
  for (size_t i = bytes.size(); i-- > 0;) {
    text += fmt::format("{:02x}", std::to_integer<int>(bytes[i]));
  }
  return text;
}

/// Names of machines are abbreviations: "VTA".
std::string capitals(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

double valueOf(DType dtype, const std::byte* bytes) {
  if (dtype == DType::kF32) {
    float value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  if (dtype == DType::kF64) {
    double value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  uint16_t half;
  std::memcpy(&half, bytes, sizeof(half));
  return halfToFloat(half);
}

bool takesTolerance(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kF64;
}

/// Compares elements of one tensor.
class ElementComparison {
 public:
  ElementComparison(DType dtype, std::span<const std::byte> expected, double tolerance)
      : dtype_(dtype), element_bytes_(dtypeBytes(dtype)) {
    if (tolerance == 0 || !takesTolerance(dtype)) return;
    double largest = 0;
    for (size_t at = 0; at + element_bytes_ <= expected.size(); at += element_bytes_) {
      const double value = std::abs(valueOf(dtype, &expected[at]));
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
    bound_ = tolerance * largest;
  }

  bool areEqual(const std::byte* actual, const std::byte* expected) const {
    if (std::memcmp(actual, expected, element_bytes_) == 0) return true;
    if (bound_ < 0) return false;
    const double a = valueOf(dtype_, actual), b = valueOf(dtype_, expected);
    return std::abs(a - b) <= bound_ || (std::isnan(a) && std::isnan(b));
  }

 private:
  DType dtype_;
  size_t element_bytes_;
  double bound_ = -1;  // none: bytes have to be equal
};

}  // namespace

Status compareWithReference(const TensorInfo& tensor, std::string_view machine,
                            std::span<const std::byte> actual, std::span<const std::byte> expected,
                            double tolerance) {
  if (std::memcmp(actual.data(), expected.data(), actual.size()) == 0) return {};
  const size_t element_bytes = dtypeBytes(tensor.dtype);
  const auto count = static_cast<int64_t>(actual.size() / element_bytes);
  const ElementComparison elements(tensor.dtype, expected, tolerance);
  int64_t first = -1;
  int64_t different = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (elements.areEqual(&actual[i * element_bytes], &expected[i * element_bytes])) continue;
    if (different++ == 0) first = i;
  }
  if (different == 0) return {};
  return {StatusCode::kDeviceFault,
          fmt::format(
              "the {}'s result differs from the reference at {}: {} instead of {} "
              "({} of {} elements differ)",
              capitals(machine), describePlace(tensor, first),
              describeValue(tensor.dtype, actual.subspan(first * element_bytes, element_bytes)),
              describeValue(tensor.dtype, expected.subspan(first * element_bytes, element_bytes)),
              different, count)};
}

}  // namespace vta::driver
