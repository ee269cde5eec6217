// Decoded instructions and micro-ops. Field meanings and semantics: docs/isa.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "isa/config/hw_config.h"
#include "isa/spec/alu_operations.h"

namespace vta {

enum class Opcode : uint8_t { kLoad = 0, kStore = 1, kGemm = 2, kFinish = 3, kAlu = 4 };
inline constexpr int kOpcodeCount = 5;
std::string_view opcodeName(Opcode opcode);  // "LOAD", ...

/// The three execution units, in dependence order: `prev` and `next` are relative to it.
enum class Unit : uint8_t { kLoad = 0, kCompute = 1, kStore = 2 };
std::string_view unitName(Unit unit);

/// Dependence-token flags common to all instructions.
struct Tokens {
  bool pop_prev = false;
  bool pop_next = false;
  bool push_prev = false;
  bool push_next = false;
  bool operator==(const Tokens&) const = default;
};

/// What a LOAD writes into padding elements.
enum class PadKind : uint8_t { kZero = 0, kMin = 1 /* extension `pad_min` */ };

/// LOAD and STORE. Sizes and strides in elements of `memory_type`; pads are LOAD-only.
struct MemInsn {
  MemoryType memory_type = MemoryType::kUop;
  PadKind pad_kind = PadKind::kZero;
  uint32_t sram_base = 0;  // elements
  uint32_t dram_base = 0;  // elements from the memory's base register; of INP_FROM_OUT in OUT
  uint32_t y_size = 0;
  uint32_t x_size = 0;
  uint32_t x_stride = 0;
  uint32_t y_pad_0 = 0;
  uint32_t y_pad_1 = 0;
  uint32_t x_pad_0 = 0;
  uint32_t x_pad_1 = 0;
  bool operator==(const MemInsn&) const = default;
};

/// GEMM: for i0, i1, uop: ACC[dst] += INP[src] * WGT[wgt]^T, or ACC[dst] = 0 when `reset`. With
/// `depthwise` (an extension) the products of each channel of INP[src] to INP[src + taps - 1] are
/// added, or with `reset` assigned.
struct GemmInsn {
  bool reset = false;
  bool depthwise = false;
  uint32_t taps = 1;  // elements of INP that an iteration reads; 1 without `depthwise`
  uint32_t uop_bgn = 0;
  uint32_t uop_end = 0;
  uint32_t iter_out = 0;
  uint32_t iter_in = 0;
  uint32_t dst_factor_out = 0;
  uint32_t dst_factor_in = 0;
  uint32_t src_factor_out = 0;
  uint32_t src_factor_in = 0;
  uint32_t wgt_factor_out = 0;
  uint32_t wgt_factor_in = 0;
  bool operator==(const GemmInsn&) const = default;

  /// Whether it reads INP and WGT.
  bool readsOperands() const { return !reset || depthwise; }
};

/// ALU: for i0, i1, uop: ACC[dst] = op(ACC[dst], use_imm ? imm : ACC[src]), lane-wise.
struct AluInsn {
  AluOpcode alu_opcode = AluOpcode::kMin;
  bool reset = false;
  bool use_imm = false;
  int32_t imm = 0;  // 16-bit signed field
  uint32_t uop_bgn = 0;
  uint32_t uop_end = 0;
  uint32_t iter_out = 0;
  uint32_t iter_in = 0;
  uint32_t dst_factor_out = 0;
  uint32_t dst_factor_in = 0;
  uint32_t src_factor_out = 0;
  uint32_t src_factor_in = 0;
  bool operator==(const AluInsn&) const = default;
};

struct FinishInsn {
  bool operator==(const FinishInsn&) const = default;
};

/// One instruction. `opcode` is LOAD or STORE for MemInsn and follows from the alternative
/// otherwise.
struct Instruction {
  Opcode opcode = Opcode::kFinish;
  Tokens tokens;
  std::variant<FinishInsn, MemInsn, GemmInsn, AluInsn> body;

  bool operator==(const Instruction&) const = default;

  static Instruction load(const MemInsn& mem, Tokens tokens = {}) {
    return {Opcode::kLoad, tokens, mem};
  }
  static Instruction store(const MemInsn& mem, Tokens tokens = {}) {
    return {Opcode::kStore, tokens, mem};
  }
  static Instruction gemm(const GemmInsn& gemm, Tokens tokens = {}) {
    return {Opcode::kGemm, tokens, gemm};
  }
  static Instruction alu(const AluInsn& alu, Tokens tokens = {}) {
    return {Opcode::kAlu, tokens, alu};
  }
  static Instruction finish(Tokens tokens = {}) { return {Opcode::kFinish, tokens, FinishInsn{}}; }

  const MemInsn& mem() const { return std::get<MemInsn>(body); }
  MemInsn& mem() { return std::get<MemInsn>(body); }
  const GemmInsn& gemm() const { return std::get<GemmInsn>(body); }
  GemmInsn& gemm() { return std::get<GemmInsn>(body); }
  const AluInsn& alu() const { return std::get<AluInsn>(body); }
  AluInsn& alu() { return std::get<AluInsn>(body); }

  /// The unit whose queue executes it: STORE to store; LOAD into INP or WGT to load; else compute.
  Unit unit() const;
};

/// One micro-op: indexes into ACC (dst), INP for GEMM or ACC for ALU (src), and WGT (GEMM only).
struct Uop {
  uint32_t dst_idx = 0;
  uint32_t src_idx = 0;
  uint32_t wgt_idx = 0;
  bool operator==(const Uop&) const = default;
};

}  // namespace vta
