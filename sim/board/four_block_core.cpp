#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "isa/instruction/encoding.h"
#include "isa/registers/four_block.h"
#include "sim/board/arithmetic_fault.h"
#include "sim/board/board_core.h"
#include "sim/functional/functional_model.h"

namespace vta::sim {
namespace {

using four_block::Block;
using Clock = std::chrono::steady_clock;

/// Behind the start of fetch, no instruction is executed until so many registers have been read, as
/// if it waited for memory; so that a driver that reads at once sees what the launch before left.
/// Not longer than the time, for one that sleeps.
constexpr int kLatencyReads = 12;
constexpr std::chrono::milliseconds kLatency{2};
/// Instructions that are executed between two looks at what the driver wants.
constexpr int kSliceInstructions = 16;

/// The registers of one block, and how it is started.
class BlockRegisters {
 public:
  void writeControl(uint32_t value) {
    started_ = started_ || (value & four_block::kControlStart) != 0;
    restarts_ = (value & four_block::kControlAutoRestart) != 0;
  }

  /// Clears what reading clears.
  uint32_t readControl() {
    const uint32_t ended =
        std::exchange(ended_, false) ? four_block::kControlDone | four_block::kControlReady : 0;
    return ended | (started_ ? four_block::kControlStart : four_block::kControlIdle) |
           (restarts_ ? four_block::kControlAutoRestart : 0);
  }

  /// What it was started for has been done.
  void end() {
    ended_ = true;
    started_ = restarts_;
  }

  bool isStarted() const { return started_; }
  uint32_t argument(uint32_t offset) const { return arguments_[offset / 4]; }
  void setArgument(uint32_t offset, uint32_t value) { arguments_[offset / 4] = value; }

 private:
  bool started_ = false;
  bool restarts_ = false;
  bool ended_ = false;
  std::array<uint32_t, 16> arguments_{};
};

/// Offsets of the arguments that hold what is written.
bool isArgument(Block block, uint32_t offset) {
  switch (block) {
    case Block::kFetch:
      return offset == four_block::kFetchInsnCount || offset == four_block::kFetchInsns;
    case Block::kLoad:
      return offset == four_block::kLoadInputs || offset == four_block::kLoadWeights;
    case Block::kCompute:
      return offset == four_block::kComputeDoneIn || offset == four_block::kComputeUops ||
             offset == four_block::kComputeBiases;
    case Block::kStore:
      return offset == four_block::kStoreOutputs;
  }
  return false;
}

class FourBlockCore final : public BoardCore {
 public:
  FourBlockCore(const HwConfig& hw, Dram& dram, std::unique_ptr<FunctionalModel> values)
      : hw_(hw), dram_(dram), values_(std::move(values)) {}

  Result<uint32_t> read(uint32_t offset) override {
    latency_reads_ = std::max(latency_reads_ - 1, 0);
    const auto place = placeOf(offset);
    if (!place) return ~uint32_t{0};
    const auto [block, at] = *place;
    if (at == four_block::kControl) return registers(block).readControl();
    if (block == Block::kCompute && at == four_block::kComputeDone) return uint32_t{done_};
    if (block == Block::kCompute && at == four_block::kComputeDoneWritten) {
      return uint32_t{std::exchange(done_is_written_, false)};
    }
    return isArgument(block, at) ? registers(block).argument(at) : 0;
  }

  Status write(uint32_t offset, uint32_t value) override {
    const auto place = placeOf(offset);
    if (!place) return {};
    const auto [block, at] = *place;
    if (isArgument(block, at)) registers(block).setArgument(at, value);
    if (at == four_block::kControl) start(block, value);
    return {};
  }

  Start startOf(uint32_t offset, uint32_t value) override {
    const bool starts = offset == four_block::kControl &&
                        (value & four_block::kControlStart) != 0 &&
                        !registers(Block::kFetch).isStarted();
    if (!starts) return Start::kNone;
    const auto insns = stream();
    if (!insns) return Start::kLaunch;
    const bool finishes = std::ranges::any_of(*insns, [](const Result<Instruction>& insn) {
      return insn.ok() && insn->opcode == Opcode::kFinish;
    });
    return finishes ? Start::kLaunch : Start::kTest;
  }

  bool isBusy() const override {
    return registers(Block::kFetch).isStarted() ||
           std::ranges::any_of(queues_, [](const auto& queue) { return !queue.empty(); });
  }

