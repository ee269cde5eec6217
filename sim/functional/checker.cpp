#include "sim/functional/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isa/instruction/handover.h"
#include "isa/program/verify/compat_hazard.h"
#include "sim/functional/dma_engine.h"

namespace vta::sim {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr std::string_view kNoOrder = "and no token orders the two";

}  // namespace

struct Checker::DramPage {
  std::array<Cell, kPageBytes> cells;
};

Checker::Checker(const HwConfig& hw) : hw_(hw) {
  for (const MemoryType type :
       {MemoryType::kUop, MemoryType::kWgt, MemoryType::kInp, MemoryType::kAcc}) {
    sram_[static_cast<size_t>(type)].resize(hw.depthElems(type));
  }
}

Checker::~Checker() = default;

void Checker::beginRun() {
  for (std::vector<Cell>& memory : sram_) {
    for (Cell& cell : memory) {
      cell.write_time = 0;
      cell.read_times = {};
    }
  }
  dram_pages_.clear();
  clocks_ = {};
  for (std::deque<Clock>& queue : tokens_) queue.clear();
  instruction_at_.assign(1, 0);  // time 0 is before the run
}

void Checker::begin(Unit unit, uint32_t number, uint8_t pops) {
  unit_ = index(unit);
  Clock& clock = clocks_[unit_];
  for (int q = 0; q < kTokenQueueCount; ++q) {
    if ((pops >> q & 1) == 0) continue;
    const Clock& token = tokens_[q].front();
    for (int u = 0; u < kUnitCount; ++u) clock[u] = std::max(clock[u], token[u]);
    tokens_[q].pop_front();
  }
  clock[unit_] = static_cast<uint32_t>(instruction_at_.size());
  instruction_at_.push_back(number);
}

void Checker::end(uint8_t pushes) {
  for (int q = 0; q < kTokenQueueCount; ++q) {
    if ((pushes >> q & 1) != 0) tokens_[q].push_back(clocks_[unit_]);
  }
}

std::optional<uint32_t> Checker::race(Cell& cell, Access access) {
  const Clock& clock = clocks_[unit_];
  const int writer = index(cell.write_unit);
  if (writer != unit_ && cell.write_time > clock[writer]) return instruction_at_[cell.write_time];
  if (access.is_write) {
    for (int u = 0; u < kUnitCount; ++u) {
      if (u != unit_ && cell.read_times[u] > clock[u]) return instruction_at_[cell.read_times[u]];
    }
    cell.write_time = clock[unit_];
    cell.write_unit = kUnits[unit_];
    cell.is_written = true;
  }
  if (access.is_read) cell.read_times[unit_] = clock[unit_];
  return std::nullopt;
}

std::optional<Violation> Checker::sram(MemoryType type, uint64_t element, Access access) {
  std::vector<Cell>& memory = sram_[static_cast<size_t>(type)];
  Cell& cell = memory[element];
  if (access.is_read && !cell.is_written) {
    return Violation{FaultKind::kUninitialisedRead,
                     fmt::format("it reads {} element {}, which nothing has written",
                                 memoryTypeName(type), element)};
  }
  if (const auto other = race(cell, access)) {
    return Violation{FaultKind::kRace,
                     fmt::format("it {} {} element {} that instruction {} uses, {}",
                                 access.is_write ? "writes" : "reads", memoryTypeName(type),
                                 element, *other, kNoOrder)};
  }
  return std::nullopt;
}

Checker::Cell& Checker::dramCell(uint64_t address) {
  std::unique_ptr<DramPage>& page = dram_pages_[address / kPageBytes];
  if (!page) page = std::make_unique<DramPage>();
  return page->cells[address % kPageBytes];
}

std::optional<Violation> Checker::dramRow(uint64_t address, uint64_t size_bytes, Access access,
                                          Dram& dram) {
  if (access.is_read) {
    const uint64_t written = dram.writtenPrefix(address, size_bytes);
    if (written < size_bytes) {
      return Violation{FaultKind::kUninitialisedRead,
                       fmt::format("it reads the DRAM byte at {:#x}, which nothing has written",
                                   address + written)};
    }
  }
  for (uint64_t i = 0; i < size_bytes; ++i) {
    if (const auto other = race(dramCell(address + i), access)) {
      return Violation{
          FaultKind::kRace,
          fmt::format("it {} the DRAM byte at {:#x} that instruction {} uses, {}",
                      access.is_write ? "writes" : "reads", address + i, *other, kNoOrder)};
    }
  }
  if (access.is_write) dram.markWritten(address, size_bytes);
  return std::nullopt;
}

std::optional<Violation> Checker::check(const Instruction& insn, std::span<const Uop> uops,
                                        const BaseAddresses& bases, Dram& dram) {
  switch (insn.opcode) {
    case Opcode::kLoad:
    case Opcode::kStore:
      return checkMem(insn.opcode, insn.mem(), bases, dram);
    case Opcode::kGemm:
      if (auto violation = checkGemm(insn.gemm(), uops)) return violation;
      return checkHazard(insn.gemm(), uops);
    case Opcode::kAlu:
      if (auto violation = checkAlu(insn.alu(), uops)) return violation;
      return checkHazard(insn.alu(), uops);
    case Opcode::kFinish:
      break;
  }
  return std::nullopt;
}

