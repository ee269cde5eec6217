#include "driver/commands/command_list.h"

#include <fmt/format.h>

#include <cmath>

#include "isa/instruction/encoding.h"
#include "isa/instruction/legality.h"
#include "isa/program/verify/verifier.h"

namespace vta::driver {
namespace {

constexpr const char* kUopBuffer = "uop";

size_t index(Unit unit) { return static_cast<size_t>(unit); }

bool hasPops(const Tokens& tokens) { return tokens.pop_prev || tokens.pop_next; }

Status checkNeighbours(Unit from, Unit to) {
  if (std::abs(static_cast<int>(from) - static_cast<int>(to)) == 1) return {};
  return invalidArgument(fmt::format(
      "tokens go between neighbours, load and compute or compute and store, not from {} to {}",
      unitName(from), unitName(to)));
}

}  // namespace

CommandList::CommandList(const HwConfig& hw) : hw_(hw) { clear(); }

void CommandList::clear() {
  program_ = {};
  program_.hw_fingerprint = hw_.fingerprint();
  program_.encoding = hw_.encoding();
  newest_ = {};
  waiting_ = {};
  resident_.clear();
  next_place_ = 0;
  uop_loads_.clear();
}

uint32_t CommandList::addBuffer(std::string name, uint64_t size_bytes) {
  uint32_t alignment = 1;
  for (int type = 0; type < kMemoryTypeCount; ++type) {
    alignment = std::max(alignment, hw_.elemBytes(static_cast<MemoryType>(type)));
  }
  program_.buffers.push_back({std::move(name), BufferKind::kScratch, size_bytes, alignment});
  return static_cast<uint32_t>(program_.buffers.size() - 1);
}

Status CommandList::append(Instruction insn) {
  const size_t unit = index(insn.unit());
  insn.tokens = waiting_[unit];
  std::vector<std::byte> encoded;
  const auto number = static_cast<uint32_t>(program_.instructions.size());
  Status status = checkInstruction(insn, hw_);
  if (status.ok()) status = encodeInstruction(insn, hw_, encoded);
  if (!status.ok()) {
    return status.withContext(fmt::format("instruction {} ({})", number, opcodeName(insn.opcode)));
  }
  waiting_[unit] = {};
  newest_[unit] = number;
  program_.instructions.push_back(insn);
  return {};
}

void CommandList::relocate(uint32_t buffer) {
  program_.relocations.push_back({static_cast<uint32_t>(program_.instructions.size() - 1), buffer});
}

Status CommandList::transfer(const MemInsn& mem, uint32_t buffer) {
  if (buffer >= program_.buffers.size()) {
    return invalidArgument(
        fmt::format("there is no buffer {}; there are {}", buffer, program_.buffers.size()));
  }
  const bool is_store = mem.memory_type == MemoryType::kOut;
  VTA_RETURN_IF_ERROR(append(is_store ? Instruction::store(mem) : Instruction::load(mem)));
  if (mem.x_size > 0) relocate(buffer);
  return {};
}

Result<uint32_t> CommandList::place(std::span<const Uop> uops) {
  const uint32_t depth = hw_.depthElems(MemoryType::kUop);
  if (uops.empty() || uops.size() > depth) {
    return invalidArgument(fmt::format(
        "{} micro-ops; give at least 1, and at most the {} that the micro-op buffer of {} holds",
        uops.size(), depth, hw_.name()));
  }
  Key key;
  for (const Uop& uop : uops) key.push_back({uop.dst_idx, uop.src_idx, uop.wgt_idx});
  if (const auto found = resident_.find(key); found != resident_.end()) return found->second;
  std::vector<std::byte> encoded;
  for (const Uop& uop : uops) VTA_RETURN_IF_ERROR(encodeUop(uop, hw_, encoded));
  const auto count = static_cast<uint32_t>(uops.size());
  if (next_place_ + count > depth) {
    // The compute unit runs in order: what is overwritten has been used.
    resident_.clear();
    next_place_ = 0;
  }
  MemInsn load;
  load.sram_base = next_place_;
  load.dram_base = static_cast<uint32_t>(program_.uops.size());
  load.y_size = 1;
  load.x_size = load.x_stride = count;
  VTA_RETURN_IF_ERROR(append(Instruction::load(load)));
  uop_loads_.push_back(static_cast<uint32_t>(program_.relocations.size()));
  relocate(0);
  program_.uops.insert(program_.uops.end(), uops.begin(), uops.end());
  resident_[std::move(key)] = next_place_;
  next_place_ += count;
  return next_place_ - count;
}

Status CommandList::gemm(const GemmInsn& gemm, std::span<const Uop> uops) {
  VTA_ASSIGN_OR_RETURN(const uint32_t first, place(uops));
  GemmInsn insn = gemm;
  insn.uop_bgn = first;
  insn.uop_end = first + static_cast<uint32_t>(uops.size());
  return append(Instruction::gemm(insn));
}

Status CommandList::alu(const AluInsn& alu, std::span<const Uop> uops) {
  VTA_ASSIGN_OR_RETURN(const uint32_t first, place(uops));
  AluInsn insn = alu;
  insn.uop_bgn = first;
  insn.uop_end = first + static_cast<uint32_t>(uops.size());
  return append(Instruction::alu(insn));
}

Status CommandList::appendCarrier(Unit unit) {
  MemInsn mem;
  mem.memory_type = unit == Unit::kLoad    ? MemoryType::kInp
                    : unit == Unit::kStore ? MemoryType::kOut
                                           : MemoryType::kUop;
  return append(unit == Unit::kStore ? Instruction::store(mem) : Instruction::load(mem));
}

Status CommandList::push(Unit from, Unit to) {
  VTA_RETURN_IF_ERROR(checkNeighbours(from, to));
  const auto flag = to < from ? &Tokens::push_prev : &Tokens::push_next;
  const auto isFree = [&] {
    const std::optional<uint32_t>& newest = newest_[index(from)];
    return newest && !(program_.instructions[*newest].tokens.*flag);
  };
  // A token may go only when those that came before it in the list have arrived.
  if (hasPops(waiting_[index(from)]) || !isFree()) VTA_RETURN_IF_ERROR(appendCarrier(from));
  program_.instructions[*newest_[index(from)]].tokens.*flag = true;
  return {};
}

Status CommandList::pop(Unit from, Unit to) {
  VTA_RETURN_IF_ERROR(checkNeighbours(from, to));
  const auto flag = from < to ? &Tokens::pop_prev : &Tokens::pop_next;
  if (waiting_[index(to)].*flag) VTA_RETURN_IF_ERROR(appendCarrier(to));
  waiting_[index(to)].*flag = true;
  return {};
}

Status CommandList::close() {
  const bool waits = waiting_[index(Unit::kCompute)].pop_next;
  if (newest_[index(Unit::kStore)] && !waits) {
    VTA_RETURN_IF_ERROR(push(Unit::kStore, Unit::kCompute));
    VTA_RETURN_IF_ERROR(pop(Unit::kStore, Unit::kCompute));
  }
  VTA_RETURN_IF_ERROR(append(Instruction::finish()));
  for (const Unit unit : {Unit::kLoad, Unit::kStore}) {
    if (!hasPops(waiting_[index(unit)])) continue;
    return invalidArgument(fmt::format(
        "the {} unit is to wait for a token, and no instruction of it follows", unitName(unit)));
  }
  if (program_.uops.empty()) return {};
  const auto uop_bytes = static_cast<uint32_t>(hw_.uopBytes());
  program_.buffers.push_back(
      {kUopBuffer, BufferKind::kUop, program_.uops.size() * uop_bytes, uop_bytes});
  const auto buffer = static_cast<uint32_t>(program_.buffers.size() - 1);
  for (const uint32_t relocation : uop_loads_) program_.relocations[relocation].buffer = buffer;
  return {};
}

Result<Program> CommandList::finish() {
  const Status status = close();
  Program program = std::move(program_);
  clear();
  VTA_RETURN_IF_ERROR(status);
  VTA_RETURN_IF_ERROR(verifyProgramStatus(program, hw_));
  return program;
}

}  // namespace vta::driver
