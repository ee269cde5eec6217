// Arithmetic, comparisons and choices.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/driver/gpu/ptx/ptx_values.h"

namespace vta::driver::test {
namespace {

using Operation = std::function<void(PtxInvocation&)>;

template <typename T, typename R, typename F>
Operation unary(const PtxLine& line, F function) {
  const PtxOperand to = line.operands[0][0], a = line.operands[1][0];
  return [=](PtxInvocation& at) {
    at.registers[to.index] = ptxBits<R>(function(ptxValue<T>(a.value(at))));
  };
}

template <typename T, typename R, typename F>
Operation binary(const PtxLine& line, F function) {
  const PtxOperand to = line.operands[0][0], a = line.operands[1][0], b = line.operands[2][0];
  return [=](PtxInvocation& at) {
    at.registers[to.index] =
        ptxBits<R>(function(ptxValue<T>(a.value(at)), ptxValue<T>(b.value(at))));
  };
}

/// The third operand has type R.
template <typename T, typename R, typename F>
Operation ternary(const PtxLine& line, F function) {
  const PtxOperand to = line.operands[0][0], a = line.operands[1][0], b = line.operands[2][0],
                   c = line.operands[3][0];
  return [=](PtxInvocation& at) {
    at.registers[to.index] = ptxBits<R>(
        function(ptxValue<T>(a.value(at)), ptxValue<T>(b.value(at)), ptxValue<R>(c.value(at))));
  };
}

template <typename T>
T highHalf(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>((Wide{a} * b) >> (8 * sizeof(T)));
}

template <typename T>
struct Twice {
  using Type = T;
};
template <>
struct Twice<uint16_t> {
  using Type = uint32_t;
};
template <>
struct Twice<int16_t> {
  using Type = int32_t;
};
template <>
struct Twice<uint32_t> {
  using Type = uint64_t;
};
template <>
struct Twice<int32_t> {
  using Type = int64_t;
};

template <typename T>
T wrappedProduct(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <typename T>
T wrappedSum(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

template <typename T>
Operation product(const PtxLine& line) {
  const bool adds = line.name[0] == "mad";
  if (line.has("wide")) {
    using W = typename Twice<T>::Type;
    if (adds) {
      return ternary<T, W>(line, [](T a, T b, W c) { return wrappedSum<W>(W{a} * W{b}, c); });
    }
    return binary<T, W>(line, [](T a, T b) { return W{a} * W{b}; });
  }
  if (line.has("hi")) {
    if (adds) {
      return ternary<T, T>(line, [](T a, T b, T c) { return wrappedSum(highHalf(a, b), c); });
    }
    return binary<T, T>(line, highHalf<T>);
  }
  if (!line.has("lo")) return {};
  if (adds) {
    return ternary<T, T>(line, [](T a, T b, T c) { return wrappedSum(wrappedProduct(a, b), c); });
  }
  return binary<T, T>(line, wrappedProduct<T>);
}

template <typename T>
Operation integerOperation(const PtxLine& line) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const std::string& name = line.name[0];
  if (name == "add") return binary<T, T>(line, wrappedSum<T>);
  if (name == "sub") {
    return binary<T, T>(line, [](T a, T b) {
      return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    });
  }
  if (name == "mul" || name == "mad") return product<T>(line);
  if (name == "div")
    return binary<T, T>(line, [](T a, T b) { return b == 0 ? T{} : static_cast<T>(a / b); });
  if (name == "rem")
    return binary<T, T>(line, [](T a, T b) { return b == 0 ? T{} : static_cast<T>(a % b); });
  if (name == "and") return binary<T, T>(line, [](T a, T b) { return static_cast<T>(a & b); });
  if (name == "or") return binary<T, T>(line, [](T a, T b) { return static_cast<T>(a | b); });
  if (name == "xor") return binary<T, T>(line, [](T a, T b) { return static_cast<T>(a ^ b); });
  if (name == "not") return unary<T, T>(line, [](T a) { return static_cast<T>(~a); });
  if (name == "neg")
    return unary<T, T>(line, [](T a) { return static_cast<T>(0 - static_cast<uint64_t>(a)); });
  if (name == "abs") {
    return unary<T, T>(
        line, [](T a) { return a < 0 ? static_cast<T>(0 - static_cast<uint64_t>(a)) : a; });
  }
  if (name == "min") return binary<T, T>(line, [](T a, T b) { return std::min(a, b); });
  if (name == "max") return binary<T, T>(line, [](T a, T b) { return std::max(a, b); });
  if (name == "clz") {
    return unary<PtxUnsigned<T>, uint32_t>(
        line, [](PtxUnsigned<T> a) { return static_cast<uint32_t>(std::countl_zero(a)); });
  }
  if (name == "popc") {
    return unary<PtxUnsigned<T>, uint32_t>(
        line, [](PtxUnsigned<T> a) { return static_cast<uint32_t>(std::popcount(a)); });
  }
  // Shifts by too much leave nothing but signs; their amounts have 32 bits.
  const PtxOperand to = line.operands[0][0];
  if (name == "shl" || name == "shr") {
    const PtxOperand a = line.operands[1][0], b = line.operands[2][0];
    const bool is_left = name == "shl";
    return [=](PtxInvocation& at) {
      const T value = ptxValue<T>(a.value(at));
      const auto amount = static_cast<uint32_t>(b.value(at));
      const unsigned most = std::min(amount, kBits - 1);
      T result = is_left ? static_cast<T>(static_cast<uint64_t>(value) << most)
                         : static_cast<T>(value >> most);
      if (amount >= kBits && (is_left || std::is_unsigned_v<T>)) result = 0;
      at.registers[to.index] = ptxBits<T>(result);
    };
  }
  return {};
}

template <typename T>
T smaller(T a, T b, bool keeps_nan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (keeps_nan) return std::numeric_limits<T>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) ? a : b;
  return std::min(a, b);
}

template <typename T>
Operation realOperation(const PtxLine& line) {
  const std::string& name = line.name[0];
  const bool keeps_nan = line.has("NaN");
  if (name == "add") return binary<T, T>(line, [](T a, T b) { return a + b; });
  if (name == "sub") return binary<T, T>(line, [](T a, T b) { return a - b; });
  if (name == "mul") return binary<T, T>(line, [](T a, T b) { return a * b; });
  if (name == "div") return binary<T, T>(line, [](T a, T b) { return a / b; });
  if (name == "fma") return ternary<T, T>(line, [](T a, T b, T c) { return std::fma(a, b, c); });
  if (name == "rcp") return unary<T, T>(line, [](T a) { return T{1} / a; });
  if (name == "sqrt") return unary<T, T>(line, [](T a) { return std::sqrt(a); });
  if (name == "neg") return unary<T, T>(line, [](T a) { return -a; });
  if (name == "abs") return unary<T, T>(line, [](T a) { return std::fabs(a); });
  if (name == "copysign") return binary<T, T>(line, [](T a, T b) { return std::copysign(b, a); });
  if (name == "min") {
    return binary<T, T>(line, [=](T a, T b) { return smaller(a, b, keeps_nan); });
  }
  if (name == "max") {
    return binary<T, T>(line, [=](T a, T b) { return -smaller<T>(-a, -b, keeps_nan); });
  }
  return {};
}

/// Comparisons of floats whose name ends in u are true for NaN.
template <typename T>
std::function<bool(T, T)> comparison(std::string name) {
  if constexpr (std::is_floating_point_v<T>) {
    if (name == "num") return [](T a, T b) { return !std::isnan(a) && !std::isnan(b); };
    if (name == "nan") return [](T a, T b) { return std::isnan(a) || std::isnan(b); };
    if (name.size() == 3 && name.back() == 'u') {
      const auto ordered = comparison<T>(name.substr(0, 2));
      return [=](T a, T b) { return std::isnan(a) || std::isnan(b) || ordered(a, b); };
    }
    if (name == "ne") return [](T a, T b) { return a < b || a > b; };
  }
  if (name == "eq") return [](T a, T b) { return a == b; };
  if (name == "ne") return [](T a, T b) { return a != b; };
  if (name == "lt" || name == "lo") return [](T a, T b) { return a < b; };
  if (name == "le" || name == "ls") return [](T a, T b) { return a <= b; };
  if (name == "gt" || name == "hi") return [](T a, T b) { return a > b; };
  if (name == "ge" || name == "hs") return [](T a, T b) { return a >= b; };
  return {};
}

/// setp.lt.f32, and setp.lt.and.f32 with a predicate as the last operand.
Operation compare(const PtxLine& line) {
  return withPtxType(line.type(), [&](auto example) -> Operation {
    using T = decltype(example);
    const auto compares = comparison<T>(line.name[1]);
    if (!compares) return {};
    if (line.operands.size() == 3) return binary<T, bool>(line, compares);
    const PtxOperand to = line.operands[0][0], a = line.operands[1][0], b = line.operands[2][0],
                     c = line.operands[3][0];
    const bool is_or = line.has("or"), is_and = line.has("and");
    if (!is_or && !is_and) return {};
    return [=](PtxInvocation& at) {
      const bool first = compares(ptxValue<T>(a.value(at)), ptxValue<T>(b.value(at)));
      const bool second = c.value(at) != 0;
      at.registers[to.index] = ptxBits<bool>(is_or ? first || second : first && second);
    };
  });
}

Operation choose(const PtxLine& line) {
  const PtxOperand to = line.operands[0][0], a = line.operands[1][0], b = line.operands[2][0],
                   condition = line.operands[3][0];
  return [=](PtxInvocation& at) {
    at.registers[to.index] = condition.value(at) != 0 ? a.value(at) : b.value(at);
  };
}

/// Moves, also of parts to or from the register that they fill: two words and one of 64 bits, two
/// halves and one of 32.
Operation move(const PtxLine& line) {
  const std::vector<PtxOperand> to = line.operands[0], from = line.operands[1];
  const bool is_long = line.type().ends_with("64");
  const unsigned bits =
      (is_long ? 64 : 32) / static_cast<unsigned>(std::max(to.size(), from.size()));
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  if (to.size() == 1 && from.size() == 1) {
    return [=](PtxInvocation& at) { at.registers[to[0].index] = from[0].value(at); };
  }
  return [=](PtxInvocation& at) {
    uint64_t value = 0;
    for (size_t i = 0; i < from.size(); ++i) {
      value |= from.size() == 1 ? from[i].value(at) : (from[i].value(at) & mask) << (bits * i);
    }
    for (size_t i = 0; i < to.size(); ++i) {
      at.registers[to[i].index] = to.size() == 1 ? value : value >> (bits * i) & mask;
    }
  };
}

/// A part of the bits, and the same with its sign.
Operation extractBits(const PtxLine& line) {
  const bool is_signed = line.type() == "s32";
  return ternary<uint32_t, uint32_t>(line, [=](uint32_t a, uint32_t begin, uint32_t count) {
    begin &= 0xff;
    count &= 0xff;
    if (count == 0 || begin > 31) return 0U;
    const uint32_t left = begin + count >= 32 ? 0 : 32 - begin - count;
    const uint32_t high = a << left;
    const uint32_t down = std::min(left + begin, 31U);
    return is_signed ? static_cast<uint32_t>(static_cast<int32_t>(high) >> down) : high >> down;
  });
}

Operation permuteBytes(const PtxLine& line) {
  return ternary<uint32_t, uint32_t>(line, [](uint32_t a, uint32_t b, uint32_t selector) {
    const uint64_t bytes = uint64_t{b} << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const uint32_t choice = selector >> (4 * i);
      auto byte = static_cast<uint8_t>(bytes >> (8 * (choice & 7)));
      if ((choice & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      result |= uint32_t{byte} << (8 * i);
    }
    return result;
  });
}

/// The high or low word of two words that are shifted together.
Operation funnelShift(const PtxLine& line) {
  const bool is_left = line.has("l"), wraps = line.has("wrap");
  return ternary<uint32_t, uint32_t>(line, [=](uint32_t low, uint32_t high, uint32_t amount) {
    amount = wraps ? amount & 31 : std::min(amount, 32U);
    const uint64_t both = uint64_t{high} << 32 | low;
    return static_cast<uint32_t>(is_left ? (both << amount) >> 32 : both >> amount);
  });
}

Operation dotProduct(const PtxLine& line) {
  return ternary<uint32_t, uint32_t>(line, [](uint32_t a, uint32_t b, uint32_t sum) {
    for (int shift = 0; shift < 32; shift += 8) {
      sum +=
          static_cast<uint32_t>(static_cast<int8_t>(a >> shift) * static_cast<int8_t>(b >> shift));
    }
    return sum;
  });
}

/// True is any number but zero: "xor.pred %p1, %p1, -1" turns a predicate over.
Operation ofPredicates(const PtxLine& line) {
  const std::string& name = line.name[0];
  if (name == "and")
    return binary<uint32_t, bool>(line, [](uint32_t a, uint32_t b) { return a != 0 && b != 0; });
  if (name == "or")
    return binary<uint32_t, bool>(line, [](uint32_t a, uint32_t b) { return a != 0 || b != 0; });
  if (name == "xor") {
    return binary<uint32_t, bool>(line,
                                  [](uint32_t a, uint32_t b) { return (a != 0) != (b != 0); });
  }
  if (name == "not") return unary<uint32_t, bool>(line, [](uint32_t a) { return a == 0; });
  return {};
}

}  // namespace

Operation ptxOperation(const PtxLine& line) {
  const std::string& name = line.name[0];
  if (Operation memory = ptxMemoryOperation(line)) return memory;
  if (name == "cp") return ptxCopyOperation(line);
  if (name == "wgmma" || name == "fence") return ptxGroupFence(line);
  if (name == "cvt") return ptxConversion(line);
  if (name == "cvta") return move(line);
  if (name == "mov") return move(line);
  if (name == "setp") return compare(line);
  if (name == "selp") return choose(line);
  if (name == "bfe") return extractBits(line);
  if (name == "prmt") return permuteBytes(line);
  if (name == "shf") return funnelShift(line);
  if (name == "dp4a") return dotProduct(line);
  if (line.type() == "pred") return ofPredicates(line);
  return withPtxType(line.type(), [&](auto example) -> Operation {
    using T = decltype(example);
    if constexpr (std::is_floating_point_v<T>) return realOperation<T>(line);
    if constexpr (std::is_integral_v<T>) return integerOperation<T>(line);
  });
}

}  // namespace vta::driver::test
