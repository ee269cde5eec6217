#include "sim/cycle/compute/compute_engines.h"

#include <algorithm>

#include "base/integer_math.h"

namespace vta::sim::cycle {
namespace {

constexpr uint32_t kPairElems = 2;

}  // namespace

ComputeEngines::ComputeEngines(Context& context, const std::vector<Uop>& uops)
    : context_(context),
      timing_(context.counters.compute),
      acc_latency_(timing::accLatency(context.hw.params())),
      alu_passes_(static_cast<uint64_t>(context.hw.params().alu_passes)),
      acc_banks_(static_cast<uint32_t>(context.hw.params().acc_banks)),
      uops_(uops),
      gemm_(timing::gemmDepth(context.hw.params())),
      alu_(timing::kAluDepth),
      // A pair begins at an even element.
      alu_written_from_(roundUp(context.hw.depthElems(MemoryType::kAcc), kPairElems)) {}

void ComputeEngines::addWrites(const WriteRun& operations, bool is_acc) {
  WriteRun run = operations;
  // "Engines": a load accesses the bank LoadLatency after the write operation.
  run.cycle += timing::kLoadLatency;
  if (!writes_.empty()) {
    BankedRun& last = writes_.back();
    const bool follows = last.end() == run.cycle && last.is_acc == is_acc &&
                         (!is_acc || last.run.element + last.run.count == run.element);
    if (follows) {
      last.run.count += run.count;
      return;
    }
  }
  writes_.push_back({run, is_acc});
}

void ComputeEngines::advanceTo(uint64_t cycle, std::vector<Finished>& finished) {
  while (now_ < cycle) {
    while (!writes_.empty() && writes_.front().end() <= now_) writes_.pop_front();
    bool writing = false;
    const uint64_t quiet = quietCycles(cycle - now_, writing);
    if (quiet > 0) {
      passQuietly(quiet, writing, finished);
    } else {
      passContended(finished);
    }
  }
}

// For how many cycles, `most` at most, one engine alone has accesses due, or none has, and writes
// stay as they are in the first cycle. 0 when arbitration has to be looked at.
uint64_t ComputeEngines::quietCycles(uint64_t most, bool& writing) const {
  uint64_t cycles = most;
  bool acc_writing = false;
  if (!writes_.empty()) {
    const BankedRun& front = writes_.front();
    writing = front.run.cycle <= now_;
    acc_writing = writing && front.is_acc;
    cycles = std::min(cycles, (writing ? front.end() : front.run.cycle) - now_);
  }
  if (!alu_.idle()) {
    if (alu_.due()) return 0;
    cycles = std::min(cycles, alu_.cyclesUntilDue());
  }
  if (!gemm_.idle()) {
    if (gemm_.due()) {
      if (acc_writing) return 0;
      cycles = std::min(cycles, gemm_.accessesLeft());
    } else {
      cycles = std::min(cycles, gemm_.cyclesUntilDue());
    }
  }
  return cycles;
}

void ComputeEngines::passQuietly(uint64_t cycles, bool writing, std::vector<Finished>& finished) {
  const bool accesses = !gemm_.idle() && gemm_.due();
  count(cycles, accesses || writing);
  now_ += cycles;
  alu_.pass(cycles);
  if (!accesses) return gemm_.pass(cycles);
  context_.counters.gemm_uops += cycles;
  if (gemm_.access(cycles)) finish(gemm_, now_ - 1, finished);
}

// What the ALU asks for in this cycle; an access is due.
ComputeEngines::AluRequest ComputeEngines::aluRequest() {
  AluRequest request = wantedByAlu();
  // Parts of the element before have to go through the lanes first.
  // "Engines": accesses that read dst are AluPasses apart, one that only reads src one less.
  if (request.dst && now_ < alu_free_) return {};
  if (request.src && now_ + 1 < alu_free_) return {};
  return request;
}

// The same, of an ALU of as many lanes as an element has.
ComputeEngines::AluRequest ComputeEngines::wantedByAlu() {
  AluRequest request;
  request.dst_element = alu_.dst(uops_);
  const bool dst_waits = isInFlight(request.dst_element);
  // "Engines": ALU with use_imm.
  if (!alu_.readsSrc()) {
    request.dst = !dst_waits;
    return request;
  }
  request.src_element = alu_.src(uops_);
  // The operand that the micro-op before read is still there, unless that one changed it.
  // "Engines": src is held.
  if (alu_src_held_ && held_src_ == request.src_element) {
    request.dst = !dst_waits;
    return request;
  }
  // "Engines": REQUANT whose pair is not held reads the pair first.
  if (alu_.readsPair()) {
    request.dst = alu_src_done_ && !dst_waits;
    request.src = !alu_src_done_ && !isInFlight(request.src_element & ~1u) &&
                  !isInFlight(request.src_element | 1u);
    return request;
  }
  // "Engines": dst and src in one bank take two accesses, src first.
  const bool split = bankOf(request.dst_element) == bankOf(request.src_element) &&
                     request.dst_element != request.src_element;
  if (split) {
    request.dst = alu_src_done_ && !dst_waits;
    request.src = !alu_src_done_ && !isInFlight(request.src_element);
  } else {
    request.dst = request.src = !dst_waits && !isInFlight(request.src_element);
  }
  return request;
}

// The banks of a request, as bits. A pair is in two.
uint32_t ComputeEngines::banksOf(const AluRequest& request) const {
  uint32_t banks = request.dst ? 1u << bankOf(request.dst_element) : 0;
  if (!request.src) return banks;
  banks |= 1u << bankOf(request.src_element);
  if (alu_.readsPair()) banks |= 1u << bankOf(request.src_element ^ 1u);
  return banks;
}

// One cycle with arbitration: loads before ALU before GEMM.
void ComputeEngines::passContended(std::vector<Finished>& finished) {
  uint32_t taken = 0;  // banks, as bits; at last those that GEMM does not get
  bool writing = false;
  if (!writes_.empty() && writes_.front().run.cycle <= now_) {
    const BankedRun& front = writes_.front();
    writing = true;
    if (front.is_acc) {
      taken = 1u << bankOf(front.run.element + static_cast<uint32_t>(now_ - front.run.cycle));
    }
  }
  bool alu_works = false;
  bool alu_finishes = false;
  if (alu_.idle() || !alu_.due()) {
    alu_.pass(1);
  } else {
    const AluRequest request = aluRequest();
    const bool reads_src = alu_.readsSrc();
    const bool reads_pair = alu_.readsPair();
    const uint32_t banks = banksOf(request);
    // "Engines": the ALU gets all its banks or none, and keeps GEMM off those it asks for.
    alu_works = banks != 0 && (banks & taken) == 0;
    taken |= banks;
    if (alu_works) alu_src_done_ = !request.dst;
    if (alu_works && request.dst) {
      ++context_.counters.alu_uops;
      alu_written_from_[request.dst_element] = now_ + acc_latency_ + 1;
      alu_free_ = now_ + alu_passes_;
      held_src_ = request.src_element;
      alu_finishes = alu_.access(1);
      const uint32_t changed = request.src_element ^ request.dst_element;
      alu_src_held_ = reads_src && !alu_finishes && (reads_pair ? changed >> 1 : changed) != 0;
    } else {
      alu_.pass(1);
    }
  }
  const bool gemm_due = !gemm_.idle() && gemm_.due();
  // "Engines": GEMM gets the bank that neither the load nor the ALU wants.
  const bool gemm_works = gemm_due && (1u << bankOf(gemm_.dst(uops_)) & taken) == 0;
  bool gemm_finishes = false;
  if (gemm_works) {
    ++context_.counters.gemm_uops;
    gemm_finishes = gemm_.access(1);
  } else {
    gemm_.pass(1);
  }
  count(1, writing || alu_works || gemm_works);
  ++now_;
  if (alu_finishes) finish(alu_, now_ - 1, finished);
  if (gemm_finishes) finish(gemm_, now_ - 1, finished);
}

void ComputeEngines::finish(const LoopEngine& engine, uint64_t access,
                            std::vector<Finished>& finished) {
  loops_until_ = std::max(loops_until_, access + acc_latency_);
  // "Issue": F = last access + AccLatency.
  finished.push_back({engine.finishedId(), engine.firstAccess(), access, access + acc_latency_});
}

// The next `cycles` cycles count as busy or as the first reason to wait that holds.
void ComputeEngines::count(uint64_t cycles, bool busy) {
  if (busy) {
    timing_.busy_cycles += cycles;
    return;
  }
  const uint64_t end = now_ + cycles;
  uint64_t from = now_;
  const auto spend = [&](uint64_t until, uint64_t& counter) {
    if (until <= from) return;
    const uint64_t to = std::min(until, end);
    counter += to - from;
    from = to;
  };
  // "Counters": the states of compute, in the order of their columns.
  const bool loops_unfinished = !gemm_.idle() || !alu_.idle();
  spend(loops_unfinished ? end : loops_until_, timing_.stall_hazard_cycles);
  if (from < end) spend(waits_.loads_until, timing_.stall_memory_cycles);
  if (from >= end || waits_.head_from >= end) return;
  from = std::max(from, waits_.head_from);
  uint64_t for_load = 0;
  uint64_t for_store = 0;
  spend(waits_.load_token_from, for_load);
  if (from < end) spend(waits_.store_token_from, for_store);
  if (from < end && waits_.others_from < end) for_store += end - std::max(from, waits_.others_from);
  context_.counters.compute_waits_for_load_cycles += for_load;
  context_.counters.compute_waits_for_store_cycles += for_store;
  timing_.stall_token_cycles += for_load + for_store;
}

}  // namespace vta::sim::cycle
