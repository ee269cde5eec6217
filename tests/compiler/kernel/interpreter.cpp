#include "tests/compiler/kernel/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "compiler/kernel/desc/scalar_reference.h"

namespace vta::kernel::testing {
namespace {

// How often each unit gets its turn; drawn once per run so that units run far ahead of each other.
std::array<double, 3> drawWeights(std::mt19937_64& rng) {
  std::array<double, 3> weights{};
  for (double& w : weights) w = std::uniform_int_distribution<int>(0, 3)(rng) == 0 ? 0.01 : 1.0;
  return weights;
}

class Interpreter {
 public:
  Interpreter(const Program& program, const HwConfig& hw,
              std::vector<std::vector<uint8_t>>& buffers, uint64_t seed)
      : program_(program), hw_(hw), buffers_(buffers), rng_(seed) {
    uop_.resize(hw.depthElems(MemoryType::kUop));
    inp_.assign(bytesOf(MemoryType::kInp), 0x55);
    wgt_.assign(size_t{hw.depthElems(MemoryType::kWgt)} * elemWeights(), 0x33);
    lanes_ = static_cast<size_t>(hw.batch()) * hw.blockOut();
    acc_.assign(hw.depthElems(MemoryType::kAcc) * lanes_, 0x5a5a5a5a);
    table_.assign(64 * lanes_, 0x77777777);
    buffer_of_.assign(program.instructions.size(), 0);
    for (const Relocation& r : program.relocations) buffer_of_[r.instruction] = r.buffer;
    for (uint32_t i = 0; i < program.instructions.size(); ++i) {
      queues_[static_cast<int>(program.instructions[i].unit())].push_back(i);
    }
  }

  std::string run() {
    const std::array<double, 3> weights = drawWeights(rng_);
    std::discrete_distribution<int> choose(weights.begin(), weights.end());
    const size_t total = program_.instructions.size();
    for (size_t done = 0; done < total && error_.empty();) {
      if (!anyReady()) return fmt::format("deadlock after {} of {} instructions", done, total);
      const int unit = choose(rng_);
      if (!ready(unit)) continue;
      step(unit);
      ++done;
    }
    if (!error_.empty()) return error_;
    for (const auto& tokens : {to_next_, to_prev_}) {
      for (int count : tokens) {
        if (count != 0) return fmt::format("{} tokens left over", count);
      }
    }
    return "";
  }

 private:
  size_t elemWeights() const {
    return static_cast<size_t>(hw_.blockOut()) * static_cast<size_t>(hw_.blockIn());
  }

  // Weight i of an element in memory: as many bits from bit i * width on, with their sign.
  int8_t weightIn(const std::vector<uint8_t>& elem, size_t i) const {
    const auto width = static_cast<unsigned>(hw_.params().wgt_width_bits);
    const auto bit = static_cast<unsigned>(i) * width;
    const int value = elem[bit / 8] >> bit % 8 & ((1 << width) - 1);
    const int sign = 1 << (width - 1);
    return static_cast<int8_t>((value & (sign - 1)) - (value & sign));
  }

  size_t bytesOf(MemoryType type) const {
    return static_cast<size_t>(hw_.depthElems(type)) * hw_.elemBytes(type);
  }

  bool ready(int unit) const {
    if (next_[unit] >= queues_[unit].size()) return false;
    const Tokens& t = program_.instructions[queues_[unit][next_[unit]]].tokens;
    if (t.pop_prev && to_next_[unit] == 0) return false;
    return !t.pop_next || to_prev_[unit + 2] != 0;
  }
  bool anyReady() const { return ready(0) || ready(1) || ready(2); }

  void step(int unit) {
    index_ = queues_[unit][next_[unit]++];
    const Instruction& insn = program_.instructions[index_];
    if (insn.tokens.pop_prev) --to_next_[unit];
    if (insn.tokens.pop_next) --to_prev_[unit + 2];
    switch (insn.opcode) {
      case Opcode::kLoad:
        load(insn.mem());
        break;
      case Opcode::kStore:
        store(insn.mem());
        break;
      case Opcode::kGemm:
        gemm(insn.gemm());
        break;
      case Opcode::kAlu:
        alu(insn.alu());
        break;
      case Opcode::kFinish:
        break;
    }
    if (insn.tokens.push_prev) ++to_prev_[unit + 1];
    if (insn.tokens.push_next) ++to_next_[unit + 1];
  }

