// Loads, stores, atomic operations and conversions.
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/driver/gpu/ptx/ptx_values.h"

namespace vta::driver::test {
namespace {

using Operation = std::function<void(PtxInvocation&)>;

template <typename T>
Operation load(const PtxLine& line, bool is_shared) {
  const std::vector<PtxOperand> to = line.operands[0];
  const PtxOperand address = line.operands[1][0];
  const auto offset = static_cast<uint64_t>(line.offsets[1]);
  return [=](PtxInvocation& at) {
    const uint64_t size_bytes = sizeof(T) * to.size();
    const std::byte* bytes = ptxBytesAt(at, is_shared, address.value(at) + offset, size_bytes);
    if (bytes == nullptr) return;
    for (size_t i = 0; i < to.size(); ++i) {
      T value;
      std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
      uint64_t bits = ptxBits<T>(value);
      if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
        bits = static_cast<uint64_t>(int64_t{value});  // registers may be wider
      }
      at.registers[to[i].index] = bits;
    }
  };
}

template <typename T>
Operation store(const PtxLine& line, bool is_shared) {
  const PtxOperand address = line.operands[0][0];
  const std::vector<PtxOperand> from = line.operands[1];
  const auto offset = static_cast<uint64_t>(line.offsets[0]);
  return [=](PtxInvocation& at) {
    const uint64_t size_bytes = sizeof(T) * from.size();
    std::byte* bytes = ptxBytesAt(at, is_shared, address.value(at) + offset, size_bytes);
    if (bytes == nullptr) return;
    if (is_shared) at.unpublished.emplace_back(bytes, size_bytes);
    for (size_t i = 0; i < from.size(); ++i) {
      const T value = ptxValue<T>(from[i].value(at));
      std::memcpy(bytes + i * sizeof(T), &value, sizeof(T));
    }
  };
}

Operation atomic(const PtxLine& line) {
  const bool is_and = line.has("and"), has_result = line.operands.size() == 3;
  if (!is_and && !line.has("or")) return {};
  const size_t place = has_result ? 1 : 0;
  const PtxOperand to = line.operands[0][0], address = line.operands[place][0],
                   operand = line.operands[place + 1][0];
  const auto offset = static_cast<uint64_t>(line.offsets[place]);
  return [=](PtxInvocation& at) {
    std::byte* bytes = ptxBytesAt(at, false, address.value(at) + offset, sizeof(uint32_t));
    if (bytes == nullptr) return;
    uint32_t word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    if (has_result) at.registers[to.index] = word;
    const auto bits = static_cast<uint32_t>(operand.value(at));
    word = is_and ? word & bits : word | bits;
    std::memcpy(bytes, &word, sizeof(word));
  };
}

Operation loadParameter(const PtxLine& line) {
  const PtxOperand to = line.operands[0][0];
  const int number = line.parameters[1];
  if (number < 0) return {};
  return [=](PtxInvocation& at) {
    if (static_cast<size_t>(number) >= at.ranges.size()) {
      at.error = "a parameter is missing";
      return;
    }
    at.registers[to.index] = reinterpret_cast<uint64_t>(at.ranges[number].data);
  };
}

template <typename T>
T rounded(const PtxLine& line, T value) {
  if (line.has("rni")) return std::nearbyint(value);
  if (line.has("rmi")) return std::floor(value);
  if (line.has("rpi")) return std::ceil(value);
  return line.has("rzi") ? std::trunc(value) : value;
}

/// Out of range is the nearest number, and NaN is zero.
template <typename To, typename From>
To saturated(From value) {
  if (std::isnan(value)) return 0;
  constexpr double kLeast = static_cast<double>(std::numeric_limits<To>::min());
  constexpr double kMost = static_cast<double>(std::numeric_limits<To>::max());
  if (static_cast<double>(value) <= kLeast) return std::numeric_limits<To>::min();
  if (static_cast<double>(value) >= kMost) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

template <typename To, typename From>
To converted(const PtxLine& line, From value) {
  if constexpr (std::is_floating_point_v<From>) {
    const From whole = rounded(line, value);
    if constexpr (std::is_floating_point_v<To>) return static_cast<To>(whole);
    if constexpr (std::is_integral_v<To>) return saturated<To>(whole);
  }
  if constexpr (std::is_integral_v<From>) return static_cast<To>(value);
}

}  // namespace

std::byte* ptxBytesAt(PtxInvocation& at, bool is_shared, uint64_t address, uint64_t size_bytes) {
  if (address % size_bytes != 0) at.error = "an address is not aligned";
  if (is_shared && address <= at.shared.size() && size_bytes <= at.shared.size() - address) {
    return at.shared.data() + address;
  }
  for (const PtxRange& range : at.ranges) {
    const auto begin = reinterpret_cast<uint64_t>(range.data);
    const bool is_inside = address >= begin && address - begin + size_bytes <= range.size_bytes;
    if (!is_shared && is_inside) return range.data + (address - begin);
  }
  at.error = "an access is outside of the kernel's memory";
  return nullptr;
}

Operation ptxMemoryOperation(const PtxLine& line) {
  const std::string& name = line.name[0];
  if (name == "atom" || name == "red") return atomic(line);
  if (name != "ld" && name != "st") return {};
  if (line.has("param")) return loadParameter(line);
  // An access that names no memory is to the kernel's buffers: no kernel mixes the two.
  const bool is_shared = line.has("shared");
  if (line.has("local") || line.has("const")) return {};
  return withPtxType(line.type(), [&](auto example) -> Operation {
    using T = decltype(example);
    return name == "ld" ? load<T>(line, is_shared) : store<T>(line, is_shared);
  });
}

Operation ptxConversion(const PtxLine& line) {
  if (line.name.size() < 3) return {};
  const PtxOperand to = line.operands[0][0], from = line.operands[1][0];
  return withPtxType(line.name[line.name.size() - 2], [&](auto result) -> Operation {
    using To = decltype(result);
    return withPtxType(line.type(), [&](auto argument) -> Operation {
      using From = decltype(argument);
      return [=](PtxInvocation& at) {
        const To value = converted<To, From>(line, ptxValue<From>(from.value(at)));
        uint64_t bits = ptxBits<To>(value);
        if constexpr (std::is_integral_v<To> && std::is_signed_v<To>) {
          bits = static_cast<uint64_t>(int64_t{value});
        }
        at.registers[to.index] = bits;
      };
    });
  });
}

}  // namespace vta::driver::test
