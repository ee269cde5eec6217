#include "tests/sim/functional/reference_interpreter.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "isa/instruction/encoding.h"

namespace vta::sim::test {
namespace {

/// Wraps to `bits` bits.
int32_t wrap(int64_t value, int bits) {
  const int64_t modulus = int64_t{1} << bits;
  const int64_t low = ((value % modulus) + modulus) % modulus;
  return static_cast<int32_t>(low >= modulus / 2 ? low - modulus : low);
}

int32_t shift(int32_t x, int32_t y, int acc_bits) {
  int amount = y & 63;
  if (amount >= 32) amount -= 64;
  if (amount >= 0) return static_cast<int32_t>(int64_t{x} >> amount);
  return wrap(static_cast<int64_t>(static_cast<uint64_t>(int64_t{x}) << -amount), acc_bits);
}

int32_t qmul(int32_t x, int32_t y, int32_t imm, const HwParams& params) {
  const int bits = params.qmul_multiplier_bits;
  int64_t m = y & static_cast<int64_t>((uint64_t{1} << bits) - 1);
  if ((m >> (bits - 1)) != 0) m -= int64_t{1} << bits;
  // Round the magnitude, so that ties go away from zero.
  const bool negative = (x < 0) != (m < 0);
  uint64_t magnitude =
      static_cast<uint64_t>(std::abs(int64_t{x})) * static_cast<uint64_t>(std::abs(m));
  if (imm > 0) magnitude = (magnitude + (uint64_t{1} << (imm - 1))) >> imm;
  const uint64_t most = uint64_t{1} << (params.acc_width_bits - 1);
  magnitude = std::min(magnitude, negative ? most : most - 1);
  return static_cast<int32_t>(negative ? -static_cast<int64_t>(magnitude)
                                       : static_cast<int64_t>(magnitude));
}

int32_t lane(const AluInsn& insn, int32_t x, int32_t y, const HwParams& params) {
  const int bits = params.acc_width_bits;
  switch (insn.alu_opcode) {
    case AluOpcode::kMin:
      return x < y ? x : y;
    case AluOpcode::kMax:
      return x > y ? x : y;
    case AluOpcode::kAdd:
      return wrap(int64_t{x} + y, bits);
    case AluOpcode::kShr:
      return shift(x, y, bits);
    case AluOpcode::kMul:
      return wrap(int64_t{x} * y, bits);
    case AluOpcode::kQmul:
      return qmul(x, y, insn.imm, params);
    case AluOpcode::kPrelu:
      return x < 0 ? qmul(x, y, insn.imm, params) : x;
    case AluOpcode::kClip:
    case AluOpcode::kRequant:  // its last step
      break;
    case AluOpcode::kTable:
    case AluOpcode::kLut:
      return x;  // done apart
  }
  const auto low = static_cast<int8_t>(insn.imm & 0xff);
  const auto high = static_cast<int8_t>(insn.imm >> 8 & 0xff);
  return std::min<int32_t>(std::max<int32_t>(x, low), high);
}

}  // namespace

ReferenceInterpreter::ReferenceInterpreter(const HwConfig& hw, std::vector<std::byte> dram_bytes)
    : uops(hw.depthElems(MemoryType::kUop)),
      inp(size_t{hw.depthElems(MemoryType::kInp)} * hw.elemBytes(MemoryType::kInp)),
      wgt(size_t{hw.depthElems(MemoryType::kWgt)} * static_cast<size_t>(hw.blockOut()) *
          static_cast<size_t>(hw.blockIn())),
      acc(size_t{hw.depthElems(MemoryType::kAcc)} * hw.elemBytes(MemoryType::kAcc) / 4),
      table(size_t{256} * static_cast<size_t>(hw.batch() * hw.blockOut())),
      dram(std::move(dram_bytes)),
      hw_(hw) {}

void ReferenceInterpreter::execute(const Instruction& insn) {
  switch (insn.opcode) {
    case Opcode::kLoad:
      return load(insn.mem());
    case Opcode::kStore:
      return store(insn.mem());
    case Opcode::kGemm:
      return gemm(insn.gemm());
    case Opcode::kAlu:
      return alu(insn.alu());
    case Opcode::kFinish:
      return;
  }
}

void ReferenceInterpreter::load(const MemInsn& mem) {
  if (mem.x_size == 0) return;
  uint64_t element = mem.sram_base;
  const uint64_t rows = uint64_t{mem.y_pad_0} + mem.y_size + mem.y_pad_1;
  const uint64_t columns = uint64_t{mem.x_pad_0} + mem.x_size + mem.x_pad_1;
  for (uint64_t row = 0; row < rows; ++row) {
    for (uint64_t column = 0; column < columns; ++column) {
      const bool is_pad = row < mem.y_pad_0 || row >= uint64_t{mem.y_pad_0} + mem.y_size ||
                          column < mem.x_pad_0 || column >= uint64_t{mem.x_pad_0} + mem.x_size;
      const uint64_t y = row - mem.y_pad_0;
      const uint64_t x = column - mem.x_pad_0;
      fillElement(mem, element++, is_pad, mem.dram_base + y * mem.x_stride + x);
    }
  }
}

// Bit by bit, in the order of docs/isa.md, "Narrow weights".
void ReferenceInterpreter::fillWeights(uint64_t element, const std::vector<std::byte>& data,
                                       bool pad_min) {
  const auto width = static_cast<size_t>(hw_.params().wgt_width_bits);
  const size_t count = data.size() * 8 / width;
  for (size_t i = 0; i < count; ++i) {
    int value = 0;
    for (size_t bit = 0; bit < width; ++bit) {
      const size_t at = i * width + bit;
      const int set = std::to_integer<int>(data[at / 8]) >> (at % 8) & 1;
      const int worth = 1 << bit;
      value += set * (bit == width - 1 ? -worth : worth);
    }
    wgt[element * count + i] = static_cast<int8_t>(pad_min ? -(1 << (width - 1)) : value);
  }
}

void ReferenceInterpreter::fillElement(const MemInsn& mem, uint64_t element, bool is_pad,
                                       uint64_t dram_element) {
  const size_t bytes = hw_.elemBytes(mem.memory_type);
  std::vector<std::byte> data(bytes);
  if (!is_pad && mem.memory_type == MemoryType::kInpFromOut) {
    // The low bytes of the accumulators, one behind the other.
    for (size_t i = 0; i < bytes; ++i) {
      data[i] = static_cast<std::byte>(acc[dram_element * bytes + i] & 0xff);
    }
  } else if (!is_pad)
    std::copy_n(dram.begin() + static_cast<int64_t>(dram_element * bytes), bytes, data.begin());
  const bool pad_min = is_pad && mem.pad_kind == PadKind::kMin;
  const auto byte_at = [&](size_t i) {
    return pad_min ? int8_t{-128} : static_cast<int8_t>(data[i]);
  };
  switch (mem.memory_type) {
    case MemoryType::kUop:
      uops[element] = is_pad ? Uop{} : decodeUop(data, hw_);
      return;
    case MemoryType::kInp:
    case MemoryType::kInpFromOut:
      for (size_t i = 0; i < bytes; ++i) inp[element * bytes + i] = byte_at(i);
      return;
    case MemoryType::kWgt:
      return fillWeights(element, data, pad_min);
    case MemoryType::kWgtTransposed: {
      const auto inputs = static_cast<size_t>(hw_.blockIn());
      const auto outputs = static_cast<size_t>(hw_.blockOut());
      std::vector<std::byte> turned(bytes);
      for (size_t i = 0; i < bytes; ++i) turned[i % outputs * inputs + i / outputs] = data[i];
      return fillWeights(element, turned, pad_min);
    }
    case MemoryType::kAcc8:
      for (size_t i = 0; i < bytes; ++i) acc[element * bytes + i] = byte_at(i);
      return;
    case MemoryType::kAcc:
      for (size_t i = 0; i < bytes / 4; ++i) {
        int32_t value = 0;
        std::memcpy(&value, data.data() + i * 4, 4);
        const int bits = hw_.params().acc_width_bits;
        const int64_t least = -(int64_t{1} << (bits - 1));
        acc[element * (bytes / 4) + i] = wrap(pad_min ? least : value, bits);
      }
      return;
    case MemoryType::kOut:
      return;
  }
}

void ReferenceInterpreter::store(const MemInsn& mem) {
  const size_t bytes = hw_.elemBytes(MemoryType::kOut);
  for (uint64_t y = 0; y < mem.y_size; ++y) {
    for (uint64_t x = 0; x < mem.x_size; ++x) {
      for (size_t i = 0; i < bytes; ++i) {
        const int32_t value = acc[(mem.sram_base + y * mem.x_size + x) * bytes + i];
        dram[(mem.dram_base + y * mem.x_stride + x) * bytes + i] =
            static_cast<std::byte>(value & 0xff);
      }
    }
  }
}

void ReferenceInterpreter::gemm(const GemmInsn& insn) {
  const auto batch = static_cast<uint64_t>(hw_.batch());
  const auto block_in = static_cast<uint64_t>(hw_.blockIn());
  const auto block_out = static_cast<uint64_t>(hw_.blockOut());
  for (uint64_t i0 = 0; i0 < insn.iter_out; ++i0) {
    for (uint64_t i1 = 0; i1 < insn.iter_in; ++i1) {
      for (uint64_t u = insn.uop_bgn; u < insn.uop_end; ++u) {
        const uint64_t dst = uops[u].dst_idx + i0 * insn.dst_factor_out + i1 * insn.dst_factor_in;
        const uint64_t src = uops[u].src_idx + i0 * insn.src_factor_out + i1 * insn.src_factor_in;
        const uint64_t w = uops[u].wgt_idx + i0 * insn.wgt_factor_out + i1 * insn.wgt_factor_in;
        for (uint64_t b = 0; b < batch; ++b) {
          for (uint64_t oc = 0; oc < block_out; ++oc) {
            int32_t& sum = acc[(dst * batch + b) * block_out + oc];
            if (insn.reset) sum = 0;
            if (!insn.readsOperands()) continue;
            for (uint64_t ic = 0; ic < block_in; ++ic) {
              uint64_t from = src;
              uint64_t channel = ic;
              if (insn.depthwise) {
                const uint64_t tap = ic % (block_in / 2);
                if (tap >= insn.taps) continue;
                from = src + tap;
                channel = oc % block_in / 2 * 2 + ic / (block_in / 2);
              }
              sum = wrap(int64_t{sum} + inp[(from * batch + b) * block_in + channel] *
                                            wgt[(w * block_out + oc) * block_in + ic],
                         hw_.params().acc_width_bits);
            }
          }
        }
      }
    }
  }
}

// All lanes shift by what the first lane of the multipliers says.
void ReferenceInterpreter::requant(const AluInsn& insn, uint64_t dst, uint64_t src) {
  const auto lanes = static_cast<uint64_t>(hw_.batch() * hw_.blockOut());
  const auto elementAt = [&](uint64_t element) {
    const auto first = acc.begin() + static_cast<int64_t>(element * lanes);
    return std::vector<int32_t>(first, first + static_cast<int64_t>(lanes));
  };
  const std::vector<int32_t> multiplier = elementAt(src / 2 * 2);
  const std::vector<int32_t> bias = elementAt(src / 2 * 2 + 1);
  const HwParams& params = hw_.params();
  const int32_t amount = (multiplier[0] >> (params.acc_width_bits - 6)) & 63;
  for (uint64_t i = 0; i < lanes; ++i) {
    int32_t& value = acc[dst * lanes + i];
    value =
        qmul(wrap(int64_t{value} + bias[i], params.acc_width_bits), multiplier[i], amount, params);
    value = lane(insn, value, 0, params);
  }
}

// Each word of a lane is four results, the first in the low byte.
void ReferenceInterpreter::writeTable(const AluInsn& insn, uint64_t dst) {
  const auto lanes = static_cast<uint64_t>(hw_.batch() * hw_.blockOut());
  const uint64_t word = (dst + static_cast<uint64_t>(insn.imm + 65536)) & 63;
  for (uint64_t i = 0; i < lanes; ++i) {
    for (uint64_t byte = 0; byte < 4; ++byte) {
      table[(word * 4 + byte) * lanes + i] =
          static_cast<int8_t>(acc[dst * lanes + i] >> (8 * byte) & 0xff);
    }
  }
}

void ReferenceInterpreter::readTable(uint64_t dst) {
  const auto lanes = static_cast<uint64_t>(hw_.batch() * hw_.blockOut());
  for (uint64_t i = 0; i < lanes; ++i) {
    int32_t& value = acc[dst * lanes + i];
    value = table[static_cast<uint64_t>(value & 0xff) * lanes + i];
  }
}

void ReferenceInterpreter::alu(const AluInsn& insn) {
  const auto lanes = static_cast<uint64_t>(hw_.batch() * hw_.blockOut());
  for (uint64_t i0 = 0; i0 < insn.iter_out; ++i0) {
    for (uint64_t i1 = 0; i1 < insn.iter_in; ++i1) {
      for (uint64_t u = insn.uop_bgn; u < insn.uop_end; ++u) {
        const uint64_t dst = uops[u].dst_idx + i0 * insn.dst_factor_out + i1 * insn.dst_factor_in;
        const uint64_t src = uops[u].src_idx + i0 * insn.src_factor_out + i1 * insn.src_factor_in;
        if (insn.alu_opcode == AluOpcode::kRequant) {
          requant(insn, dst, src);
          continue;
        }
        if (insn.alu_opcode == AluOpcode::kTable) writeTable(insn, dst);
        if (insn.alu_opcode == AluOpcode::kLut) readTable(dst);
        for (uint64_t i = 0; i < lanes; ++i) {
          const int32_t y = insn.use_imm ? insn.imm : acc[src * lanes + i];
          acc[dst * lanes + i] = lane(insn, acc[dst * lanes + i], y, hw_.params());
        }
      }
    }
  }
}

}  // namespace vta::sim::test
