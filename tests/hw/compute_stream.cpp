#include "tests/hw/compute_stream.h"

#include <algorithm>

#include "isa/instruction/encoding.h"
#include "isa/spec/narrow_weights.h"

namespace vta::hw::test {
namespace {

constexpr uint32_t kMaxUops = 12;
constexpr uint32_t kMaxUopBegin = 24;  // of loops and loads: they share micro-ops often

Tokens randomTokens(std::mt19937& random) {
  const uint32_t bits = random();
  return {(bits & 3) == 0, (bits & 12) == 0, (bits & 16) != 0, (bits & 32) != 0};
}

}  // namespace

StreamBuilder::StreamBuilder(const HwConfig& hw, uint32_t seed) : hw_(hw), random_(seed) {
  model_ = *sim::FunctionalModel::create(hw);
  sim::Scratchpads& pads = model_->scratchpads();
  const auto fill = [&](int8_t* data, MemoryType type, int width_bits) {
    const size_t elem_values = size_t{8} * hw_.elemBytes(type) / static_cast<size_t>(width_bits);
    const auto [least_value, most_value] = weightRange(width_bits);
    const auto least = static_cast<int8_t>(least_value), most = static_cast<int8_t>(most_value);
    // Extreme values often: they find missing sign extensions. Elements of nothing else often, too:
    // their sums are the largest and smallest that there are.
    uint32_t style = 0;
    for (size_t i = 0; i < depth(type) * elem_values; ++i) {
      if (i % elem_values == 0) style = below(6);
      const auto drawn = static_cast<int8_t>(static_cast<int8_t>(random_()) >> (8 - width_bits));
      const int8_t any = below(8) == 0 ? least : drawn;
      const int8_t extreme = below(2) == 0 ? least : most;
      data[i] = style == 0 ? least : style == 1 ? most : style == 2 ? extreme : any;
    }
  };
  fill(pads.inp(0), MemoryType::kInp, hw_.params().inp_width_bits);
  fill(pads.wgt(0), MemoryType::kWgt, hw_.params().wgt_width_bits);
  pads.repackInp(0, depth(MemoryType::kInp));
  pads.repackWgt(0, depth(MemoryType::kWgt));
}

uint32_t StreamBuilder::below(uint32_t count) { return random_() % count; }

bool StreamBuilder::append(const Instruction& insn) {
  // Factors may not fit the fields of a small configuration.
  std::vector<std::byte> encoded;
  if (!encodeInstruction(insn, hw_, encoded).ok()) return false;
  if (model_->step(insn, {}, stream_.dram)) return false;
  stream_.instructions.push_back(insn);
  return true;
}

void StreamBuilder::appendRandom(const StreamOptions& options) {
  const MemoryType types[3] = {MemoryType::kAcc, MemoryType::kInp, MemoryType::kWgt};
  for (int i = 0; i < 3; ++i) {
    const uint32_t window = std::min(options.window_elems, depth(types[i]));
    windows_[i] = below(depth(types[i]) - window + 1);
  }
  for (int left = options.instructions; left > 0;) {
    Instruction insn = randomInstruction(options);
    if (options.tokens) insn.tokens = randomTokens(random_);
    if (append(insn)) --left;
  }
}

void StreamBuilder::appendUops(uint32_t sram_base, const std::vector<Uop>& uops) {
  append(uopLoad(sram_base, uops));
}

Instruction StreamBuilder::uopLoad(uint32_t sram_base, const std::vector<Uop>& uops) {
  MemInsn mem;
  mem.memory_type = MemoryType::kUop;
  mem.sram_base = sram_base;
  mem.y_size = 1;
  mem.x_size = mem.x_stride = static_cast<uint32_t>(uops.size());
  std::vector<std::byte>& bytes = stream_.dram.bytes();
  mem.dram_base = static_cast<uint32_t>(bytes.size() / hw_.elemBytes(MemoryType::kUop));
  bytes.resize(size_t{mem.dram_base} * hw_.elemBytes(MemoryType::kUop));
  for (const Uop& uop : uops) static_cast<void>(encodeUop(uop, hw_, bytes));
  // Whole elements of every memory: later loads begin at a multiple of them.
  bytes.resize((bytes.size() + 4095) / 4096 * 4096);
  return Instruction::load(mem);
}

uint32_t StreamBuilder::index(MemoryType type, uint32_t window) {
  const int which = type == MemoryType::kAcc ? 0 : type == MemoryType::kInp ? 1 : 2;
  return windows_[which] + below(std::min(window, depth(type)));
}

Instruction StreamBuilder::randomInstruction(const StreamOptions& options) {
  const uint32_t kind = below(100);
  if (kind < 12) return randomUopLoad(options);
  if (kind < 25) return randomLoad(options);
  if (kind < 60) return randomGemm();
  return randomAlu();
}

Instruction StreamBuilder::randomUopLoad(const StreamOptions& options) {
  std::vector<Uop> uops(1 + below(std::min(kMaxUops, depth(MemoryType::kUop))));
  const bool for_alu = below(2) == 0;
  for (Uop& uop : uops) {
    uop.dst_idx = index(MemoryType::kAcc, options.window_elems);
    uop.src_idx = index(for_alu ? MemoryType::kAcc : MemoryType::kInp, options.window_elems);
    uop.wgt_idx = index(MemoryType::kWgt, options.window_elems);
  }
  const uint32_t room = depth(MemoryType::kUop) - static_cast<uint32_t>(uops.size()) + 1;
  return uopLoad(below(std::min(room, kMaxUopBegin)), uops);
}

Instruction StreamBuilder::randomLoad(const StreamOptions& options) {
  MemInsn mem;
  mem.memory_type = below(2) == 0 ? MemoryType::kAcc : MemoryType::kAcc8;
  mem.pad_kind = hw_.params().ext_pad_min && below(2) == 0 ? PadKind::kMin : PadKind::kZero;
  mem.sram_base = index(MemoryType::kAcc, options.window_elems);
  mem.x_size = below(4);
  mem.y_size = below(3);
  mem.x_stride = below(5);
  if (below(2) == 0) {
    mem.x_pad_0 = below(2);
    mem.x_pad_1 = below(2);
    mem.y_pad_0 = below(2);
    mem.y_pad_1 = below(2);
  }
  std::vector<std::byte>& bytes = stream_.dram.bytes();
  mem.dram_base = static_cast<uint32_t>(bytes.size() / hw_.elemBytes(mem.memory_type));
  const size_t size = size_t{16} * hw_.elemBytes(mem.memory_type);
  const size_t begin = bytes.size();
  bytes.resize((begin + size + 4095) / 4096 * 4096);
  for (size_t i = 0; i < size; ++i) bytes[begin + i] = static_cast<std::byte>(random_());
  return Instruction::load(mem);
}

uint32_t StreamBuilder::uopBegin() {
  return below(std::min(kMaxUopBegin, depth(MemoryType::kUop)));
}

Instruction StreamBuilder::randomGemm() {
  GemmInsn gemm;
  gemm.reset = below(6) == 0;
  gemm.uop_bgn = uopBegin();
  gemm.uop_end = std::min(gemm.uop_bgn + below(6), depth(MemoryType::kUop));
  gemm.iter_out = below(4);
  gemm.iter_in = 1 + below(4);
  gemm.dst_factor_out = below(2);
  gemm.dst_factor_in = below(2);
  gemm.src_factor_out = below(2);
  gemm.src_factor_in = below(2);
  gemm.wgt_factor_out = below(2);
  gemm.wgt_factor_in = below(2);
  return Instruction::gemm(gemm);
}

Instruction StreamBuilder::randomAlu() {
  AluInsn alu;
  alu.alu_opcode = static_cast<AluOpcode>(below(7));
  if (alu.alu_opcode == AluOpcode::kQmul && !hw_.params().ext_qmul)
    alu.alu_opcode = AluOpcode::kShr;
  if (alu.alu_opcode == AluOpcode::kClip && !hw_.params().ext_clip)
    alu.alu_opcode = AluOpcode::kMul;
  alu.use_imm = below(2) == 0;
  alu.imm = static_cast<int16_t>(random_());
  if (alu.alu_opcode == AluOpcode::kQmul) {
    alu.use_imm = false;
    alu.imm = static_cast<int32_t>(below(63));
  }
  if (alu.alu_opcode == AluOpcode::kClip) {
    alu.use_imm = true;
    const auto lo = static_cast<int8_t>(random_());
    const auto hi = std::max(lo, static_cast<int8_t>(random_()));
    alu.imm = static_cast<int16_t>((hi & 0xff) << 8 | (lo & 0xff));
  }
  alu.uop_bgn = uopBegin();
  alu.uop_end = std::min(alu.uop_bgn + below(6), depth(MemoryType::kUop));
  alu.iter_out = below(4);
  alu.iter_in = 1 + below(4);
  alu.dst_factor_out = below(2);
  alu.dst_factor_in = below(3);
  alu.src_factor_out = below(2);
  alu.src_factor_in = below(3) == 0 ? below(3) : 0;  // often the same src again
  return Instruction::alu(alu);
}

Instruction StreamBuilder::outOfBounds() {
  const bool is_alu = below(2) == 0;
  while (true) {
    Instruction insn = is_alu ? randomAlu() : randomGemm();
    const auto spoil = [&](auto& body) {
      body.iter_out = 2 + below(3);
      body.uop_end = body.uop_bgn + 1;
      switch (below(3)) {
        case 0:
          body.dst_factor_out = depth(MemoryType::kAcc) - 1;
          break;
        case 1:
          body.src_factor_out = depth(is_alu ? MemoryType::kAcc : MemoryType::kInp) - 1;
          break;
        default:
          body.uop_end = depth(MemoryType::kUop) + 1;
      }
    };
    if (is_alu) {
      spoil(insn.alu());
    } else {
      spoil(insn.gemm());
    }
    std::vector<std::byte> encoded;
    if (!encodeInstruction(insn, hw_, encoded).ok()) continue;
    if (!append(insn)) return insn;
  }
}

}  // namespace vta::hw::test
