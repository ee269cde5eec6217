#include "compiler/launch/overlap.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/launch/interval_map.h"
#include "isa/instruction/handover.h"
#include "isa/program/token_tracker.h"
#include "isa/program/verify/execution_order.h"
#include "isa/program/verify/findings.h"

namespace vta::compiler {
namespace {

constexpr int64_t kNone = -1;
constexpr uint32_t kNoBuffer = UINT32_MAX;
constexpr uint32_t kNoUop = UINT32_MAX;
// How far a load moves ahead: by so many instructions, which keeps it well within a command queue;
// and, if it waits for a store, by the work that hides it but hardly more, because the compute unit
// waits for that store too.
constexpr int64_t kMaxLead = 128;
constexpr uint64_t kMinLeadCycles = 500;

bool isTransfer(const Instruction& insn) { return std::holds_alternative<MemInsn>(insn.body); }

// Whether running the instructions one after the other, as they stand, is an execution order.
bool runsInOrder(const Program& program) {
  std::array<int64_t, 3> to_next{};  // tokens on their way to the next unit, by pushing unit
  std::array<int64_t, 3> to_prev{};
  for (const Instruction& insn : program.instructions) {
    const int unit = static_cast<int>(insn.unit());
    const Tokens& t = insn.tokens;
    if (t.pop_prev && (unit == 0 || --to_next[unit - 1] < 0)) return false;
    if (t.pop_next && (unit == 2 || --to_prev[unit + 1] < 0)) return false;
    to_next[unit] += t.push_next ? 1 : 0;
    to_prev[unit] += t.push_prev ? 1 : 0;
  }
  return true;
}

/// One instruction with everything that orders it.
struct Item {
  Instruction insn;
  uint32_t buffer = kNoBuffer;
  uint32_t symbol = 0;
  uint64_t work_cycles = 0;  // GEMM and ALU: micro-op executions; transfers: beats
  std::array<SramAccess, 4> accesses{};
  int num_accesses = 0;
  // Bytes of activations that it reads or writes, as a range; empty for constants.
  uint64_t dram_begin = 0;
  uint64_t dram_end = 0;

  Unit unit() const { return insn.unit(); }
  bool isLoad() const { return insn.unit() == Unit::kLoad; }
  void touch(Sram sram, uint64_t begin, uint64_t end, bool writes) {
    accesses[num_accesses++] = {sram, static_cast<uint32_t>(begin), static_cast<uint32_t>(end),
                                writes};
  }
};

/// Reads a program: what each instruction touches.
class Reader {
 public:
  Reader(const Program& program, const HwConfig& hw, std::span<const uint64_t> addresses)
      : program_(program),
        hw_(hw),
        addresses_(addresses),
        uops_(hw.depthElems(MemoryType::kUop)),
        uop_sources_(uops_.size(), kNoUop),
        is_loaded_(uops_.size(), 0),
        buffer_of_(program.instructions.size(), kNoBuffer) {
    for (const Relocation& r : program.relocations) buffer_of_[r.instruction] = r.buffer;
  }

  // Instructions that only carry tokens are left out, and so is the FINISH. Nothing if the program
  // leaves its memories or uses micro-ops that it has not loaded.
  std::optional<std::vector<Item>> run() {
    std::vector<Item> items;
    items.reserve(program_.instructions.size());
    for (uint32_t i = 0; i + 1 < program_.instructions.size(); ++i) {
      const std::vector<Symbol>& symbols = program_.symbols;
      while (next_symbol_ < symbols.size() && symbols[next_symbol_].first_instruction <= i) {
        ++next_symbol_;
      }
      Item item;
      item.insn = program_.instructions[i];
      item.insn.tokens = {};
      item.buffer = buffer_of_[i];
      item.symbol = static_cast<uint32_t>(next_symbol_);  // one past it; 0: none
      if (read(item)) items.push_back(item);
      if (!is_legal_) return std::nullopt;
    }
    return items;
  }

 private:
  // False where the instruction has no effect.
  bool read(Item& item) {
    if (const auto* gemm = std::get_if<GemmInsn>(&item.insn.body)) return readGemm(*gemm, item);
    if (const auto* alu = std::get_if<AluInsn>(&item.insn.body)) return readAlu(*alu, item);
    return isTransfer(item.insn) && readTransfer(item.insn.mem(), item);
  }