  void fail(const char* what, uint64_t value, uint64_t limit) {
    if (error_.empty()) {
      error_ = fmt::format("instruction {}: {} {} is past {}", index_, what, value, limit);
    }
  }

  void load(const MemInsn& m) {
    uint32_t sram = m.sram_base;
    const uint32_t width = m.x_pad_0 + m.x_size + m.x_pad_1;
    for (uint32_t y = 0; y < m.y_pad_0 * width; ++y) put(m, sram++, -1);
    for (uint32_t y = 0; y < m.y_size; ++y) {
      for (uint32_t x = 0; x < m.x_pad_0; ++x) put(m, sram++, -1);
      for (uint32_t x = 0; x < m.x_size; ++x) {
        put(m, sram++, int64_t{m.dram_base} + int64_t{y} * m.x_stride + x);
      }
      for (uint32_t x = 0; x < m.x_pad_1; ++x) put(m, sram++, -1);
    }
    for (uint32_t y = 0; y < m.y_pad_1 * width; ++y) put(m, sram++, -1);
  }

  // One element into a scratchpad; `dram` -1 is padding.
  void put(const MemInsn& m, uint32_t sram, int64_t dram) {
    if (sram >= hw_.depthElems(m.memory_type)) {
      return fail("scratchpad element", sram, hw_.depthElems(m.memory_type));
    }
    if (m.memory_type == MemoryType::kUop) {
      if (dram >= static_cast<int64_t>(program_.uops.size())) return fail("micro-op", dram, 0);
      uop_[sram] = program_.uops[dram];
      return;
    }
    const uint32_t bytes = hw_.elemBytes(m.memory_type);
    std::vector<uint8_t> elem(bytes, m.pad_kind == PadKind::kMin ? 0x80 : 0);
    if (m.memory_type == MemoryType::kInpFromOut && dram >= 0) {
      copyFromOut(elem, static_cast<size_t>(dram));
    } else if (dram >= 0) {
      const std::vector<uint8_t>& source = buffers_[buffer_of_[index_]];
      if (static_cast<uint64_t>(dram + 1) * bytes > source.size()) {
        return fail("DRAM byte", (dram + 1) * bytes, source.size());
      }
      std::memcpy(elem.data(), source.data() + dram * bytes, bytes);
    }
    switch (m.memory_type) {
      case MemoryType::kInp:
      case MemoryType::kInpFromOut:
        std::memcpy(inp_.data() + size_t{sram} * bytes, elem.data(), bytes);
        break;
      case MemoryType::kWgt:
        for (size_t i = 0; i < elemWeights(); ++i) {
          wgt_[sram * elemWeights() + i] = static_cast<uint8_t>(weightIn(elem, i));
        }
        break;
      case MemoryType::kWgtTransposed:
        putTransposed(elem, sram);
        break;
      case MemoryType::kAcc:
        std::memcpy(&acc_[sram * lanes_], elem.data(), bytes);
        // 0x80 in all bytes is not the least number, but no kernel pads accumulators with that.
        for (size_t i = 0; i < lanes_; ++i) wrap(acc_[sram * lanes_ + i]);
        break;
      default:
        for (size_t i = 0; i < lanes_; ++i) acc_[sram * lanes_ + i] = static_cast<int8_t>(elem[i]);
    }
  }

  // OUT as bytes in the order of lanes.
  void copyFromOut(std::vector<uint8_t>& elem, size_t element) {
    const size_t first = element * elem.size();
    if (first + elem.size() > acc_.size()) return fail("OUT lane", first, acc_.size());
    for (size_t i = 0; i < elem.size(); ++i) elem[i] = static_cast<uint8_t>(acc_[first + i]);
  }

  // An element [ic][oc] as [oc][ic].
  void putTransposed(const std::vector<uint8_t>& elem, uint32_t sram) {
    const auto ins = static_cast<size_t>(hw_.blockIn()), outs = static_cast<size_t>(hw_.blockOut());
    for (size_t i = 0; i < elemWeights(); ++i) {
      const size_t oc = i / ins, ic = i % ins;
      wgt_[sram * elemWeights() + i] = elem[ic * outs + oc];
    }
  }

