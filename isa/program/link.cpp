// linkPrograms: several programs as one launch.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "isa/program/program.h"

namespace vta {
namespace {

// A token carrier: x_size 0 moves no data. The memory type selects the unit.
Instruction carrier(MemoryType type, Tokens tokens) {
  MemInsn mem;
  mem.memory_type = type;
  return Instruction::load(mem, tokens);
}

const Instruction* firstLoadUnitInstruction(const Program& program) {
  const auto found =
      std::find_if(program.instructions.begin(), program.instructions.end(),
                   [](const Instruction& insn) { return insn.unit() == Unit::kLoad; });
  return found == program.instructions.end() ? nullptr : &*found;
}

class Linker {
 public:
  Linker(const HwConfig& hw, size_t program_count) : hw_(hw) {
    linked_.program.hw_fingerprint = hw.fingerprint();
    linked_.program.encoding = hw.encoding();
    linked_.buffer_maps.reserve(program_count);
  }

  // Appends `program`; `next` follows it, nullptr for the last one.
  Status append(const Program& program, const Program* next) {
    VTA_RETURN_IF_ERROR(checkProgramStructure(program, hw_));
    VTA_ASSIGN_OR_RETURN(const uint32_t uop_offset, placeUops(program));
    std::vector<uint32_t> buffer_map;
    for (const BufferDecl& buffer : program.buffers) buffer_map.push_back(placeBuffer(buffer));
    appendInstructions(program, buffer_map, uop_offset);
    linked_.buffer_maps.push_back(std::move(buffer_map));
    return next == nullptr ? Status() : turnFinishIntoBarrier(*next);
  }

  LinkedProgram finish() {
    Program& program = linked_.program;
    for (BufferDecl& buffer : program.buffers) {
      if (buffer.kind == BufferKind::kUop) buffer.size_bytes = program.uops.size() * hw_.uopBytes();
    }
    return std::move(linked_);
  }

 private:
  // Where the program's micro-ops lie among the linked ones. Programs with equal micro-ops (the
  // same kernel on other data) share them.
  Result<uint32_t> placeUops(const Program& program) {
    std::vector<Uop>& uops = linked_.program.uops;
    for (const auto& [earlier, offset] : placed_uops_) {
      if (*earlier == program.uops) return offset;
    }
    const uint64_t total = uops.size() + program.uops.size();
    if (total > UINT32_MAX) return invalidArgument("linked programs have too many micro-ops");
    const auto offset = static_cast<uint32_t>(uops.size());
    uops.insert(uops.end(), program.uops.begin(), program.uops.end());
    placed_uops_.emplace_back(&program.uops, offset);
    return offset;
  }

  uint32_t placeBuffer(const BufferDecl& buffer) {
    std::vector<BufferDecl>& buffers = linked_.program.buffers;
    const bool is_uop = buffer.kind == BufferKind::kUop;
    const auto fresh = static_cast<uint32_t>(buffers.size());
    if (is_uop || !buffer.name.empty()) {
      const auto key = std::pair(buffer.kind, is_uop ? std::string() : buffer.name);
      const auto [known, inserted] = buffer_index_.try_emplace(key, fresh);
      if (!inserted) {
        BufferDecl& merged = buffers[known->second];
        merged.size_bytes = std::max(merged.size_bytes, buffer.size_bytes);
        merged.alignment_bytes = std::max(merged.alignment_bytes, buffer.alignment_bytes);
        return known->second;
      }
    }
    buffers.push_back(buffer);
    return fresh;
  }

  void appendInstructions(const Program& program, const std::vector<uint32_t>& buffer_map,
                          uint32_t uop_offset) {
    Program& out = linked_.program;
    const auto first_symbol = out.symbols.size();
    const auto start = static_cast<uint32_t>(out.instructions.size());
    bool barrier_pending = load_must_wait_;
    // Instructions before the one that waits for the barrier keep their distance from the start;
    // the others move by one when a carrier is put in.
    size_t carrier_at = program.instructions.size();
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      Instruction insn = program.instructions[i];
      if (barrier_pending && insn.unit() == Unit::kLoad) {
        barrier_pending = false;
        if (insn.tokens.pop_next) {
          carrier_at = i;
          out.instructions.push_back(carrier(MemoryType::kInp, {.pop_next = true}));
        }
        insn.tokens.pop_next = true;
      }
      auto* mem = std::get_if<MemInsn>(&insn.body);
      if (mem != nullptr && mem->memory_type == MemoryType::kUop && mem->x_size > 0) {
        mem->dram_base += uop_offset;
      }
      out.instructions.push_back(insn);
    }
    const auto placeOf = [&](uint32_t i) { return start + i + (i >= carrier_at ? 1 : 0); };
    for (const Relocation& r : program.relocations) {
      out.relocations.push_back({placeOf(r.instruction), buffer_map[r.buffer]});
    }
    for (const Symbol& s : program.symbols) {
      // The first symbol also covers a carrier put before its first instruction.
      const bool at_carrier = s.first_instruction == carrier_at;
      out.symbols.push_back({placeOf(s.first_instruction) - (at_carrier ? 1 : 0), s.name});
    }
    nameUnnamedStart(first_symbol, start);
  }

  // Without this, instructions before the first symbol of a program would seem to belong to the
  // last symbol of the program before it.
  void nameUnnamedStart(size_t first_symbol, uint32_t start) {
    std::vector<Symbol>& symbols = linked_.program.symbols;
    const bool covered =
        first_symbol < symbols.size() && symbols[first_symbol].first_instruction == start;
    if (!covered && first_symbol > 0) {
      symbols.insert(symbols.begin() + static_cast<std::ptrdiff_t>(first_symbol), {start, ""});
    }
  }

  // The FINISH that was appended last waits for its program's stores. In its place a compute
  // instruction waits likewise, and tells the load unit when `next` has work for it; what `next`
  // does on the compute unit follows in order, and its stores follow its compute instructions.
  Status turnFinishIntoBarrier(const Program& next) {
    Instruction& last = linked_.program.instructions.back();
    if (last.tokens.push_prev || last.tokens.push_next) {
      return invalidArgument("FINISH pushes a token that nothing can pop");
    }
    Tokens tokens = last.tokens;
    load_must_wait_ = firstLoadUnitInstruction(next) != nullptr;
    tokens.push_prev = load_must_wait_;
    last = carrier(MemoryType::kUop, tokens);
    return {};
  }

  const HwConfig& hw_;
  LinkedProgram linked_;
  bool load_must_wait_ = false;
  std::vector<std::pair<const std::vector<Uop>*, uint32_t>> placed_uops_;
  std::map<std::pair<BufferKind, std::string>, uint32_t> buffer_index_;
};

}  // namespace

Result<LinkedProgram> linkPrograms(std::span<const Program> programs, const HwConfig& hw) {
  if (programs.empty()) return invalidArgument("no programs to link");
  Linker linker(hw, programs.size());
  for (size_t i = 0; i < programs.size(); ++i) {
    const Program* next = i + 1 < programs.size() ? &programs[i + 1] : nullptr;
    VTA_RETURN_IF_ERROR(linker.append(programs[i], next).withContext(fmt::format("program {}", i)));
  }
  return linker.finish();
}

}  // namespace vta
