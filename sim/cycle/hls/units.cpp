#include "sim/cycle/hls/units.h"

#include <algorithm>

#include "sim/cycle/common/retire.h"
#include "sim/cycle/common/transfer_rows.h"
#include "sim/functional/dma_engine.h"

namespace vta::sim::cycle::hls {
namespace {

using hls_timing::RowCosts;

// Token queues by producer and consumer, as sets.
constexpr uint8_t kFromLoad = 1;
constexpr uint8_t kToPrev = (1 << 1) | (1 << 3);
static_assert(kTokenQueues[0].from == Unit::kLoad);
static_assert(kTokenQueues[1].to == Unit::kLoad && kTokenQueues[3].to == Unit::kCompute);

uint64_t busBytes(const State& state) {
  return static_cast<uint64_t>(state.context.hw.params().axi_data_width_bits) / 8;
}

}  // namespace

std::optional<uint32_t> Block::waitingNumber() const {
  if (running_ || state_.queue(unit_).isEmpty()) return std::nullopt;
  return state_.queue(unit_).headNumber();
}

bool Block::isOutside(const Instruction& instruction) const {
  if (!std::holds_alternative<MemInsn>(instruction.body)) return false;
  const Context& context = state_.context;
  const MemInsn& mem = instruction.mem();
  if (leavesScratchpad(context.hw, instruction.opcode, mem)) {
    state_.context.report({started_, FaultKind::kSramBounds, number_});
    return true;
  }
  if (leavesBuffers(rowsOf(mem, context.bases, context.hw), context.dram)) {
    state_.context.report({started_, FaultKind::kDramBounds, number_});
    return true;
  }
  return false;
}

const Instruction* Block::tryStart() {
  InstructionQueue& queue = state_.queue(unit_);
  Context& context = state_.context;
  if (running_ || queue.isEmpty() || context.fault.cycle != kNever) return nullptr;
  const uint32_t number = queue.headNumber();
  const uint8_t pops = context.stream.tokens[number].pops;
  const uint64_t tokens = context.tokens.availableFrom(pops);
  if (tokens == kNever) return nullptr;
  const uint64_t head = std::max(queue.headFrom(), free_from_);
  number_ = number;
  started_ = std::max(head, tokens);
  const Instruction& instruction = context.stream.instructions[number];
  if (isOutside(instruction)) return nullptr;
  countWait(head, started_, pops);
  context.tokens.pop(pops, started_);
  queue.start(started_);
  context.recordStart(number, started_);
  running_ = true;
  return &instruction;
}

void Block::countWait(uint64_t head, uint64_t start, uint8_t pops) {
  const uint64_t waited = start - head;
  counters_.stall_token_cycles += waited;
  if (unit_ != Unit::kCompute || waited == 0) return;
  const bool by_load = state_.context.tokens.availableFrom(pops & kFromLoad) == start;
  LaunchCounters& counters = state_.context.counters;
  (by_load ? counters.compute_waits_for_load_cycles : counters.compute_waits_for_store_cycles) +=
      waited;
}

void Block::retire(uint64_t prev_cycle, uint64_t next_cycle, uint64_t free_cycle) {
  const uint8_t pushes = state_.context.stream.tokens[number_].pushes;
  state_.push(pushes & kToPrev, prev_cycle);
  state_.push(pushes & static_cast<uint8_t>(~kToPrev), next_cycle);
  state_.context.recordWork(number_, started_, std::max(prev_cycle, next_cycle));
  state_.context.recordRetire(number_, std::max(prev_cycle, next_cycle));
  ++counters_.instructions;
  free_from_ = free_cycle;
  running_ = false;
}

LoadBlock::LoadBlock(State& state)
    : Block(state, Unit::kLoad, state.context.counters.load),
      port_(state.context.hw, busBytes(state), BusMaster::kLoad),
      transfer_(state.context, port_) {}

bool LoadBlock::advance() {
  bool any = false;
  while (true) {
    if (!running_) {
      const Instruction* instruction = tryStart();
      if (instruction == nullptr) return any;
      transfer_.begin(instruction->mem(), started_);
      any = true;
    }
    const std::optional<uint64_t> end = transfer_.advance();
    if (!end) return any;
    const MemInsn& mem = state_.context.stream.instructions[number_].mem();
    const RowCosts& costs = rowCosts(mem.memory_type);
    const uint64_t pads = mem.memory_type == MemoryType::kInp ? loadRowElems(mem) * mem.y_pad_1 : 0;
    counters_.busy_cycles += transfer_.busyCycles();
    counters_.stall_memory_cycles += *end + costs.end + pads - started_ - transfer_.busyCycles();
    counters_.read_bytes += transfer_.bytes();
    retire(*end + costs.push + pads, *end + costs.push + pads, *end + costs.end + pads);
    any = true;
  }
}

ComputeBlock::ComputeBlock(State& state)
    : Block(state, Unit::kCompute, state.context.counters.compute),
      uop_port_(state.context.hw, static_cast<uint64_t>(state.context.hw.uopBytes()),
                BusMaster::kCompute),
      acc_port_(state.context.hw, busBytes(state), BusMaster::kCompute),
      uops_(state.context, uop_port_),
      accs_(state.context, acc_port_) {}

bool ComputeBlock::advance() {
  bool any = false;
  while (done_ == kNever) {
    if (!running_) {
      const Instruction* instruction = tryStart();
      if (instruction == nullptr) return any;
      any = true;
      const auto iterations = [](const auto& insn) {
        return uint64_t{insn.uop_end - insn.uop_bgn} * insn.iter_out * insn.iter_in;
      };
      if (instruction->opcode == Opcode::kFinish) {
        done_ = started_ + hls_timing::kFinish;
        retire(done_, done_, done_ + 1);
        return true;
      }
      if (instruction->opcode == Opcode::kGemm) {
        const uint64_t count = iterations(instruction->gemm());
        state_.context.counters.gemm_uops += count;
        runEngine(count, hls_timing::kGemmInterval);
        continue;
      }
      if (instruction->opcode == Opcode::kAlu) {
        const uint64_t count = iterations(instruction->alu());
        state_.context.counters.alu_uops += count;
        runEngine(count, hls_timing::kAluInterval);
        continue;
      }
      const MemInsn& mem = instruction->mem();
      (mem.memory_type == MemoryType::kUop ? uops_ : accs_).begin(mem, started_);
    }
    RowTransfer& transfer = uops_.isActive() ? uops_ : accs_;
    const std::optional<uint64_t> end = transfer.advance();
    if (!end) return any;
    const MemInsn& mem = state_.context.stream.instructions[number_].mem();
    const uint64_t pads = mem.memory_type == MemoryType::kUop ? 0 : loadRowElems(mem) * mem.y_pad_1;
    counters_.busy_cycles += transfer.busyCycles();
    counters_.read_bytes += transfer.bytes();
    finishLoad(*end, rowCosts(mem.memory_type), pads);
    counters_.stall_memory_cycles += free_from_ - started_ - transfer.busyCycles();
    any = true;
  }
  return any;
}

void ComputeBlock::runEngine(uint64_t iterations, uint64_t interval) {
  const uint64_t busy = iterations * interval;
  const uint64_t cycles =
      iterations == 0 ? hls_timing::kEmptyEngineCycles : hls_timing::kEngineCycles + busy;
  counters_.busy_cycles += busy;
  counters_.stall_hazard_cycles += cycles - busy;
  const uint64_t end = started_ + cycles;
  retire(end - hls_timing::kPushPrevBeforeEnd, end - hls_timing::kPushNextBeforeEnd, end);
}

void ComputeBlock::finishLoad(uint64_t rows_end, const RowCosts& costs, uint64_t pads) {
  const uint64_t end = rows_end + costs.end + pads;
  retire(end - hls_timing::kPushPrevBeforeEnd, end - hls_timing::kPushNextBeforeEnd, end);
}

StoreBlock::StoreBlock(State& state, MemoryModel& memory)
    : Block(state, Unit::kStore, state.context.counters.store),
      memory_(memory),
      source_(state.context.hw, busBytes(state)) {}

bool StoreBlock::advance() {
  bool any = false;
  const RowCosts& costs = hls_timing::kStore;
  while (true) {
    if (!running_) {
      const Instruction* instruction = tryStart();
      if (instruction == nullptr) return any;
      any = true;
      mem_ = &instruction->mem();
      row_ = 0;
      row_start_ = started_ + costs.first_row;
      if (mem_->y_size > 0) beginRow();
    }
    for (; row_ < mem_->y_size; ++row_) {
      if (mem_->x_size == 0) {
        row_start_ += costs.request + costs.empty_row;
        continue;
      }
      if (!offered_.empty() || !accepted_.empty()) return any;
      row_start_ = response_ + costs.next_row;
      if (row_ + 1 == mem_->y_size) continue;
      ++row_;
      beginRow();
      --row_;
    }
    const uint64_t bytes =
        uint64_t{mem_->y_size} * mem_->x_size * state_.context.hw.elemBytes(mem_->memory_type);
    const uint64_t busy = bytes / busBytes(state_);
    counters_.write_bytes += bytes;
    counters_.busy_cycles += busy;
    retire(row_start_ + costs.push, row_start_ + costs.push, row_start_ + costs.end);
    counters_.stall_memory_cycles += free_from_ - started_ - busy;
    any = true;
  }
}

void StoreBlock::beginRow() {
  if (mem_->x_size == 0) return;
  const Context& context = state_.context;
  const uint64_t request = row_start_ + hls_timing::kStore.request;
  source_.begin(rowAddress(*mem_, row_, context.bases, context.hw),
                mem_->x_size * uint64_t{context.hw.elemBytes(mem_->memory_type)});
  uint64_t next_beat = request + hls_timing::kWriteLatency;
  for (; !source_.done(); source_.advance()) {
    const Burst burst = source_.burst();
    next_beat += burst.beats;
    offered_.push_back({burst, next_beat - 1, 0});
  }
  next_address_ = request + hls_timing::kRequestLatency;
}

uint64_t StoreBlock::addressFrom() const {
  if (offered_.empty()) return kNever;
  const uint64_t accept = memory_.earliestWriteAccept();
  return accept == MemoryModel::kUnknownCycle ? kNever : std::max(accept, next_address_);
}

uint64_t StoreBlock::completeFrom() const {
  if (accepted_.empty()) return kNever;
  return std::max(accepted_.front().accepted, accepted_.front().last_beat);
}

uint64_t StoreBlock::nextEvent() const { return std::min(addressFrom(), completeFrom()); }

void StoreBlock::step(uint64_t cycle) {
  if (addressFrom() == cycle) {
    Write write = offered_.front();
    offered_.pop_front();
    write.accepted = cycle;
    memory_.acceptWrite(cycle, write.burst.address, write.burst.beats);
    accepted_.push_back(write);
    // The next address waits for nearly all the data of this burst.
    next_address_ = std::max(cycle + 1, write.last_beat);
    return;
  }
  const Write write = accepted_.front();
  accepted_.pop_front();
  response_ = memory_.completeWrite(cycle);
  if (state_.context.recordsBursts()) {
    state_.context.recording->bursts.push_back({write.last_beat + 1 - write.burst.beats,
                                                write.last_beat, write.burst.beats,
                                                BusMaster::kStore, cycle, response_});
  }
}

}  // namespace vta::sim::cycle::hls