template <typename Body>
std::optional<Violation> Checker::checkHazard(const Body& body, std::span<const Uop> uops) const {
  const bool is_empty = body.uop_bgn >= body.uop_end || body.iter_out == 0 || body.iter_in == 0;
  if (!hw_.params().compat_0_0_2 || is_empty) return std::nullopt;
  std::string hazard =
      findCompatHazard(body, uops.subspan(body.uop_bgn, body.uop_end - body.uop_bgn));
  if (hazard.empty()) return std::nullopt;
  return Violation{FaultKind::kRace, std::move(hazard)};
}

std::optional<Violation> Checker::checkMem(Opcode opcode, const MemInsn& mem,
                                           const BaseAddresses& bases, Dram& dram) {
  const bool is_load = opcode == Opcode::kLoad;
  const Access sram_access = {.is_read = !is_load, .is_write = is_load};
  const Access dram_access = {.is_read = is_load, .is_write = !is_load};
  const MemoryType type = scratchpadOf(mem.memory_type);
  const uint64_t elems = sramElems(opcode, mem);
  for (uint64_t i = 0; i < elems; ++i) {
    if (auto violation = sram(type, mem.sram_base + i, sram_access)) return violation;
  }
  if (mem.x_size == 0) return std::nullopt;
  if (isOnChip(mem.memory_type)) return checkHandover(mem);
  const uint64_t row_bytes = uint64_t{mem.x_size} * hw_.elemBytes(mem.memory_type);
  for (uint32_t y = 0; y < mem.y_size; ++y) {
    const uint64_t address = rowAddress(mem, y, bases, hw_);
    if (auto violation = dramRow(address, row_bytes, dram_access, dram)) return violation;
  }
  return std::nullopt;
}

std::optional<Violation> Checker::checkHandover(const MemInsn& mem) {
  for (uint32_t y = 0; y < mem.y_size; ++y) {
    const OutElems row = handoverRow(mem, y, hw_);
    for (uint32_t out = row.begin; out < row.end; ++out) {
      if (auto violation = sram(MemoryType::kAcc, out, {.is_read = true})) return violation;
    }
  }
  return std::nullopt;
}

std::optional<Violation> Checker::checkUops(uint32_t bgn, uint32_t end) {
  for (uint32_t u = bgn; u < end; ++u) {
    if (auto violation = sram(MemoryType::kUop, u, {.is_read = true})) return violation;
  }
  return std::nullopt;
}

std::optional<Violation> Checker::checkGemm(const GemmInsn& insn, std::span<const Uop> uops) {
  if (insn.iter_out == 0 || insn.iter_in == 0) return std::nullopt;
  if (auto violation = checkUops(insn.uop_bgn, insn.uop_end)) return violation;
  const Access dst_access = {.is_read = !insn.reset, .is_write = true};
  for (uint64_t i0 = 0; i0 < insn.iter_out; ++i0) {
    for (uint64_t i1 = 0; i1 < insn.iter_in; ++i1) {
      for (uint32_t u = insn.uop_bgn; u < insn.uop_end; ++u) {
        const uint64_t dst = uops[u].dst_idx + i0 * insn.dst_factor_out + i1 * insn.dst_factor_in;
        if (auto violation = sram(MemoryType::kAcc, dst, dst_access)) return violation;
        if (!insn.readsOperands()) continue;
        const uint64_t src = uops[u].src_idx + i0 * insn.src_factor_out + i1 * insn.src_factor_in;
        const uint64_t wgt = uops[u].wgt_idx + i0 * insn.wgt_factor_out + i1 * insn.wgt_factor_in;
        for (uint64_t tap = 0; tap < insn.taps; ++tap) {
          if (auto violation = sram(MemoryType::kInp, src + tap, {.is_read = true}))
            return violation;
        }
        if (auto violation = sram(MemoryType::kWgt, wgt, {.is_read = true})) return violation;
      }
    }
  }
  return std::nullopt;
}

std::optional<Violation> Checker::checkAlu(const AluInsn& insn, std::span<const Uop> uops) {
  if (insn.iter_out == 0 || insn.iter_in == 0) return std::nullopt;
  const uint64_t reads_pair = readsPair(insn.alu_opcode) ? 1 : 0;
  if (auto violation = checkUops(insn.uop_bgn, insn.uop_end)) return violation;
  for (uint64_t i0 = 0; i0 < insn.iter_out; ++i0) {
    for (uint64_t i1 = 0; i1 < insn.iter_in; ++i1) {
      for (uint32_t u = insn.uop_bgn; u < insn.uop_end; ++u) {
        const uint64_t dst = uops[u].dst_idx + i0 * insn.dst_factor_out + i1 * insn.dst_factor_in;
        const uint64_t src = uops[u].src_idx + i0 * insn.src_factor_out + i1 * insn.src_factor_in;
        for (const uint64_t operand : {src & ~reads_pair, src | reads_pair}) {
          if (insn.use_imm) continue;
          if (auto violation = sram(MemoryType::kAcc, operand, {.is_read = true})) return violation;
        }
        const Access dst_access = {.is_read = true, .is_write = true};
        if (auto violation = sram(MemoryType::kAcc, dst, dst_access)) return violation;
      }
    }
  }
  return std::nullopt;
}

}  // namespace vta::sim