  bool readTransfer(const MemInsn& mem, Item& item) {
    const uint64_t rows = uint64_t{mem.y_pad_0} + mem.y_size + mem.y_pad_1;
    const uint64_t end = mem.sram_base + rows * (mem.x_pad_0 + mem.x_size + mem.x_pad_1);
    if (mem.x_size == 0 || end == mem.sram_base) return false;
    if (isOnChip(mem.memory_type)) return readHandover(mem, end, item);
    is_legal_ = item.buffer != kNoBuffer && end <= hw_.depthElems(mem.memory_type);
    if (!is_legal_) return false;
    const uint64_t elem_bytes = hw_.elemBytes(mem.memory_type);
    item.work_cycles = uint64_t{mem.y_size} * mem.x_size * elem_bytes * 8 /
                       static_cast<uint64_t>(hw_.params().axi_data_width_bits);
    const BufferKind kind = program_.buffers[item.buffer].kind;
    if (mem.y_size > 0 && kind != BufferKind::kConstant && kind != BufferKind::kUop) {
      const uint64_t elems = uint64_t{mem.y_size - 1} * mem.x_stride + mem.x_size;
      item.dram_begin = addresses_[item.buffer] + mem.dram_base * elem_bytes;
      item.dram_end = item.dram_begin + elems * elem_bytes;
    }
    switch (scratchpadOf(mem.memory_type)) {
      case MemoryType::kUop:
        return loadUops(mem, end);
      case MemoryType::kInp:
        item.touch(Sram::kInp, mem.sram_base, end, true);
        return true;
      case MemoryType::kWgt:
        item.touch(Sram::kWgt, mem.sram_base, end, true);
        return true;
      default:
        item.touch(Sram::kAcc, mem.sram_base, end, item.insn.opcode == Opcode::kLoad);
        return true;
    }
  }

  // It fills INP with what is in OUT.
  bool readHandover(const MemInsn& mem, uint64_t end, Item& item) {
    const uint64_t source_end = handoverEnd(mem);
    is_legal_ = end <= hw_.depthElems(MemoryType::kInp) && source_end <= handoverDepth(hw_);
    if (!is_legal_) return false;
    item.work_cycles = uint64_t{mem.y_size} * mem.x_size;
    item.touch(Sram::kInp, mem.sram_base, end, true);
    if (source_end > 0) {
      const uint64_t parts = handoverParts(hw_);
      item.touch(Sram::kAcc, mem.dram_base / parts, (source_end - 1) / parts + 1, false);
    }
    return true;
  }

  // False if the buffer holds these micro-ops already.
  bool loadUops(const MemInsn& mem, uint64_t end) {
    bool changes = false;
    const uint64_t cols = uint64_t{mem.x_pad_0} + mem.x_size + mem.x_pad_1;
    for (uint64_t at = mem.sram_base; at < end; ++at) {
      const uint64_t row = (at - mem.sram_base) / cols;
      const uint64_t col = (at - mem.sram_base) % cols;
      const bool is_data = row >= mem.y_pad_0 && row < uint64_t{mem.y_pad_0} + mem.y_size &&
                           col >= mem.x_pad_0 && col < uint64_t{mem.x_pad_0} + mem.x_size;
      const uint64_t source =
          is_data ? mem.dram_base + (row - mem.y_pad_0) * mem.x_stride + col - mem.x_pad_0 : kNoUop;
      is_legal_ = is_legal_ && (!is_data || source < program_.uops.size());
      if (!is_legal_) return false;
      changes = changes || !is_data || uop_sources_[at] != source;
      uop_sources_[at] = static_cast<uint32_t>(source);
      uops_[at] = is_data ? program_.uops[source] : Uop{};
      is_loaded_[at] = 1;
    }
    return changes;
  }

  // The elements from the smallest to the largest that the micro-ops and loops reach, each of
  // `width` elements.
  template <typename Body>
  void touchLoops(const Body& body, uint32_t Uop::*member, uint32_t factor_out, uint32_t factor_in,
                  MemoryType type, bool writes, Item& item, bool pairs = false,
                  uint32_t width = 1) {
    uint32_t lowest = UINT32_MAX;
    uint32_t highest = 0;
    for (uint32_t u = body.uop_bgn; u < body.uop_end; ++u) {
      lowest = std::min(lowest, uops_[u].*member);
      highest = std::max(highest, uops_[u].*member);
    }
    const uint64_t reach = uint64_t{body.iter_out - 1} * factor_out +
                           uint64_t{body.iter_in - 1} * factor_in + width - 1;
    is_legal_ = is_legal_ && highest + reach < hw_.depthElems(type);
    const Sram sram = type == MemoryType::kInp   ? Sram::kInp
                      : type == MemoryType::kWgt ? Sram::kWgt
                                                 : Sram::kAcc;
    const uint32_t pair = pairs ? 1 : 0;
    item.touch(sram, lowest & ~pair, ((highest + reach) | pair) + 1, writes);
  }

