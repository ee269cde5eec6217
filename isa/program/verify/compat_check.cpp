#include "isa/program/verify/compat_check.h"

#include <algorithm>
#include <string>

#include "isa/program/verify/compat_hazard.h"
#include "isa/spec/parameters.h"

namespace vta::verify {
namespace {

constexpr uint32_t kMaxUops = 2048;  // the smaller of the published implementations
constexpr int kMinShift = -16;
constexpr int kMaxShift = 15;

// The first rule that `mem` breaks, or "".
std::string checkMem(Opcode opcode, const MemInsn& mem) {
  const bool padded = (mem.y_pad_0 | mem.y_pad_1 | mem.x_pad_0 | mem.x_pad_1) != 0;
  if (mem.pad_kind != PadKind::kZero) return "extension pad_min";
  if (mem.memory_type == MemoryType::kAcc8) return "ACC_8BIT";
  if (const MemoryInfo& memory = memoryInfo(mem.memory_type); memory.extension != nullptr) {
    return fmt::format("extension {}", extensionName(memory.extension));
  }
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
  if (operation == nullptr) return "an operation of the user's";
  if (!operation->is_published) {
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
      broken = gemm->depthwise ? "extension depthwise" : checkLoops(*gemm);
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
  const std::string hazard = findCompatHazard(gemm, uops);
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
  const std::string hazard = findCompatHazard(alu, uops);
  if (!hazard.empty()) findings.add(at, hazard);
}

}  // namespace vta::verify