  Status advance() override {
    if (registers(Block::kFetch).isStarted()) VTA_RETURN_IF_ERROR(fetch());
    if (latency_reads_ > 0 && Clock::now() < latency_end_) return {};
    for (int i = 0; i < kSliceInstructions && !isEmpty(); ++i) {
      VTA_ASSIGN_OR_RETURN(const bool progressed, executeOne());
      if (!progressed) return checkWaits();
    }
    return {};
  }

  bool interrupt() const override { return false; }

  void reset() override {
    registers_ = {};
    queues_ = {};
    tokens_ = {};
    fetched_.clear();
    fetch_hangs_ = false;
    done_ = done_is_written_ = false;
    bases_ = {};
  }

  void setBusError(bool on) override { has_bus_error_ = on; }

  bool setArithmeticFault(const std::optional<ArithmeticFault>& fault) override {
    fault_ = fault;
    return true;
  }

 private:
  enum Queue : uint8_t { kLoadToCompute, kComputeToLoad, kComputeToStore, kStoreToCompute };

  /// The block and the offset in its window, whose address lines repeat the registers.
  static std::optional<std::pair<Block, uint32_t>> placeOf(uint32_t offset) {
    const size_t window = offset / four_block::kWindowBytes;
    if (window >= four_block::kBlockCount) return std::nullopt;
    const uint32_t mask = (1u << four_block::kAddressBits[window]) - 4;
    return std::pair(static_cast<Block>(window), offset & mask);
  }

  BlockRegisters& registers(Block block) { return registers_[static_cast<size_t>(block)]; }
  const BlockRegisters& registers(Block block) const {
    return registers_[static_cast<size_t>(block)];
  }

  static Block blockOf(Unit unit) { return static_cast<Block>(static_cast<int>(unit) + 1); }
  std::deque<Instruction>& queueOf(Unit unit) { return queues_[static_cast<size_t>(unit)]; }
  bool isEmpty() const {
    return std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
  }

  void start(Block block, uint32_t value) {
    const bool was_started = registers(block).isStarted();
    registers(block).writeControl(value);
    if (was_started || !registers(block).isStarted()) return;
    if (block != Block::kFetch) return takeBases(block);
    const auto insns = stream();
    fetch_hangs_ = !insns;
    if (insns) fetched_.assign(insns->begin(), insns->end());
    latency_reads_ = kLatencyReads;
    latency_end_ = Clock::now() + kLatency;
  }

  /// A block reads its base addresses when it begins to wait for an instruction.
  void takeBases(Block block) {
    const BlockRegisters& from = registers(block);
    if (block == Block::kLoad) {
      bases_.inp = from.argument(four_block::kLoadInputs);
      bases_.wgt = from.argument(four_block::kLoadWeights);
    } else if (block == Block::kCompute) {
      bases_.uop = from.argument(four_block::kComputeUops);
      bases_.acc = from.argument(four_block::kComputeBiases);
    } else {
      bases_.out = from.argument(four_block::kStoreOutputs);
    }
  }

  /// What fetch is told to fetch; nullopt where there is no memory.
  std::optional<std::vector<Result<Instruction>>> stream() const {
    const uint64_t address = registers(Block::kFetch).argument(four_block::kFetchInsns);
    const uint64_t count = registers(Block::kFetch).argument(four_block::kFetchInsnCount);
    const auto insn_bytes = static_cast<uint64_t>(hw_.instructionBytes());
    const auto range = dram_.findRange(address);
    if (!range || !range->contains(address, count * insn_bytes)) return std::nullopt;
    const std::span<const std::byte> bytes(range->at(address), count * insn_bytes);
    std::vector<Result<Instruction>> insns;
    for (size_t at = 0; at < bytes.size(); at += insn_bytes) {
      insns.push_back(decodeInstruction(bytes.subspan(at, insn_bytes), hw_));
    }
    return insns;
  }

  /// Hands out instructions while the queues have room.
  Status fetch() {
    if (fetch_hangs_) return internalError("there is no memory with the instructions");
    while (!fetched_.empty()) {
      const Result<Instruction>& insn = fetched_.front();
      VTA_RETURN_IF_ERROR(insn.status());
      std::deque<Instruction>& queue = queueOf(insn->unit());
      if (queue.size() >= four_block::kQueueDepth) return {};
      queue.push_back(*insn);
      fetched_.pop_front();
    }
    registers(Block::kFetch).end();
    return {};
  }