  template <typename Body>
  bool hasWork(const Body& body, Item& item) {
    if (body.uop_bgn >= body.uop_end) return false;
    is_legal_ = body.uop_end <= uops_.size() &&
                std::find(is_loaded_.begin() + body.uop_bgn, is_loaded_.begin() + body.uop_end,
                          0) == is_loaded_.begin() + body.uop_end;
    if (!is_legal_) return false;
    item.work_cycles = uint64_t{body.iter_out} * body.iter_in * (body.uop_end - body.uop_bgn);
    return item.work_cycles > 0;
  }

  bool readGemm(const GemmInsn& gemm, Item& item) {
    if (!hasWork(gemm, item)) return false;
    touchLoops(gemm, &Uop::dst_idx, gemm.dst_factor_out, gemm.dst_factor_in, MemoryType::kAcc, true,
               item);
    if (!gemm.readsOperands()) return true;
    touchLoops(gemm, &Uop::src_idx, gemm.src_factor_out, gemm.src_factor_in, MemoryType::kInp,
               false, item, false, gemm.taps);
    touchLoops(gemm, &Uop::wgt_idx, gemm.wgt_factor_out, gemm.wgt_factor_in, MemoryType::kWgt,
               false, item);
    return true;
  }

  bool readAlu(const AluInsn& alu, Item& item) {
    if (!hasWork(alu, item)) return false;
    touchLoops(alu, &Uop::dst_idx, alu.dst_factor_out, alu.dst_factor_in, MemoryType::kAcc, true,
               item);
    if (!alu.use_imm) {
      touchLoops(alu, &Uop::src_idx, alu.src_factor_out, alu.src_factor_in, MemoryType::kAcc, false,
                 item, readsPair(alu.alu_opcode));
    }
    return true;
  }

  const Program& program_;
  const HwConfig& hw_;
  std::span<const uint64_t> addresses_;
  std::vector<Uop> uops_;              // contents of the micro-op buffer
  std::vector<uint32_t> uop_sources_;  // their numbers in the program
  std::vector<uint8_t> is_loaded_;
  std::vector<uint32_t> buffer_of_;
  size_t next_symbol_ = 0;
  bool is_legal_ = true;
};

/// The order of the new program: each load as early as its place in the scratchpad is free and what
/// it reads is stored.
std::vector<uint32_t> hoistLoads(const std::vector<Item>& items) {
  std::array<NewestIn, kSramCount> readers;
  NewestIn stores;
  std::vector<uint64_t> work_until(items.size() + 1, 0);  // compute cycles before each item
  std::vector<std::pair<uint32_t, int64_t>> loads;        // and what each comes right behind
  int64_t previous = kNone;
  for (uint32_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    const bool computes = item.unit() == Unit::kCompute && !isTransfer(item.insn);
    work_until[i + 1] = work_until[i] + (computes ? item.work_cycles : 0);
    if (!item.isLoad()) {
      for (int a = 0; a < item.num_accesses; ++a) {
        const SramAccess& access = item.accesses[a];
        readers[static_cast<int>(access.sram)].touch(access.begin, access.end, i);
      }
      if (item.unit() == Unit::kStore) stores.touch(item.dram_begin, item.dram_end, i);
      continue;
    }
    int64_t anchor = std::max<int64_t>(previous, static_cast<int64_t>(i) - kMaxLead);
    for (int a = 0; a < item.num_accesses; ++a) {
      const SramAccess& access = item.accesses[a];
      const NewestIn& others = readers[static_cast<int>(access.sram)];
      anchor = std::max(anchor, others.newest(access.begin, access.end));
    }
    const int64_t store = stores.newest(item.dram_begin, item.dram_end);
    if (store != NewestIn::kNone) {
      const uint64_t lead = kMinLeadCycles + 2 * item.work_cycles;
      const uint64_t from = work_until[i] - std::min(work_until[i], lead);
      const auto found = std::lower_bound(work_until.begin(), work_until.begin() + i + 1, from);
      anchor = std::max({anchor, store, static_cast<int64_t>(found - work_until.begin()) - 1});
    }
    // Published hardware wants a program to begin with a compute instruction.
    if (i > 0) anchor = std::max<int64_t>(anchor, 0);
    loads.emplace_back(i, anchor);
    previous = anchor;
  }
  std::vector<uint32_t> order;
  order.reserve(items.size());
  size_t next_load = 0;
  const auto placeLoadsBefore = [&](int64_t item) {
    while (next_load < loads.size() && loads[next_load].second < item) {
      order.push_back(loads[next_load++].first);
    }
  };
  for (uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].isLoad()) continue;
    placeLoadsBefore(i);
    order.push_back(i);
  }
  placeLoadsBefore(static_cast<int64_t>(items.size()));
  return order;
}

