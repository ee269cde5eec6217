#include "sim/rtl/cosim/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/instruction/encoding.h"
#include "isa/program/text/assembler.h"
#include "isa/spec/narrow_weights.h"
#include "sim/functional/dma_engine.h"

namespace vta::sim {
namespace {

VtaModelMemory probeOf(MemoryType type) {
  switch (scratchpadOf(type)) {
    case MemoryType::kUop:
      return VTA_PROBE_UOP;
    case MemoryType::kWgt:
      return VTA_PROBE_WGT;
    case MemoryType::kInp:
      return VTA_PROBE_INP;
    default:
      return VTA_PROBE_ACC;
  }
}

// The low `width_bits` bits of each lane, one behind the other from the lowest bit on.
std::vector<uint8_t> packLanes(std::span<const int32_t> lanes, int width_bits) {
  const auto width = static_cast<size_t>(width_bits);
  std::vector<uint8_t> bytes((lanes.size() * width + 7) / 8);
  uint64_t pending = 0;
  size_t pending_bits = 0;
  size_t at = 0;
  for (const int32_t lane : lanes) {
    const uint64_t value = static_cast<uint32_t>(lane) & ((uint64_t{1} << width) - 1);
    pending |= value << pending_bits;
    pending_bits += width;
    for (; pending_bits >= 8; pending_bits -= 8, pending >>= 8) {
      bytes[at++] = static_cast<uint8_t>(pending);
    }
  }
  if (pending_bits > 0) bytes[at] = static_cast<uint8_t>(pending);
  return bytes;
}

// The destinations of GEMM and ALU, each once.
template <typename Insn>
std::vector<uint32_t> destinations(const Insn& insn, std::span<const Uop> uops, uint32_t depth) {
  std::vector<bool> seen(depth);
  std::vector<uint32_t> elements;
  for (uint32_t i0 = 0; i0 < insn.iter_out; ++i0) {
    for (uint32_t i1 = 0; i1 < insn.iter_in; ++i1) {
      for (uint32_t u = insn.uop_bgn; u < insn.uop_end; ++u) {
        const uint32_t dst = uops[u].dst_idx + i0 * insn.dst_factor_out + i1 * insn.dst_factor_in;
        if (seen[dst]) continue;
        seen[dst] = true;
        elements.push_back(dst);
      }
    }
  }
  return elements;
}

}  // namespace

bool InstructionEffects::writesElement(VtaModelMemory memory_kind, uint32_t element) const {
  return std::ranges::any_of(elements, [&](const ElementEffect& effect) {
    return effect.memory == memory_kind && effect.element == element;
  });
}

bool InstructionEffects::writesMemory(uint64_t address, uint64_t size_bytes) const {
  return std::ranges::any_of(memory, [&](const MemoryEffect& effect) {
    return effect.address < address + size_bytes && address < effect.address + effect.size_bytes;
  });
}

Result<std::unique_ptr<EffectsReference>> EffectsReference::create(const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<FunctionalModel> model, FunctionalModel::create(hw));
  return std::unique_ptr<EffectsReference>(new EffectsReference(hw, std::move(model)));
}

Status EffectsReference::beginLaunch(std::span<const std::byte> stream, const BaseAddresses& bases,
                                     Dram& dram) {
  instructions_.clear();
  window_.clear();
  window_begin_ = 0;
  bases_ = bases;
  dram_ = &dram;
  const auto insn_bytes = static_cast<size_t>(hw_.instructionBytes());
  for (size_t at = 0; at + insn_bytes <= stream.size(); at += insn_bytes) {
    VTA_ASSIGN_OR_RETURN(const Instruction insn,
                         decodeInstruction(stream.subspan(at, insn_bytes), hw_));
    instructions_.push_back(insn);
  }
  return {};
}

const InstructionEffects* EffectsReference::peek(uint32_t number) const {
  const uint32_t index = number - window_begin_;
  return number >= window_begin_ && index < window_.size() ? &window_[index] : nullptr;
}

Result<const InstructionEffects*> EffectsReference::effects(uint32_t number) {
  while (window_begin_ + window_.size() <= number) VTA_RETURN_IF_ERROR(executeNext());
  return peek(number);
}

void EffectsReference::release(uint32_t number) {
  while (window_begin_ < number && !window_.empty()) {
    window_.pop_front();
    ++window_begin_;
  }
}

