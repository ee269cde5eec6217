// Probes: small kernels whose results are known, one for each thing that kernels rely on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "module/gpu/gpu_program.h"

namespace vta::driver {

/// Invocations of a probe, which are one workgroup, and words of each of its buffers.
inline constexpr uint32_t kProbeWords = 64;

/// What a probe computes, in invocation i.
enum class ProbeKind : uint8_t {
  kProducts,   // (a * b + a) ^ the high word of a * b, in 32 bits
  kRoundings,  // a * b + a in float32, the product and the sum rounded one by one
  kShared,     // a[63 - i] + b[i], by way of shared memory
  kAtomics,    // byte i of the result is that of a[i], by atomic operations on words
  kInt8,       // a * b + a, in the narrow type
  kInt16,
  kInt64,               // the high word of a * b + a
  kFloat16,             // a * b + a, of numbers that it has exactly
  kFloat64,             // 2^-24 times a * b + a, of numbers that float32 does not have
  kStorage8,            // element i of `a` as bytes, times b
  kStorage16,           // the same with elements of 16 bits
  kDotProduct,          // of the four bytes of a and b
  kSubgroupArithmetic,  // the sum of ones over a subgroup
};

struct Probe {
  ProbeKind kind = ProbeKind::kProducts;
  std::string name;                   // "products"
  std::optional<GpuFeature> feature;  // what it needs; none: what every GPU has
};

/// All of them. Those that need no feature come first.
const std::vector<Probe>& allProbes();

using ProbeWords = std::vector<uint32_t>;

/// What it reads.
ProbeWords firstOperand(ProbeKind kind);
ProbeWords secondOperand(ProbeKind kind);

/// What it has to compute; empty for kSubgroupArithmetic, whose result says how large subgroups
/// are.
ProbeWords expectedResult(ProbeKind kind);

/// Whether `result` is right.
bool isRight(ProbeKind kind, const ProbeWords& result);

/// Its kernel as SPIR-V, OpenCL C and PTX, with buffers a, b and the result; fewer codes where a
/// form cannot say it.
GpuKernel probeKernel(const Probe& probe);

// The parts of probeKernel; empty where the form cannot say it.
std::vector<std::byte> probeSpirv(ProbeKind kind);
std::string probeOpenCl(ProbeKind kind);
std::string probePtx(ProbeKind kind);

}  // namespace vta::driver
