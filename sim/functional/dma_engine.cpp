#include "sim/functional/dma_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/instruction/encoding.h"
#include "isa/instruction/handover.h"
#include "isa/spec/narrow_weights.h"

namespace vta::sim {

static_assert(std::endian::native == std::endian::little, "DRAM holds little-endian elements");

uint64_t sramElems(Opcode opcode, const MemInsn& mem) {
  if (mem.x_size == 0) return 0;
  if (opcode == Opcode::kStore) return uint64_t{mem.y_size} * mem.x_size;
  return (uint64_t{mem.y_pad_0} + mem.y_size + mem.y_pad_1) * loadRowElems(mem);
}

uint64_t rowAddress(const MemInsn& mem, uint32_t y, const BaseAddresses& bases,
                    const HwConfig& hw) {
  // In the order of BaseRegister.
  constexpr uint64_t BaseAddresses::*kBases[kBaseRegisterCount] = {
      &BaseAddresses::uop, &BaseAddresses::inp, &BaseAddresses::wgt, &BaseAddresses::acc,
      &BaseAddresses::out};
  const uint64_t base = bases.*kBases[static_cast<size_t>(memoryInfo(mem.memory_type).base)];
  const uint64_t element = mem.dram_base + uint64_t{y} * mem.x_stride;
  return base + element * hw.elemBytes(mem.memory_type);
}

DmaEngine::DmaEngine(const HwConfig& hw, const Kernels& kernels, Scratchpads& pads)
    : hw_(hw), kernels_(kernels), pads_(pads) {
  for (const FieldInfo& field : uopFields(hw)) {
    const UopField position = {field.lsb, (uint64_t{1} << field.width_bits) - 1};
    if (field.name == "dst_idx") dst_field_ = position;
    if (field.name == "src_idx") src_field_ = position;
    if (field.name == "wgt_idx") wgt_field_ = position;
  }
}

std::optional<Violation> DmaEngine::check(Opcode opcode, const MemInsn& mem,
                                          const BaseAddresses& bases, const Dram& dram) const {
  if (mem.x_size == 0) return std::nullopt;
  if (auto violation = checkSram(opcode, mem)) return violation;
  if (isOnChip(mem.memory_type)) return checkHandover(mem);
  return checkDram(mem, bases, dram);
}

void DmaEngine::execute(Opcode opcode, const MemInsn& mem, const BaseAddresses& bases, Dram& dram) {
  if (mem.x_size == 0) return;
  if (opcode == Opcode::kLoad) {
    load(mem, bases, dram);
  } else {
    store(mem, bases, dram);
  }
}

std::optional<Violation> DmaEngine::checkSram(Opcode opcode, const MemInsn& mem) const {
  const uint64_t end = mem.sram_base + sramElems(opcode, mem);
  const uint32_t depth = hw_.depthElems(mem.memory_type);
  if (end <= depth) return std::nullopt;
  return Violation{FaultKind::kSramBounds,
                   fmt::format("it uses {} elements {} to {}, but the buffer has {}",
                               memoryTypeName(mem.memory_type), mem.sram_base, end - 1, depth)};
}

std::optional<Violation> DmaEngine::checkHandover(const MemInsn& mem) const {
  const uint64_t end = handoverEnd(mem);
  const uint64_t depth = handoverDepth(hw_);
  if (end <= depth) return std::nullopt;
  return Violation{FaultKind::kSramBounds,
                   fmt::format("it reads elements {} to {} of OUT, but the buffer has {} of them",
                               mem.dram_base, end - 1, depth)};
}

std::optional<Violation> DmaEngine::checkDram(const MemInsn& mem, const BaseAddresses& bases,
                                              const Dram& dram) const {
  const uint64_t row_bytes = uint64_t{mem.x_size} * hw_.elemBytes(mem.memory_type);
  std::optional<DramRange> range;
  for (uint32_t y = 0; y < mem.y_size; ++y) {
    const uint64_t address = rowAddress(mem, y, bases, hw_);
    if (range && range->contains(address, row_bytes)) continue;
    range = dram.findRange(address);
    if (range && range->contains(address, row_bytes)) continue;
    return Violation{
        FaultKind::kDramBounds,
        fmt::format("row {} is at bytes {:#x} to {:#x}, {}", y, address, address + row_bytes - 1,
                    range ? fmt::format("past the end of the buffer at {:#x} to {:#x}",
                                        range->begin, range->end - 1)
                          : std::string("outside every allocated buffer"))};
  }
  return std::nullopt;
}

bool DmaEngine::isOneRow(const MemInsn& mem, const BaseAddresses& bases, const Dram& dram) const {
  if (mem.x_stride != mem.x_size) return false;
  const uint64_t address = rowAddress(mem, 0, bases, hw_);
  const std::optional<DramRange> range = dram.findRange(address);
  const uint64_t elems = uint64_t{mem.x_size} * mem.y_size;
  return range && range->contains(address, elems * hw_.elemBytes(mem.memory_type));
}

void DmaEngine::load(const MemInsn& mem, const BaseAddresses& bases, const Dram& dram) {
  const auto row_elems = static_cast<uint32_t>(loadRowElems(mem));
  uint32_t element = mem.sram_base;
  pad(mem, element, uint64_t{mem.y_pad_0} * row_elems);
  element += mem.y_pad_0 * row_elems;

  // Rows that follow each other on both sides are one long row.
  const bool on_chip = isOnChip(mem.memory_type);
  const bool packed = !on_chip && row_elems == mem.x_size && isOneRow(mem, bases, dram);
  const uint32_t rows = packed ? std::min(mem.y_size, 1u) : mem.y_size;
  const uint32_t count = packed ? mem.x_size * mem.y_size : mem.x_size;
  std::optional<DramRange> range;
  const uint64_t row_bytes = uint64_t{mem.x_size} * hw_.elemBytes(mem.memory_type);
  for (uint32_t y = 0; y < rows; ++y) {
    pad(mem, element, mem.x_pad_0);
    if (on_chip) {
      handover(mem.dram_base + y * mem.x_stride, element + mem.x_pad_0, count);
    } else {
      const uint64_t address = rowAddress(mem, y, bases, hw_);
      if (!range || !range->contains(address, row_bytes)) range = dram.findRange(address);
      loadRow(mem.memory_type, element + mem.x_pad_0, count, range->at(address));
    }
    pad(mem, element + mem.x_pad_0 + mem.x_size, mem.x_pad_1);
    element += packed ? count : row_elems;
  }
  pad(mem, element, uint64_t{mem.y_pad_1} * row_elems);
}

void DmaEngine::loadRow(MemoryType type, uint32_t element, uint32_t count, const std::byte* data) {
  const size_t lanes = size_t{count} * pads_.accElemLanes();
  switch (type) {
    case MemoryType::kUop:
      return decodeUops(element, count, data);
    case MemoryType::kInp:
      std::memcpy(pads_.inp(element), data, size_t{count} * hw_.elemBytes(type));
      return pads_.repackInp(element, count);
    case MemoryType::kWgt:
      unpackWeights(reinterpret_cast<const int8_t*>(data), size_t{count} * pads_.wgtElemWeights(),
                    hw_.params().wgt_width_bits, pads_.wgt(element));
      return pads_.repackWgt(element, count);
    case MemoryType::kWgtTransposed:
      transposeWeights(element, count, reinterpret_cast<const int8_t*>(data));
      return pads_.repackWgt(element, count);
    case MemoryType::kAcc:
      std::memcpy(pads_.acc(element), data, lanes * sizeof(int32_t));
      return pads_.wrapAcc(element, count);
    case MemoryType::kAcc8:
      return kernels_.widen(reinterpret_cast<const int8_t*>(data), lanes, pads_.acc(element));
    case MemoryType::kInpFromOut:  // it has no data in DRAM
    case MemoryType::kOut:         // the executor refuses it
      return;
  }
}

void DmaEngine::handover(uint32_t out, uint32_t inp, uint32_t count) {
  const size_t elem_lanes = hw_.elemBytes(MemoryType::kInp);
  kernels_.narrow(pads_.acc(0) + out * elem_lanes, count * elem_lanes, pads_.inp(inp));
  pads_.repackInp(inp, count);
}

void DmaEngine::pad(const MemInsn& mem, uint32_t element, uint64_t count) {
  if (count == 0) return;
  const bool is_min = mem.pad_kind == PadKind::kMin;
  const int32_t value = is_min ? memoryInfo(mem.memory_type).leastValue(hw_.params()) : 0;
  const auto elements = static_cast<uint32_t>(count);
  switch (scratchpadOf(mem.memory_type)) {
    case MemoryType::kUop:
      std::fill_n(pads_.uops().begin() + element, elements, Uop{});
      return;
    case MemoryType::kInp:
      std::fill_n(pads_.inp(element), count * hw_.elemBytes(MemoryType::kInp),
                  static_cast<int8_t>(value));
      return pads_.repackInp(element, elements);
    case MemoryType::kWgt:
      std::fill_n(pads_.wgt(element), count * pads_.wgtElemWeights(), static_cast<int8_t>(value));
      return pads_.repackWgt(element, elements);
    default:
      std::fill_n(pads_.acc(element), count * pads_.accElemLanes(), value);
  }
}

// Weights are bytes where there is the extension.
void DmaEngine::transposeWeights(uint32_t element, uint32_t count, const int8_t* data) {
  const auto inputs = static_cast<size_t>(hw_.blockIn());
  const auto outputs = static_cast<size_t>(hw_.blockOut());
  for (uint32_t i = 0; i < count; ++i, data += inputs * outputs) {
    int8_t* const wgt = pads_.wgt(element + i);
    for (size_t oc = 0; oc < outputs; ++oc) {
      for (size_t ic = 0; ic < inputs; ++ic) wgt[oc * inputs + ic] = data[ic * outputs + oc];
    }
  }
}

void DmaEngine::decodeUops(uint32_t element, uint32_t count, const std::byte* data) {
  const auto uop_bytes = static_cast<size_t>(hw_.uopBytes());
  const auto extract = [](uint64_t bits, const UopField& field) {
    return static_cast<uint32_t>(bits >> field.lsb & field.mask);
  };
  for (uint32_t i = 0; i < count; ++i, data += uop_bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, data, uop_bytes);
    pads_.uops()[element + i] = {extract(bits, dst_field_), extract(bits, src_field_),
                                 extract(bits, wgt_field_)};
  }
}

void DmaEngine::store(const MemInsn& mem, const BaseAddresses& bases, const Dram& dram) {
  const size_t elem_lanes = pads_.accElemLanes();
  const bool packed = isOneRow(mem, bases, dram);
  const uint32_t rows = packed ? std::min(mem.y_size, 1u) : mem.y_size;
  const size_t lanes = (packed ? size_t{mem.x_size} * mem.y_size : mem.x_size) * elem_lanes;
  std::optional<DramRange> range;
  for (uint32_t y = 0; y < rows; ++y) {
    const uint64_t address = rowAddress(mem, y, bases, hw_);
    if (!range || !range->contains(address, lanes)) range = dram.findRange(address);
    kernels_.narrow(pads_.acc(mem.sram_base + y * mem.x_size), lanes,
                    reinterpret_cast<int8_t*>(range->at(address)));
  }
}

}  // namespace vta::sim