/// Appends items to a program, with tokens for their dependences.
class Writer {
 public:
  Writer(const Program& program, size_t instructions) : source_(program) {
    result_.hw_fingerprint = program.hw_fingerprint;
    result_.encoding = program.encoding;
    result_.uops = program.uops;
    result_.buffers = program.buffers;
    result_.instructions.reserve(instructions + instructions / 8);
    result_.relocations.reserve(instructions);
  }

  void append(const Item& item) {
    std::array<int64_t, TokenTracker::kUnits> others = TokenTracker::kNoProducers;
    constexpr int kCompute = static_cast<int>(Unit::kCompute);
    constexpr int kStore = static_cast<int>(Unit::kStore);
    if (item.dram_begin < item.dram_end) {
      if (item.unit() == Unit::kStore) {
        const int64_t load = loads_.newest(item.dram_begin, item.dram_end);
        others[kCompute] = std::max(compute_loads_.newest(item.dram_begin, item.dram_end),
                                    computeAfter(Unit::kLoad, load, item.symbol));
      } else {
        const int64_t store = stores_.newest(item.dram_begin, item.dram_end);
        if (item.unit() == Unit::kCompute) {
          others[kStore] = store;
        } else {
          others[kCompute] = computeAfter(Unit::kStore, store, item.symbol);
        }
      }
    }
    const uint32_t index = push(item.insn, item.symbol);
    if (item.buffer != kNoBuffer) result_.relocations.push_back({index, item.buffer});
    tokens_.add(result_.instructions, index, index,
                {item.accesses.data(), static_cast<size_t>(item.num_accesses)}, others);
    NewestIn& touched = item.unit() == Unit::kStore  ? stores_
                        : item.unit() == Unit::kLoad ? loads_
                                                     : compute_loads_;
    touched.touch(item.dram_begin, item.dram_end, index);
  }

  Program finish() {
    const uint32_t index = push(Instruction::finish(), symbol_);
    tokens_.addAfterUnit(result_.instructions, index, Unit::kStore);
    return std::move(result_);
  }

 private:
  uint32_t push(const Instruction& insn, uint32_t symbol) {
    const auto index = static_cast<uint32_t>(result_.instructions.size());
    if (symbol != symbol_) {
      result_.symbols.push_back({index, symbol == 0 ? "" : source_.symbols[symbol - 1].name});
      symbol_ = symbol;
    }
    result_.instructions.push_back(insn);
    return index;
  }

  // A compute instruction that starts after `producer` has finished: one that waits for it already,
  // else a new one that only carries tokens. kNone for kNone.
  int64_t computeAfter(Unit from, int64_t producer, uint32_t symbol) {
    if (producer == NewestIn::kNone) return kNone;
    const int64_t known = tokens_.firstComputeAfter(from, producer);
    if (known != TokenTracker::kNone) return known;
    const uint32_t index = push(Instruction::load(MemInsn{}), symbol);
    std::array<int64_t, TokenTracker::kUnits> others = TokenTracker::kNoProducers;
    others[static_cast<int>(from)] = producer;
    tokens_.add(result_.instructions, index, index, {}, others);
    return index;
  }

  const Program& source_;
  Program result_;
  TokenTracker tokens_;
  NewestIn stores_, loads_, compute_loads_;  // by DRAM address: instructions of the result
  uint32_t symbol_ = 0;
};

bool fitsQueues(const Program& program, const HwConfig& hw) {
  verify::Findings findings(program, 1);
  const verify::QueueDepths depths{static_cast<uint32_t>(hw.params().command_queue_depth),
                                   static_cast<uint32_t>(hw.params().token_queue_depth)};
  verify::findExecutionOrder(program, depths, findings);
  return findings.empty();
}

}  // namespace

Program overlapLayers(const Program& program, const HwConfig& hw,
                      std::span<const uint64_t> buffer_addresses) {
  if (!runsInOrder(program)) return program;
  const auto items = Reader(program, hw, buffer_addresses).run();
  if (!items) return program;
  Writer writer(program, items->size());
  for (const uint32_t i : hoistLoads(*items)) writer.append((*items)[i]);
  Program result = writer.finish();
  return fitsQueues(result, hw) ? result : program;
}

}  // namespace vta::compiler
