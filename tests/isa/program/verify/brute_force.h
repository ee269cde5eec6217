// The verifier's questions answered the slow and obvious way.
#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::test {

struct Edge {
  bool Tokens::*push;
  Unit producer;
  bool Tokens::*pop;
  Unit consumer;
};
inline constexpr Edge kEdges[] = {
    {&Tokens::push_next, Unit::kLoad, &Tokens::pop_prev, Unit::kCompute},
    {&Tokens::push_prev, Unit::kCompute, &Tokens::pop_next, Unit::kLoad},
    {&Tokens::push_next, Unit::kCompute, &Tokens::pop_prev, Unit::kStore},
    {&Tokens::push_prev, Unit::kStore, &Tokens::pop_next, Unit::kCompute},
};

/// before[i][j]: instruction i has certainly finished when j starts. By transitive closure over
/// unit order and token edges; the program must have a push for every pop.
inline std::vector<std::vector<bool>> bruteForceOrder(const Program& program) {
  const size_t n = program.instructions.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      before[i][j] = program.instructions[i].unit() == program.instructions[j].unit();
    }
  }
  for (const Edge& edge : kEdges) {
    std::vector<size_t> pushes;
    std::vector<size_t> pops;
    for (size_t i = 0; i < n; ++i) {
      const Instruction& insn = program.instructions[i];
      if (insn.unit() == edge.producer && insn.tokens.*edge.push) pushes.push_back(i);
      if (insn.unit() == edge.consumer && insn.tokens.*edge.pop) pops.push_back(i);
    }
    for (size_t k = 0; k < pops.size(); ++k) before[pushes[k]][pops[k]] = true;
  }
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; before[i][k] && j < n; ++j) {
        if (before[k][j]) before[i][j] = true;
      }
    }
  }
  return before;
}

/// What one instruction reads and writes: (memory, element); memory 100 + b is DRAM buffer b in
/// bytes.
struct Accesses {
  std::set<std::pair<int, uint64_t>> reads;
  std::set<std::pair<int, uint64_t>> writes;
};

inline constexpr int kDramMemory = 100;

inline Accesses accessesOf(const Program& program, uint32_t at, const HwConfig& hw) {
  Accesses result;
  const auto add = [](auto& set, MemoryType type, uint64_t element) {
    set.insert({static_cast<int>(type), element});
  };
  const Instruction& insn = program.instructions[at];
  if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
    const bool is_store = insn.opcode == Opcode::kStore;
    const uint64_t elem_bytes = hw.elemBytes(mem->memory_type);
    for (const Relocation& r : program.relocations) {
      if (r.instruction != at) continue;
      for (uint64_t y = 0; y < mem->y_size; ++y) {
        for (uint64_t x = 0; x < mem->x_size; ++x) {
          const uint64_t first = (mem->dram_base + y * mem->x_stride + x) * elem_bytes;
          for (uint64_t byte = first; byte < first + elem_bytes; ++byte) {
            (is_store ? result.writes : result.reads)
                .insert({kDramMemory + static_cast<int>(r.buffer), byte});
          }
        }
      }
      const uint64_t columns = mem->x_pad_0 + mem->x_size + mem->x_pad_1;
      const uint64_t rows = mem->y_pad_0 + mem->y_size + mem->y_pad_1;
      for (uint64_t i = mem->sram_base; i < mem->sram_base + rows * columns; ++i) {
        if (is_store) {
          add(result.reads, MemoryType::kOut, i);
        } else {
          add(result.writes, scratchpadOf(mem->memory_type), i);
          if (mem->memory_type == MemoryType::kAcc) add(result.writes, MemoryType::kOut, i);
        }
      }
    }
  }
  if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) {
    for (uint32_t i0 = 0; i0 < gemm->iter_out; ++i0) {
      for (uint32_t i1 = 0; i1 < gemm->iter_in; ++i1) {
        for (uint32_t u = gemm->uop_bgn; u < gemm->uop_end; ++u) {
          const Uop& uop = program.uops[u];  // slot u holds micro-op u
          const auto at_loops = [&](uint32_t index, uint32_t out, uint32_t in) {
            return uint64_t{index} + i0 * out + i1 * in;
          };
          add(result.writes, MemoryType::kOut,
              at_loops(uop.dst_idx, gemm->dst_factor_out, gemm->dst_factor_in));
          if (gemm->reset) continue;
          add(result.reads, MemoryType::kInp,
              at_loops(uop.src_idx, gemm->src_factor_out, gemm->src_factor_in));
          add(result.reads, MemoryType::kWgt,
              at_loops(uop.wgt_idx, gemm->wgt_factor_out, gemm->wgt_factor_in));
        }
      }
    }
  }
  return result;
}

/// True when two instructions of different units touch the same place, one of them writing, and
/// neither is certain to finish before the other starts.
inline bool bruteForceHasRace(const Program& program, const HwConfig& hw) {
  const auto before = bruteForceOrder(program);
  std::vector<Accesses> accesses;
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    accesses.push_back(accessesOf(program, i, hw));
  }
  const auto meet = [](const auto& a, const auto& b) {
    for (const auto& place : a) {
      if (b.contains(place)) return true;
    }
    return false;
  };
  for (size_t i = 0; i < accesses.size(); ++i) {
    for (size_t j = i + 1; j < accesses.size(); ++j) {
      if (before[i][j] || before[j][i]) continue;
      if (meet(accesses[i].writes, accesses[j].writes) ||
          meet(accesses[i].writes, accesses[j].reads) ||
          meet(accesses[i].reads, accesses[j].writes)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace vta::test
