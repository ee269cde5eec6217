#include <algorithm>
#include <cstring>

#include "isa/spec/accumulator.h"
#include "sim/functional/kernels/kernels.h"

namespace vta::sim {
namespace {

int32_t shiftRight(int32_t x, int32_t y) {
  const int amount = ((y & 63) ^ 32) - 32;  // low 6 bits, signed
  if (amount >= 0) return x >> amount;
  if (amount == -32) return 0;
  return static_cast<int32_t>(static_cast<uint32_t>(x) << -amount);
}

int32_t qmul(int32_t x, int32_t y, int shift, const AluCall& call) {
  const int unused_bits = 32 - call.qmul_multiplier_bits;
  const int64_t m = static_cast<int32_t>(static_cast<uint32_t>(y) << unused_bits) >> unused_bits;
  int64_t product = x * m;
  if (shift > 0) {
    const int64_t half = int64_t{1} << (shift - 1);
    product = (product + half - (product < 0 ? 1 : 0)) >> shift;  // ties away from zero
  }
  const auto [least, most] = accumulatorRange(call.acc_width_bits);
  return static_cast<int32_t>(std::clamp<int64_t>(product, least, most));
}

/// One lane of an ALU operation but for those that have more than two operands.
int32_t aluLane(const AluCall& call, int32_t x, int32_t y) {
  switch (call.opcode) {
    case AluOpcode::kRequant:  // has three operands: requant()
    case AluOpcode::kTable:    // has a table, as the next: AluEngine
    case AluOpcode::kLut:
      break;
    case AluOpcode::kMin:
      return std::min(x, y);
    case AluOpcode::kMax:
      return std::max(x, y);
    case AluOpcode::kAdd:
      return static_cast<int32_t>(static_cast<uint32_t>(x) + static_cast<uint32_t>(y));
    case AluOpcode::kShr:
      return shiftRight(x, y);
    case AluOpcode::kMul:
      return static_cast<int32_t>(static_cast<uint32_t>(x) * static_cast<uint32_t>(y));
    case AluOpcode::kQmul:
      return qmul(x, y, call.imm, call);
    case AluOpcode::kPrelu:
      return x < 0 ? qmul(x, y, call.imm, call) : x;
    case AluOpcode::kClip: {
      const ByteRange range = byteRangeOf(call.imm);
      return std::min(std::max(x, range.low), range.high);
    }
  }
  return x;
}

uint32_t packedInpRowBytes(int block_in) { return static_cast<uint32_t>(block_in); }

uint32_t packedWgtBytes(int block_in, int block_out) {
  return static_cast<uint32_t>(block_in * block_out);
}

void packInp(const int8_t* inp, size_t bytes, uint8_t* packed) { std::memcpy(packed, inp, bytes); }

void packWgt(const int8_t* wgt, size_t elements, int block_in, int block_out, uint8_t* packed) {
  std::memcpy(packed, wgt, elements * packedWgtBytes(block_in, block_out));
}

void gemm(const GemmCall& call) {
  for (const GemmRow& row : call.rows) {
    for (const GemmStep& step : call.steps) {
      const auto* inp =
          reinterpret_cast<const int8_t*>(call.inp + row.inp_offset_bytes + step.inp_offset_bytes);
      const auto* wgt = reinterpret_cast<const int8_t*>(call.wgt + step.wgt_offset_bytes);
      int32_t* acc = call.acc + row.acc_offset_lanes;
      for (int oc = 0; oc < call.block_out; ++oc) {
        uint32_t sum = static_cast<uint32_t>(acc[oc]);
        for (int ic = 0; ic < call.block_in; ++ic) {
          sum += static_cast<uint32_t>(inp[ic] * wgt[oc * call.block_in + ic]);
        }
        acc[oc] = static_cast<int32_t>(sum);
      }
    }
  }
}

void requant(const AluCall& call) {
  const ByteRange range = byteRangeOf(call.imm);
  for (size_t i = 0; i < call.lanes; ++i) {
    const uint32_t sum = static_cast<uint32_t>(call.dst[i]) + static_cast<uint32_t>(call.bias[i]);
    const int32_t biased = wrapAccumulator(static_cast<int32_t>(sum), call.acc_width_bits);
    const int32_t scaled = qmul(biased, call.src[i], call.shift, call);
    call.dst[i] = std::clamp(scaled, range.low, range.high);
  }
}

void alu(const AluCall& call) {
  if (call.opcode == AluOpcode::kRequant) return requant(call);
  for (size_t i = 0; i < call.lanes; ++i) {
    call.dst[i] = aluLane(call, call.dst[i], call.src ? call.src[i] : call.imm);
  }
}

void narrow(const int32_t* src, size_t lanes, int8_t* dst) {
  for (size_t i = 0; i < lanes; ++i) dst[i] = static_cast<int8_t>(src[i]);
}

void widen(const int8_t* src, size_t lanes, int32_t* dst) {
  for (size_t i = 0; i < lanes; ++i) dst[i] = src[i];
}

}  // namespace

const Kernels& scalarKernels() {
  static constexpr Kernels kTable = {
      "scalar", packedInpRowBytes, packedWgtBytes, packInp, packWgt, gemm, alu, narrow, widen};
  return kTable;
}

}  // namespace vta::sim
