#include "driver/gpu/probes/probe.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace vta::driver {
namespace {

constexpr const char* kEntryPoint = "probe";

/// Numbers without a pattern, always the same.
ProbeWords mixedWords(uint32_t seed) {
  ProbeWords words(kProbeWords);
  for (uint32_t& word : words) {
    seed = seed * 1664525 + 1013904223;
    word = seed ^ (seed >> 13);
  }
  return words;
}

/// `words` shortened to numbers from -limit to limit.
ProbeWords limited(ProbeWords words, int32_t limit) {
  for (uint32_t& word : words) {
    word = static_cast<uint32_t>(static_cast<int32_t>(word % (2 * limit + 1)) - limit);
  }
  return words;
}

/// Floats between 1 and 2 with all of their bits.
ProbeWords mixedFloats(ProbeWords words) {
  constexpr uint32_t kFraction = 0x007fffff, kOne = 0x3f800000;
  for (uint32_t& word : words) word = (word & kFraction) | kOne | 1;
  return words;
}

ProbeWords operandOf(ProbeKind kind, uint32_t seed) {
  constexpr int32_t kSmall = 31;             // a * b + a has 11 bits
  constexpr int32_t kLarge = (1 << 25) - 1;  // it has more than the 24 bits of float32
  switch (kind) {
    case ProbeKind::kRoundings:
      return mixedFloats(mixedWords(seed));
    case ProbeKind::kFloat16:
      return limited(mixedWords(seed), kSmall);
    case ProbeKind::kFloat64:
      return limited(mixedWords(seed), kLarge);
    case ProbeKind::kSubgroupArithmetic:
      return ProbeWords(kProbeWords, 1);
    default:
      return mixedWords(seed);
  }
}

uint32_t roundedSum(uint32_t a, uint32_t b) {
  const float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  // Stored in between, so that no compiler rounds once.
  const volatile float product = x * y;
  const volatile float sum = product + x;
  return std::bit_cast<uint32_t>(static_cast<float>(sum));
}

template <typename T>
uint32_t inNarrow(uint32_t a, uint32_t b) {
  const auto x = static_cast<T>(a), y = static_cast<T>(b);
  return static_cast<uint32_t>(static_cast<int32_t>(static_cast<T>(x * y + x)));
}

int64_t inWide(uint32_t a, uint32_t b) {
  const auto x = int64_t{static_cast<int32_t>(a)}, y = int64_t{static_cast<int32_t>(b)};
  return x * y + x;
}

uint32_t dotProduct(uint32_t a, uint32_t b) {
  int32_t sum = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    sum += static_cast<int8_t>(a >> shift) * static_cast<int8_t>(b >> shift);
  }
  return static_cast<uint32_t>(sum);
}

template <typename T>
uint32_t elementOf(const ProbeWords& words, uint32_t i) {
  T element = 0;
  std::memcpy(&element, reinterpret_cast<const std::byte*>(words.data()) + i * sizeof(T),
              sizeof(T));
  return static_cast<uint32_t>(static_cast<int32_t>(element));
}

