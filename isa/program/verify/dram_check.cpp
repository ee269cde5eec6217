#include "isa/program/verify/dram_check.h"

#include <algorithm>

namespace vta::verify {
namespace {

constexpr size_t kStoringUnit = static_cast<size_t>(Unit::kStore);

}  // namespace

DramCheck::DramCheck(const Program& program, const HwConfig& hw, const ExecutionOrder& order,
                     Findings& findings)
    : program_(program),
      hw_(hw),
      order_(order),
      findings_(findings),
      buffer_of_(program.instructions.size(), UINT32_MAX),
      buffers_(program.buffers.size()) {
  for (const Relocation& relocation : program.relocations) {
    const Instruction& insn = program.instructions[relocation.instruction];
    buffer_of_[relocation.instruction] = relocation.buffer;
    BufferState& state = buffers_[relocation.buffer];
    (insn.opcode == Opcode::kStore ? state.stored : state.loaded) = true;
    state.granule_bytes =
        std::min<uint64_t>(state.granule_bytes, hw.elemBytes(insn.mem().memory_type));
  }
}

void DramCheck::access(uint32_t at) {
  const uint32_t buffer = buffer_of_[at];
  const Instruction& insn = program_.instructions[at];
  const MemInsn& mem = insn.mem();
  if (mem.y_size == 0 || !inBounds(at, program_.buffers[buffer])) return;
  if (insn.opcode == Opcode::kStore && program_.buffers[buffer].kind == BufferKind::kConstant) {
    findings_.add(at,
                  fmt::format("stores into constant buffer \"{}\"", program_.buffers[buffer].name));
  }
  BufferState& state = buffers_[buffer];
  if (!state.loaded || !state.stored) return;
  const uint64_t elem_bytes = hw_.elemBytes(mem.memory_type);
  for (uint64_t y = 0; y < mem.y_size; ++y) {
    const uint64_t first_elem = mem.dram_base + y * mem.x_stride;
    if (!touchRow(at, state, first_elem * elem_bytes, mem.x_size * elem_bytes)) return;
  }
}

bool DramCheck::inBounds(uint32_t at, const BufferDecl& buffer) {
  const MemInsn& mem = program_.instructions[at].mem();
  const uint64_t elem_bytes = hw_.elemBytes(mem.memory_type);
  const uint64_t end_elem = mem.dram_base + uint64_t{mem.y_size - 1} * mem.x_stride + mem.x_size;
  if (end_elem * elem_bytes <= buffer.size_bytes) return true;
  findings_.add(at, fmt::format("accesses bytes {} to {} of buffer \"{}\", which has {}",
                                mem.dram_base * elem_bytes, end_elem * elem_bytes - 1, buffer.name,
                                buffer.size_bytes));
  return false;
}

// Marks a row and checks it against the units that must not touch it at the same time. False once a
// race has been reported.
bool DramCheck::touchRow(uint32_t at, BufferState& state, uint64_t first_byte,
                         uint64_t size_bytes) {
  const Clock& clock = order_.before[at];
  const auto unit = static_cast<size_t>(program_.instructions[at].unit());
  const uint64_t end = (first_byte + size_bytes) / state.granule_bytes;
  for (uint64_t granule = first_byte / state.granule_bytes; granule < end;) {
    std::unique_ptr<Page>& page = state.pages[granule / kPageGranules];
    if (page == nullptr) page = std::make_unique<Page>();
    const uint64_t page_end = std::min(end, (granule / kPageGranules + 1) * kPageGranules);
    for (; granule < page_end; ++granule) {
      const uint64_t i = granule % kPageGranules;
      for (size_t other = 0; other < kUnitCount; ++other) {
        const bool conflicts = other != unit && (unit == kStoringUnit || other == kStoringUnit);
        if (conflicts && page->last[other][i] > clock[other]) {
          reportRace(at, other, page->last[other][i], granule * state.granule_bytes);
          return false;
        }
      }
      page->last[unit][i] = clock[unit] + 1;
    }
  }
  return true;
}

void DramCheck::reportRace(uint32_t at, size_t other_unit, uint32_t other_stamp, uint64_t byte) {
  const uint32_t other = order_.streams[other_unit][other_stamp - 1];
  findings_.add(
      at, fmt::format("race: byte {} of buffer \"{}\" is also {} by {}, and no token "
                      "orders the two",
                      byte, program_.buffers[buffer_of_[at]].name,
                      other_unit == kStoringUnit ? "stored" : "loaded", findings_.describe(other)));
}

}  // namespace vta::verify
