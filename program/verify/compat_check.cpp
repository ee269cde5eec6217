#include "program/verify/compat_check.h"

#include <algorithm>
#include <string>

#include "isa/spec/parameters.h"

namespace vta::verify {
namespace {

constexpr uint32_t kMaxUops = 2048;  // the smaller of the published implementations
constexpr int kMinShift = -16;
constexpr int kMaxShift = 15;
// Iterations whose ACC writes a later one does not see.
constexpr uint32_t kHazardDistance = 2;

// The first rule that `mem` breaks, or "".
std::string checkMem(Opcode opcode, const MemInsn& mem) {
  const bool padded = (mem.y_pad_0 | mem.y_pad_1 | mem.x_pad_0 | mem.x_pad_1) != 0;
  if (mem.pad_kind != PadKind::kZero) return "extension pad_min";
  if (mem.memory_type == MemoryType::kAcc8) return "ACC_8BIT";
  if (opcode == Opcode::kStore && padded) return "padding on STORE";
  if (mem.memory_type == MemoryType::kWgt && padded) return "padding on WGT";
  if (mem.x_size == 0) return padded ? "padding with x_size 0" : "";
  if (mem.memory_type != MemoryType::kUop) return "";
  if (padded || mem.y_size != 1) return "a UOP load of other than one unpadded row";
  if (mem.sram_base + mem.x_size > kMaxUops) return "micro-ops past index 2047";
  return "";
}

template <typename Body>
std::string checkLoops(const Body& body) {
  if (body.uop_bgn >= body.uop_end || body.iter_out == 0 || body.iter_in == 0) {
    return "an empty loop";
  }
  return body.uop_end > kMaxUops ? "micro-ops past index 2047" : "";
}

std::string checkAlu(const AluInsn& alu) {
  const AluOperation* const operation = findAluOperation(alu.alu_opcode);
  if (operation != nullptr && operation->extension != nullptr) {
    return fmt::format("extension {}", extensionName(operation->extension));
  }
  if (operation == nullptr || !operation->is_published) {
    return std::string(aluOpcodeName(alu.alu_opcode));
  }
  const bool shift_by_imm = alu.alu_opcode == AluOpcode::kShr && alu.use_imm;
  if (shift_by_imm && (alu.imm < kMinShift || alu.imm > kMaxShift)) {
    return fmt::format("a shift by {} (legal: -16 to 15)", alu.imm);
  }
  if (alu.use_imm &&
      (alu.dst_factor_out != alu.src_factor_out || alu.dst_factor_in != alu.src_factor_in)) {
    return "an immediate operation with src other than dst (their factors differ)";
  }
  return checkLoops(alu);
}

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

void checkFirstCompute(const Program& program, Findings& findings) {
  const auto first =
      std::find_if(program.instructions.begin(), program.instructions.end(),
                   [](const Instruction& insn) { return insn.unit() == Unit::kCompute; });
  if (!first->tokens.pop_prev && !first->tokens.pop_next) return;
  findings.add(static_cast<uint32_t>(first - program.instructions.begin()),
               "compat 0.0.2: the first compute instruction must not wait for a token, or the done "
               "flag of the launch before it stays set");
}

}  // namespace

void checkCompatInstructions(const Program& program, const HwConfig& hw, Findings& findings) {
  if (hw.encoding() != Encoding::kBase) {
    findings.add(0, "compat 0.0.2: the wide encoding does not exist there");
  }
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& insn = program.instructions[i];
    std::string broken;
    if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
      broken = checkMem(insn.opcode, *mem);
    } else if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) {
      broken = checkLoops(*gemm);
    } else if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
      broken = checkAlu(*alu);
    }
    if (!broken.empty()) {
      findings.add(i, fmt::format("compat 0.0.2: {} is outside the common subset", broken));
    }
  }
  checkFirstCompute(program, findings);
}

void checkCompatUops(uint32_t at, const GemmInsn& gemm, std::span<const Uop> uops,
                     Findings& findings) {
  const std::string hazard = findDstHazard(gemm, uops);
  if (!hazard.empty()) findings.add(at, hazard);
}

void checkCompatUops(uint32_t at, const AluInsn& alu, std::span<const Uop> uops,
                     Findings& findings) {
  const auto differs = [](const Uop& uop) { return uop.src_idx != uop.dst_idx; };
  if (alu.use_imm && std::any_of(uops.begin(), uops.end(), differs)) {
    findings.add(at,
                 "compat 0.0.2: an immediate operation with src other than dst is outside the "
                 "common subset");
  }
  std::string hazard = findDstHazard(alu, uops);
  if (hazard.empty() && !alu.use_imm) hazard = findSrcHazard(alu, uops);
  if (!hazard.empty()) findings.add(at, hazard);
}

}  // namespace vta::verify