  void store(const MemInsn& m) {
    std::vector<uint8_t>& target = buffers_[buffer_of_[index_]];
    for (uint32_t y = 0; y < m.y_size; ++y) {
      for (uint32_t x = 0; x < m.x_size; ++x) {
        const uint64_t dram = uint64_t{m.dram_base} + uint64_t{y} * m.x_stride + x;
        const uint64_t sram = m.sram_base + uint64_t{y} * m.x_size + x;
        if ((dram + 1) * lanes_ > target.size()) return fail("DRAM byte", dram, target.size());
        if (sram >= hw_.depthElems(MemoryType::kAcc)) return fail("OUT element", sram, 0);
        for (size_t i = 0; i < lanes_; ++i) {
          target[dram * lanes_ + i] = static_cast<uint8_t>(acc_[sram * lanes_ + i]);
        }
      }
    }
  }

  template <typename Body>
  void forEachUop(const auto& insn, const Body& body) {
    for (uint32_t i = 0; i < insn.iter_out; ++i) {
      for (uint32_t j = 0; j < insn.iter_in; ++j) {
        for (uint32_t u = insn.uop_bgn; u < insn.uop_end && error_.empty(); ++u) {
          if (u >= uop_.size()) return fail("micro-op", u, uop_.size());
          const uint32_t dst = uop_[u].dst_idx + i * insn.dst_factor_out + j * insn.dst_factor_in;
          const uint32_t src = uop_[u].src_idx + i * insn.src_factor_out + j * insn.src_factor_in;
          if (dst >= hw_.depthElems(MemoryType::kAcc)) return fail("ACC element", dst, 0);
          body(dst, src, uop_[u].wgt_idx, i, j);
        }
      }
    }
  }

  void gemm(const GemmInsn& g) {
    forEachUop(g, [&](uint32_t dst, uint32_t src, uint32_t wgt, uint32_t i, uint32_t j) {
      int32_t* acc = &acc_[dst * lanes_];
      if (g.reset) {
        for (size_t k = 0; k < lanes_; ++k) acc[k] = 0;
        if (!g.depthwise) return;
      }
      wgt += i * g.wgt_factor_out + j * g.wgt_factor_in;
      if (src + g.taps > hw_.depthElems(MemoryType::kInp)) return fail("INP element", src, 0);
      if (wgt >= hw_.depthElems(MemoryType::kWgt)) return fail("WGT element", wgt, 0);
      for (uint32_t tap = 0; g.depthwise && tap < g.taps; ++tap) addTap(acc, src + tap, wgt, tap);
      if (!g.depthwise) multiply(acc, src, wgt);
    });
  }

  // To what an accumulator holds: bits above its width are copies of its sign.
  void wrap(int32_t& value) const {
    const int64_t half = int64_t{1} << (hw_.params().acc_width_bits - 1);
    value = static_cast<int32_t>(((value + half) & (2 * half - 1)) - half);
  }

  // Both channels of an output's pair, of one input.
  void addTap(int32_t* acc, uint32_t src, uint32_t wgt, uint32_t tap) {
    const int bi = hw_.blockIn();
    const int bo = hw_.blockOut();
    const auto* in = reinterpret_cast<const int8_t*>(inp_.data()) + size_t{src} * hw_.batch() * bi;
    const auto* w = reinterpret_cast<const int8_t*>(wgt_.data()) + size_t{wgt} * bo * bi;
    for (int b = 0; b < hw_.batch(); ++b) {
      for (int o = 0; o < bo; ++o) {
        const int even = in[b * bi + (o % bi & ~1)] * w[o * bi + static_cast<int>(tap)];
        const int odd = in[b * bi + (o % bi | 1)] * w[o * bi + bi / 2 + static_cast<int>(tap)];
        uint32_t sum = static_cast<uint32_t>(acc[b * bo + o]);
        acc[b * bo + o] = static_cast<int32_t>(sum + static_cast<uint32_t>(even + odd));
        wrap(acc[b * bo + o]);
      }
    }
  }