uint32_t resultAt(ProbeKind kind, const ProbeWords& a, const ProbeWords& b, uint32_t i) {
  switch (kind) {
    case ProbeKind::kProducts:
      return (a[i] * b[i] + a[i]) ^ static_cast<uint32_t>((uint64_t{a[i]} * b[i]) >> 32);
    case ProbeKind::kRoundings:
      return roundedSum(a[i], b[i]);
    case ProbeKind::kShared:
      return a[kProbeWords - 1 - i] + b[i];
    case ProbeKind::kAtomics: {
      if (i >= kProbeWords / 4) return 0;
      uint32_t word = 0;
      for (uint32_t k = 0; k < 4; ++k) word |= (a[4 * i + k] & 0xff) << (8 * k);
      return word;
    }
    case ProbeKind::kInt8:
      return inNarrow<int8_t>(a[i], b[i]);
    case ProbeKind::kInt16:
      return inNarrow<int16_t>(a[i], b[i]);
    case ProbeKind::kInt64:
      return static_cast<uint32_t>(static_cast<uint64_t>(inWide(a[i], b[i])) >> 32);
    case ProbeKind::kFloat16:
      return static_cast<uint32_t>(inWide(a[i], b[i]));
    case ProbeKind::kFloat64:
      return static_cast<uint32_t>(static_cast<int32_t>(inWide(a[i], b[i]) / (1 << 24)));
    case ProbeKind::kStorage8:
      return elementOf<int8_t>(a, i) * b[i];
    case ProbeKind::kStorage16:
      return elementOf<int16_t>(a, i) * b[i];
    case ProbeKind::kDotProduct:
      return dotProduct(a[i], b[i]);
    case ProbeKind::kSubgroupArithmetic:
      break;
  }
  return 0;
}

std::vector<std::byte> bytesOf(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

const std::vector<Probe>& allProbes() {
  using enum ProbeKind;
  static const std::vector<Probe> probes = {
      {kProducts, "products of integers", {}},
      {kRoundings, "roundings of floats", {}},
      {kShared, "shared memory", {}},
      {kAtomics, "atomic operations", {}},
      {kInt8, "int8", GpuFeature::kInt8},
      {kInt16, "int16", GpuFeature::kInt16},
      {kInt64, "int64", GpuFeature::kInt64},
      {kFloat16, "float16", GpuFeature::kFloat16},
      {kFloat64, "float64", GpuFeature::kFloat64},
      {kStorage8, "storage8", GpuFeature::kStorage8},
      {kStorage16, "storage16", GpuFeature::kStorage16},
      {kDotProduct, "integer_dot_product", GpuFeature::kIntegerDotProduct},
      {kSubgroupArithmetic, "subgroup_arithmetic", GpuFeature::kSubgroupArithmetic},
  };
  return probes;
}

ProbeWords firstOperand(ProbeKind kind) { return operandOf(kind, 1); }
ProbeWords secondOperand(ProbeKind kind) { return operandOf(kind, 2); }

ProbeWords expectedResult(ProbeKind kind) {
  if (kind == ProbeKind::kSubgroupArithmetic) return {};
  const ProbeWords a = firstOperand(kind), b = secondOperand(kind);
  ProbeWords result(kProbeWords);
  for (uint32_t i = 0; i < kProbeWords; ++i) result[i] = resultAt(kind, a, b, i);
  return result;
}

bool isRight(ProbeKind kind, const ProbeWords& result) {
  if (kind != ProbeKind::kSubgroupArithmetic) return result == expectedResult(kind);
  const uint32_t size = result.front();
  const bool is_equal = std::ranges::all_of(result, [&](uint32_t word) { return word == size; });
  return is_equal && size > 0 && size <= kProbeWords;
}

GpuKernel probeKernel(const Probe& probe) {
  GpuKernel kernel;
  kernel.name = probe.name;
  kernel.workgroup_size = {kProbeWords, 1, 1};
  kernel.shared_bytes = probe.kind == ProbeKind::kShared ? 4 * kProbeWords : 0;
  kernel.bindings = {GpuAccess::kRead, GpuAccess::kRead, GpuAccess::kReadWrite};
  GpuFeatures features;
  if (probe.feature) features.add(*probe.feature);
  const auto add = [&](GpuCodeForm form, const char* target, std::vector<std::byte> code) {
    if (code.empty()) return;
    kernel.codes.push_back({form, kEntryPoint, target, features, std::move(code)});
  };
  add(GpuCodeForm::kSpirv, "", probeSpirv(probe.kind));
  add(GpuCodeForm::kOpenClC, "", bytesOf(probeOpenCl(probe.kind)));
  add(GpuCodeForm::kPtx, "sm_75", bytesOf(probePtx(probe.kind)));
  return kernel;
}

}  // namespace vta::driver