  /// One instruction of any block that can go on; false when none can.
  Result<bool> executeOne() {
    for (const Unit unit : {Unit::kLoad, Unit::kCompute, Unit::kStore}) {
      std::deque<Instruction>& queue = queueOf(unit);
      const bool can_start = !queue.empty() && registers(blockOf(unit)).isStarted();
      if (!can_start || !popTokens(unit, queue.front().tokens)) continue;
      const Instruction insn = queue.front();
      queue.pop_front();
      VTA_RETURN_IF_ERROR(execute(unit, insn));
      pushTokens(unit, insn.tokens);
      registers(blockOf(unit)).end();
      if (registers(blockOf(unit)).isStarted()) takeBases(blockOf(unit));
      return true;
    }
    return false;
  }

  /// A block that has not been started yet may still be.
  Status checkWaits() const {
    for (const Unit unit : {Unit::kLoad, Unit::kCompute, Unit::kStore}) {
      const bool waits = !queues_[static_cast<size_t>(unit)].empty();
      if (waits && !registers(blockOf(unit)).isStarted()) return {};
    }
    if (registers(Block::kFetch).isStarted()) return {};
    return internalError("no block can go on: each waits for a token");
  }

  bool popTokens(Unit unit, const Tokens& tokens) {
    const auto [prev, next] = incoming(unit);
    const bool ready =
        (!tokens.pop_prev || tokens_[prev] > 0) && (!tokens.pop_next || tokens_[next] > 0);
    if (!ready) return false;
    if (tokens.pop_prev) --tokens_[prev];
    if (tokens.pop_next) --tokens_[next];
    return true;
  }

  void pushTokens(Unit unit, const Tokens& tokens) {
    if (tokens.push_prev) ++tokens_[unit == Unit::kCompute ? kComputeToLoad : kStoreToCompute];
    if (tokens.push_next) ++tokens_[unit == Unit::kCompute ? kComputeToStore : kLoadToCompute];
  }

  static std::pair<Queue, Queue> incoming(Unit unit) {
    if (unit == Unit::kCompute) return {kLoadToCompute, kStoreToCompute};
    return {kComputeToStore, kComputeToLoad};
  }

  Status execute(Unit unit, const Instruction& insn) {
    if (unit == Unit::kCompute) {
      done_ = insn.opcode == Opcode::kFinish;
      done_is_written_ = true;
      if (done_) return {};
    }
    const bool uses_memory = std::holds_alternative<MemInsn>(insn.body);
    if (uses_memory && has_bus_error_) return internalError("the memory answers with an error");
    if (uses_memory && (insn.mem().x_size == 0 || insn.mem().y_size == 0)) return {};
    const auto violation = values_->step(insn, bases_, dram_);
    if (violation) return internalError(violation->reason);
    if (fault_) applyFault(*fault_, insn, hw_, *values_);
    return {};
  }

  HwConfig hw_;
  Dram& dram_;
  std::unique_ptr<FunctionalModel> values_;
  std::array<BlockRegisters, four_block::kBlockCount> registers_;
  std::array<std::deque<Instruction>, 3> queues_;  // by unit
  std::array<uint32_t, 4> tokens_{};
  std::deque<Result<Instruction>> fetched_;  // that fetch has not handed out
  bool fetch_hangs_ = false;
  BaseAddresses bases_;  // that the blocks have read
  bool done_ = false;
  bool done_is_written_ = false;
  int latency_reads_ = 0;
  Clock::time_point latency_end_;
  bool has_bus_error_ = false;
  std::optional<ArithmeticFault> fault_;
};

}  // namespace

Result<std::unique_ptr<BoardCore>> makeFourBlockCore(const HwConfig& hw, Dram& dram) {
  if (!hw.params().compat_0_0_2) {
    return invalidArgument(
        fmt::format("four blocks run programs for VTA 0.0.2 only, and configuration '{}' has no "
                    "'isa: {{compat: 0.0.2}}'; take --hw vta-0.0.2",
                    hw.name()));
  }
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<FunctionalModel> values, FunctionalModel::create(hw));
  return std::unique_ptr<BoardCore>(std::make_unique<FourBlockCore>(hw, dram, std::move(values)));
}

}  // namespace vta::sim