  void multiply(int32_t* acc, uint32_t src, uint32_t wgt) {
    const int bi = hw_.blockIn();
    const int bo = hw_.blockOut();
    const auto* in = reinterpret_cast<const int8_t*>(inp_.data()) + size_t{src} * hw_.batch() * bi;
    const auto* w = reinterpret_cast<const int8_t*>(wgt_.data()) + size_t{wgt} * bo * bi;
    for (int b = 0; b < hw_.batch(); ++b) {
      for (int o = 0; o < bo; ++o) {
        int32_t sum = 0;
        for (int k = 0; k < bi; ++k) sum += in[b * bi + k] * w[o * bi + k];
        acc[b * bo + o] = static_cast<int32_t>(static_cast<uint32_t>(acc[b * bo + o]) +
                                               static_cast<uint32_t>(sum));
        wrap(acc[b * bo + o]);
      }
    }
  }

  void alu(const AluInsn& a) {
    forEachUop(a, [&](uint32_t dst, uint32_t src, uint32_t, uint32_t, uint32_t) {
      if (src >= hw_.depthElems(MemoryType::kAcc)) return fail("ACC element", src, 0);
      if (a.alu_opcode == AluOpcode::kRequant) return requant(a, dst, src);
      if (a.alu_opcode == AluOpcode::kTable) return writeTable(a, dst);
      if (a.alu_opcode == AluOpcode::kLut) return readTable(dst);
      for (size_t k = 0; k < lanes_; ++k) {
        int32_t& x = acc_[dst * lanes_ + k];
        const int32_t y = a.use_imm ? a.imm : acc_[src * lanes_ + k];
        x = applyAlu(a.alu_opcode, x, y, a.imm, hw_.params());
      }
    });
  }

  void requant(const AluInsn& a, uint32_t dst, uint32_t src) {
    const std::vector<int32_t> acc = acc_;
    const int32_t* const multiplier = &acc[(src & ~1u) * lanes_];
    const int32_t* const bias = multiplier + lanes_;
    const HwParams& params = hw_.params();
    const int shift = multiplier[0] >> (params.acc_width_bits - 6) & 63;
    for (size_t k = 0; k < lanes_; ++k) {
      int32_t& x = acc_[dst * lanes_ + k];
      x = applyAlu(AluOpcode::kAdd, x, bias[k], 0, params);
      x = applyAlu(AluOpcode::kQmul, x, multiplier[k], shift, params);
      x = applyAlu(AluOpcode::kClip, x, 0, a.imm, params);
    }
  }

  void writeTable(const AluInsn& a, uint32_t dst) {
    const uint32_t word = (dst + static_cast<uint32_t>(a.imm)) & 63;
    std::copy_n(&acc_[dst * lanes_], lanes_, &table_[word * lanes_]);
  }

  void readTable(uint32_t dst) {
    for (size_t k = 0; k < lanes_; ++k) {
      int32_t& x = acc_[dst * lanes_ + k];
      const uint32_t low = static_cast<uint8_t>(x);
      x = static_cast<int8_t>(table_[low / 4 * lanes_ + k] >> (8 * (low % 4)));
    }
  }

  const Program& program_;
  const HwConfig& hw_;
  std::vector<std::vector<uint8_t>>& buffers_;
  std::mt19937_64 rng_;
  std::vector<Uop> uop_;
  std::vector<uint8_t> inp_, wgt_;
  std::vector<int32_t> acc_;
  std::vector<int32_t> table_;  // 64 words of all lanes
  size_t lanes_ = 0;
  std::vector<uint32_t> buffer_of_;
  std::array<std::vector<uint32_t>, 3> queues_;
  std::array<size_t, 3> next_{};
  // Tokens that unit u pushed, at u + 1: the units beside the outer ones never push.
  std::array<int, 5> to_next_{};
  std::array<int, 5> to_prev_{};
  uint32_t index_ = 0;
  std::string error_;
};

}  // namespace

std::string interpret(const Program& program, const HwConfig& hw,
                      std::vector<std::vector<uint8_t>>& buffers, uint64_t seed) {
  return Interpreter(program, hw, buffers, seed).run();
}

}  // namespace vta::kernel::testing
