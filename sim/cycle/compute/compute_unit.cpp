#include "sim/cycle/compute/compute_unit.h"

#include <algorithm>
#include <cstring>

#include "sim/cycle/common/retire.h"

namespace vta::sim::cycle {
namespace {

// The token queue from load to compute, as a set.
constexpr uint8_t kFromLoad = 1;
static_assert(kTokenQueues[0].from == Unit::kLoad);

// Instructions between the command queue and the end of their scan: one is prepared, one scanned.
constexpr size_t kTaken = 2;

}  // namespace

ComputeUnit::ComputeUnit(Context& context, std::vector<Uop>& uops)
    : context_(context),
      timing_(context.counters.compute),
      uops_(uops),
      concurrent_(context.hw.params().concurrent_compute),
      engines_(context, uops),
      dma_(context, timing_, *this) {}

// Takes what can be taken: the second one waits for the first to be prepared, a third one for the
// first to be scanned.
bool ComputeUnit::take() {
  CommandQueue& queue = context_.compute_queue;
  const uint64_t head = queue.headFrom();
  if (taken_.size() == kTaken || head == kNever) return false;
  // "Scan": c, the first cycle at the head that is not before p(before).
  const uint64_t cycle = std::max(head, last_prepared_);
  taken_.push_back({queue.headNumber(), cycle});
  queue.start(cycle);
  if (taken_.size() == 1) prepareOldest();
  return true;
}

void ComputeUnit::prepareOldest() {
  Taken& oldest = taken_.front();
  // "Scan": p = max(c + 1, e(before)).
  oldest.prepared = std::max(oldest.taken + 1, last_scan_end_);
  last_prepared_ = oldest.prepared;
}

bool ComputeUnit::scan() {
  bool any = take();
  while (!taken_.empty() && scanned_.size() < timing::kScanAhead) {
    // "Scan": b >= p + 1, with fewer than ScanAhead scanned and not issued.
    uint64_t begin = taken_.front().prepared + 1;
    if (scans_ >= timing::kScanAhead) {
      begin = std::max(begin, issue_cycles_[scans_ % timing::kScanAhead] + 1);
    }
    const uint32_t number = taken_.front().number;
    const Instruction& insn = context_.stream.instructions[number];
    ScanResult result = beginScan(insn, context_.hw);
    // "Scan": an instruction that walks waits for every older load of UOP.
    if (result.walks && uop_loads_scanned_ > 0) {
      if (uop_loads_done_ < uop_loads_scanned_) return any;
      begin = std::max(begin, last_uop_load_ + timing::kLoadLatency + 1);
    }
    finishScan(insn, context_.hw, uops_, result);
    // "Scan": e = b + n - 1.
    last_scan_end_ = begin + result.scan_cycles - 1;
    taken_.pop_front();
    if (!taken_.empty()) prepareOldest();
    ++scans_;
    if (result.loads_uops) ++uop_loads_scanned_;
    // "Issue": t >= e + ScanLatency.
    scanned_.push_back({number, last_scan_end_ + timing::kScanLatency, result});
    any = true;
    take();
  }
  return any;
}

uint64_t ComputeUnit::headFrom() const {
  // "Issue": t >= e + ScanLatency and t >= t(before) + 1.
  const uint64_t from = scanned_.front().issue_from;
  return issued_ == 0 ? from : std::max(from, last_issue_ + 1);
}

uint64_t ComputeUnit::issueFrom(uint64_t others_idle_from) const {
  if (scanned_.empty()) return kNever;
  const Scanned& head = scanned_.front();
  const uint8_t pops = context_.stream.tokens[head.number].pops;
  // "Issue": it has its tokens.
  uint64_t from = std::max(headFrom(), context_.tokens.availableFrom(pops));
  if (from == kNever) return kNever;
  // "Issue": FINISH, and the report of what is out of bounds, wait until nothing is issued and not
  // retired; FINISH waits for load and store, too.
  const bool is_finish = context_.stream.instructions[head.number].opcode == Opcode::kFinish;
  if (is_finish || head.scan.out_of_bounds) {
    if (!idle()) return kNever;
    from = std::max(from, idleFrom());
    return is_finish ? std::max(from, others_idle_from) : from;
  }
  // "Issue": fewer than ReorderDepth instructions are issued and not retired.
  if (issued_ >= timing::kReorderDepth) {
    const uint64_t older = issued_ - timing::kReorderDepth;
    if (retired_ <= older) return kNever;
    from = std::max(from, retire_cycles_[older % timing::kReorderDepth] + 1);
  }
  // "Issue": for a load the read DMA can start it.
  if (head.scan.engine == Engine::kLoad) from = std::max(from, dma_.startFrom());
  return std::max(from, conflictsUntil(head));
}

bool ComputeUnit::conflicts(const Scanned& head, const Issued& older) const {
  const ScanResult& scan = head.scan;
  if (scan.engine == Engine::kNone || older.engine == Engine::kNone) return false;
  if (scan.engine == older.engine) return false;
  // "Issue": what conflicts. Instructions of one engine do not, the engine keeps their order.
  if (!concurrent_ || scan.acc.meets(older.acc)) return true;
  const bool load = scan.engine == Engine::kLoad || older.engine == Engine::kLoad;
  return load && scan.uops.meets(older.uops);
}

// The first cycle in which nothing that conflicts with `head` is unfinished, or an earlier one in
// which more is known; kNever when a load has to go on first.
uint64_t ComputeUnit::conflictsUntil(const Scanned& head) const {
  uint64_t until = 0;
  for (const Issued& older : window_) {
    if (!conflicts(head, older)) continue;
    if (older.finish != kNever) {
      until = std::max(until, older.finish);
    } else if (older.engine == Engine::kGemm) {
      until = std::max(until, engines_.earliestGemmFinish());
    } else if (older.engine == Engine::kAlu) {
      until = std::max(until, engines_.earliestAluFinish());
    } else {
      return kNever;
    }
  }
  return until;
}

uint64_t ComputeUnit::wakeFrom(uint64_t others_idle_from) {
  uint64_t from = issueFrom(others_idle_from);
  // The retirement of what finishes has to be known before it happens.
  const uint64_t notice_cycles = timing::accLatency(context_.hw.params()) - 1;
  const auto notice = [&](uint64_t finish) {
    if (finish != kNever) from = std::min(from, finish - notice_cycles);
  };
  notice(engines_.earliestGemmFinish());
  notice(engines_.earliestAluFinish());
  return from;
}

bool ComputeUnit::wake(uint64_t cycle, uint64_t others_idle_from) {
  others_idle_from_ = others_idle_from;
  advanceTo(cycle);
  return issueFrom(others_idle_from) == cycle && issue(cycle);
}

void ComputeUnit::updateWaits() {
  ComputeEngines::Waits waits;
  waits.loads_until = loads_done_ < loads_issued_ ? kNever : last_load_finish_;
  if (!scanned_.empty()) {
    const uint32_t number = scanned_.front().number;
    waits.head_from = headFrom();
    const uint8_t pops = context_.stream.tokens[number].pops;
    waits.load_token_from = context_.tokens.availableFrom(pops & kFromLoad);
    waits.store_token_from = context_.tokens.availableFrom(pops & ~kFromLoad);
    if (context_.stream.instructions[number].opcode == Opcode::kFinish && idle()) {
      waits.others_from = std::max(idleFrom(), waits.head_from);
    }
  }
  engines_.setWaits(waits);
}

void ComputeUnit::advanceTo(uint64_t cycle) {
  if (cycle <= engines_.now()) return;
  updateWaits();
  finished_.clear();
  engines_.advanceTo(cycle, finished_);
  for (const ComputeEngines::Finished& done : finished_) setFinish(done);
  if (!finished_.empty()) retireReady();
}

void ComputeUnit::setFinish(const ComputeEngines::Finished& done) {
  for (Issued& issued : window_) {
    if (issued.id != done.id) continue;
    issued.finish = done.finish;
    context_.recordWork(issued.number, done.first_access, done.last_access);
  }
}

void ComputeUnit::retireReady() {
  for (Issued& issued : window_) {
    if (issued.retired) continue;
    if (issued.finish == kNever) return;
    uint64_t cycle = issued.finish;
    // "Issue": r = max(F, r(before) + 1).
    if (retired_ > 0) cycle = std::max(cycle, lastRetire() + 1);
    retire_cycles_[retired_++ % timing::kReorderDepth] = cycle;
    issued.retired = true;
    retireInstruction(context_, timing_, issued.number, cycle);
  }
}

// Issues the oldest scanned instruction in `cycle`; true when it is FINISH.
bool ComputeUnit::issue(uint64_t cycle) {
  const Scanned head = scanned_.front();
  const Instruction& insn = context_.stream.instructions[head.number];
  const bool is_load = head.scan.engine == Engine::kLoad;
  if (head.scan.out_of_bounds ||
      (is_load && leavesScratchpad(context_.hw, Opcode::kLoad, insn.mem()))) {
    context_.report({cycle, FaultKind::kSramBounds, head.number});
    return false;
  }
  scanned_.pop_front();
  issue_cycles_[issued_ % timing::kScanAhead] = cycle;
  last_issue_ = cycle;
  const uint64_t id = issued_++;
  advanceTo(cycle + 1);
  context_.tokens.pop(context_.stream.tokens[head.number].pops, cycle);
  context_.recordStart(head.number, cycle);
  if (insn.opcode == Opcode::kFinish) {
    retire_cycles_[retired_++ % timing::kReorderDepth] = cycle;
    retireInstruction(context_, timing_, head.number, cycle);
    return true;
  }
  while (!window_.empty() && window_.front().retired && window_.front().finish <= cycle) {
    window_.pop_front();
  }
  // "Issue": F = t + 1 without an engine; an engine says it later.
  const uint64_t finish = head.scan.engine == Engine::kNone ? cycle + 1 : kNever;
  window_.push_back(
      {id, head.number, head.scan.engine, head.scan.acc, head.scan.uops, finish, false});
  switch (head.scan.engine) {
    case Engine::kNone:
      retireReady();
      break;
    case Engine::kGemm:
      engines_.addGemm(id, head.scan.nest);
      break;
    case Engine::kAlu:
      engines_.addAlu(id, head.scan.nest);
      break;
    case Engine::kLoad:
      ++loads_issued_;
      if (head.scan.loads_uops) loadUops(insn.mem());
      dma_.start(head.number, insn.mem(), cycle);
      break;
  }
  return false;
}

void ComputeUnit::transferDone(uint32_t number, uint64_t cycle) {
  ++loads_done_;
  dma_.retire(cycle);
  // "Issue": F of a load.
  last_load_finish_ = cycle + timing::kLoadLatency + timing::accLatency(context_.hw.params());
  if (context_.stream.instructions[number].mem().memory_type == MemoryType::kUop) {
    ++uop_loads_done_;
    last_uop_load_ = cycle;
  }
  for (Issued& issued : window_) {
    if (issued.number == number) issued.finish = last_load_finish_;
  }
  retireReady();
}

// Nobody reads the elements before the load has finished, so they may change at once.
void ComputeUnit::loadUops(const MemInsn& mem) {
  const auto row_elems = static_cast<uint32_t>(loadRowElems(mem));
  if (mem.x_size == 0) return;
  const uint64_t elems = sramElems(Opcode::kLoad, mem);
  std::fill_n(uops_.begin() + mem.sram_base, elems, Uop{});
  const auto uop_bytes = static_cast<uint64_t>(context_.hw.uopBytes());
  const uint64_t row_bytes = mem.x_size * uop_bytes;
  for (uint32_t y = 0; y < mem.y_size; ++y) {
    const uint64_t address = rowAddress(mem, y, context_.bases, context_.hw);
    const auto range = context_.dram.findRange(address);
    if (!range || !range->contains(address, row_bytes)) continue;  // a bus error is on its way
    uint32_t element = mem.sram_base + (mem.y_pad_0 + y) * row_elems + mem.x_pad_0;
    for (uint32_t x = 0; x < mem.x_size; ++x) {
      uops_[element++] = context_.uop_format.decode(range->at(address + x * uop_bytes));
    }
  }
}

void ComputeUnit::finish(uint64_t last_cycle) { advanceTo(last_cycle + 1); }

}  // namespace vta::sim::cycle
