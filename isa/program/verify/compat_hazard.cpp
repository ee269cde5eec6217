#include "isa/program/verify/compat_hazard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace vta {
namespace {

// Iterations whose ACC writes a later one does not see.
constexpr uint32_t kHazardDistance = 2;

// One iteration's place in the flattened loops i0, i1, u.
struct Iteration {
  uint32_t i0;
  uint32_t i1;
  uint32_t u;
};

template <typename Body>
uint32_t dstOf(const Body& body, std::span<const Uop> uops, const Iteration& it) {
  return uops[it.u].dst_idx + it.i0 * body.dst_factor_out + it.i1 * body.dst_factor_in;
}

std::string hazardText(uint32_t element, uint32_t distance) {
  return fmt::format(
      "compat 0.0.2: ACC[{}] is used again {} iteration{} after it is written in the same "
      "instruction; published hardware does not see the write",
      element, distance, distance == 1 ? "" : "s");
}

// dst against dst: the difference of two iterations' indices depends only on the pair of micro-ops
// and on which loops carry in between, so a few representatives stand for all iterations.
template <typename Body>
std::string findDstHazard(const Body& body, std::span<const Uop> uops) {
  const auto uop_count = static_cast<uint32_t>(uops.size());
  const auto check = [&](const Iteration& it, uint32_t distance) -> std::string {
    const uint32_t next_u = it.u + distance;
    const uint32_t next_i1 = it.i1 + next_u / uop_count;
    const Iteration next{it.i0 + next_i1 / body.iter_in, next_i1 % body.iter_in,
                         next_u % uop_count};
    if (next.i0 >= body.iter_out) return "";
    const uint32_t element = dstOf(body, uops, it);
    return element == dstOf(body, uops, next) ? hazardText(element, distance) : "";
  };
  for (uint32_t distance = 1; distance <= kHazardDistance; ++distance) {
    for (uint32_t u = 0; u + distance < uop_count; ++u) {
      if (std::string text = check({0, 0, u}, distance); !text.empty()) return text;
    }
    // Pairs across a carry: into the inner loop, and (from its last iterations) into the outer one.
    const uint32_t first_carry = uop_count > distance ? uop_count - distance : 0;
    const uint32_t tail = std::min(body.iter_in, kHazardDistance);
    for (uint32_t u = first_carry; u < uop_count; ++u) {
      for (uint32_t i1 : {0u, body.iter_in - tail, body.iter_in - 1}) {
        if (std::string text = check({0, i1, u}, distance); !text.empty()) return text;
      }
    }
  }
  return "";
}

// True if a * i == b for some i in [0, count).
bool hasSolution(int64_t a, int64_t b, int64_t count) {
  if (a == 0) return b == 0 && count > 0;
  return b % a == 0 && b / a >= 0 && b / a < count;
}

// dst against the src of a tensor operation, `distance` iterations later. Their factors may differ,
// so for each i0 the inner iterations that collide are the solution of a linear equation.
bool srcHazardAt(const AluInsn& alu, std::span<const Uop> uops, uint32_t distance) {
  const auto uop_count = static_cast<uint32_t>(uops.size());
  // An outer loop that moves neither index repeats itself.
  const bool still = alu.dst_factor_out == 0 && alu.src_factor_out == 0;
  const uint32_t iter_out = still ? std::min(alu.iter_out, kHazardDistance + 1) : alu.iter_out;
  const int64_t dfo = alu.dst_factor_out, dfi = alu.dst_factor_in;
  const int64_t sfo = alu.src_factor_out, sfi = alu.src_factor_in;
  const int64_t iter_in = alu.iter_in;
  for (uint32_t u = 0; u < uop_count; ++u) {
    const int64_t carry = (u + distance) / uop_count;
    const int64_t dst = uops[u].dst_idx;
    const int64_t src = uops[(u + distance) % uop_count].src_idx;
    for (int64_t i0 = 0; i0 < iter_out; ++i0) {
      const int64_t gap = src + carry * sfi - dst + i0 * (sfo - dfo);
      if (hasSolution(dfi - sfi, gap, iter_in - carry)) return true;
      for (int64_t i1 = std::max<int64_t>(0, iter_in - carry); i1 < iter_in; ++i1) {
        const int64_t next_i0 = i0 + (i1 + carry) / iter_in;
        const int64_t next_i1 = (i1 + carry) % iter_in;
        const bool same = dst + i0 * dfo + i1 * dfi == src + next_i0 * sfo + next_i1 * sfi;
        if (next_i0 < iter_out && same) return true;
      }
    }
  }
  return false;
}

std::string findSrcHazard(const AluInsn& alu, std::span<const Uop> uops) {
  for (uint32_t distance = 1; distance <= kHazardDistance; ++distance) {
    if (!srcHazardAt(alu, uops, distance)) continue;
    return fmt::format(
        "compat 0.0.2: an ACC element is read as src {} iteration{} after it is written in the "
        "same instruction; published hardware does not see the write",
        distance, distance == 1 ? "" : "s");
  }
  return "";
}

}  // namespace

std::string findCompatHazard(const GemmInsn& gemm, std::span<const Uop> uops) {
  return findDstHazard(gemm, uops);
}

std::string findCompatHazard(const AluInsn& alu, std::span<const Uop> uops) {
  std::string hazard = findDstHazard(alu, uops);
  if (hazard.empty() && !alu.use_imm) hazard = findSrcHazard(alu, uops);
  return hazard;
}

}  // namespace vta