void EffectsReference::collectElements(const Instruction& insn,
                                       std::vector<ElementEffect>& elements) {
  const auto add = [&](VtaModelMemory memory, uint32_t element) {
    elements.push_back({memory, element, 0});
    // What is written to ACC is in its mirror OUT, too.
    if (memory == VTA_PROBE_ACC) elements.push_back({VTA_PROBE_OUT, element, 0});
  };
  const uint32_t depth = hw_.depthElems(MemoryType::kAcc);
  if (insn.opcode == Opcode::kLoad) {
    const MemInsn& mem = insn.mem();
    const auto count = static_cast<uint32_t>(sramElems(insn.opcode, mem));
    for (uint32_t i = 0; i < count; ++i) add(probeOf(mem.memory_type), mem.sram_base + i);
  } else if (insn.opcode == Opcode::kGemm) {
    for (const uint32_t dst : destinations(insn.gemm(), model_->scratchpads().uops(), depth)) {
      add(VTA_PROBE_ACC, dst);
    }
  } else if (insn.opcode == Opcode::kAlu) {
    for (const uint32_t dst : destinations(insn.alu(), model_->scratchpads().uops(), depth)) {
      add(VTA_PROBE_ACC, dst);
    }
  }
}

// The element's bytes as its RAM holds them.
void EffectsReference::recordElement(InstructionEffects& effects, VtaModelMemory memory,
                                     uint32_t element) {
  const Scratchpads& pads = model_->scratchpads();
  const auto append = [&](const void* data, size_t size_bytes) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    effects.bytes.insert(effects.bytes.end(), bytes, bytes + size_bytes);
  };
  switch (memory) {
    case VTA_PROBE_UOP: {
      std::vector<std::byte> encoded;
      // It was decoded from these very bits, so it encodes.
      static_cast<void>(encodeUop(pads.uops()[element], hw_, encoded));
      return append(encoded.data(), encoded.size());
    }
    case VTA_PROBE_INP:
      return append(pads.inp(element), hw_.elemBytes(MemoryType::kInp));
    case VTA_PROBE_WGT: {
      const std::vector<int8_t> packed =
          packWeights({pads.wgt(element), pads.wgtElemWeights()}, hw_.params().wgt_width_bits);
      return append(packed.data(), packed.size());
    }
    case VTA_PROBE_ACC: {
      const std::vector<uint8_t> packed =
          packLanes({pads.acc(element), pads.accElemLanes()}, hw_.params().acc_width_bits);
      return append(packed.data(), packed.size());
    }
    case VTA_PROBE_OUT: {
      const std::vector<uint8_t> low =
          packLanes({pads.acc(element), pads.accElemLanes()}, hw_.params().out_width_bits);
      return append(low.data(), low.size());
    }
  }
}

Status EffectsReference::executeNext() {
  const auto number = static_cast<uint32_t>(window_begin_ + window_.size());
  if (number >= instructions_.size()) {
    return internalError(fmt::format("the program has no instruction {}", number));
  }
  const Instruction& insn = instructions_[number];
  InstructionEffects& effects = window_.emplace_back();
  effects.number = number;
  effects.insn = insn;
  if (const auto violation = model_->step(insn, bases_, *dram_)) {
    return invalidArgument(
        fmt::format("instruction {}: {}: {}", number, disassemble(insn), violation->reason));
  }
  collectElements(insn, effects.elements);
  for (ElementEffect& effect : effects.elements) {
    effect.first_byte = static_cast<uint32_t>(effects.bytes.size());
    recordElement(effects, effect.memory, effect.element);
  }
  if (insn.opcode != Opcode::kStore || insn.mem().x_size == 0) return {};
  const MemInsn& mem = insn.mem();
  const uint64_t row_bytes = uint64_t{mem.x_size} * hw_.elemBytes(MemoryType::kOut);
  for (uint32_t y = 0; y < mem.y_size; ++y) {
    const uint64_t address = rowAddress(mem, y, bases_, hw_);
    const std::byte* data = dram_->findRange(address)->at(address);
    effects.memory.push_back({address, row_bytes, effects.bytes.size()});
    const auto* bytes = reinterpret_cast<const uint8_t*>(data);
    effects.bytes.insert(effects.bytes.end(), bytes, bytes + row_bytes);
  }
  return {};
}

}  // namespace vta::sim
