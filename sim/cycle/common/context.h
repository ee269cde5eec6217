// What the units of one launch share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/config/hw_config.h"
#include "sim/common/dram.h"
#include "sim/common/stream.h"
#include "sim/common/uop_format.h"
#include "sim/common/violation.h"
#include "sim/cycle/common/queues.h"
#include "sim/cycle/common/results.h"
#include "sim/memory/bus_errors.h"

namespace vta::sim::cycle {

/// A fault as the hardware reports it.
struct HardwareFault {
  uint64_t cycle = kNever;                          ///< kNever: there is none
  FaultKind kind = FaultKind::kIllegalInstruction;  ///< what register FAULT says
  uint32_t instruction = 0;                         ///< its number in the stream
};

/// No beat of a burst.
inline constexpr uint32_t kNoBeat = ~uint32_t{0};

/// State of one launch that more than one unit needs. Units compute ahead of time what nothing can
/// change any more; `limit` is the last cycle that counts when the launch is known to end in a
/// fault.
struct Context {
  /// Keeps references to all of them: they outlive the context.
  Context(const HwConfig& config, const Stream& program, const BaseAddresses& base_addresses,
          const Dram& device_memory)
      : hw(config),
        stream(program),
        bases(base_addresses),
        dram(device_memory),
        load_queue(program.queues[index(Unit::kLoad)],
                   static_cast<uint32_t>(config.params().command_queue_depth)),
        compute_queue(program.queues[index(Unit::kCompute)],
                      static_cast<uint32_t>(config.params().command_queue_depth)),
        store_queue(program.queues[index(Unit::kStore)],
                    static_cast<uint32_t>(config.params().command_queue_depth)),
        tokens(static_cast<uint32_t>(config.params().token_queue_depth)),
        uop_format(config) {}

  const HwConfig& hw;          ///< whose timing is simulated
  const Stream& stream;        ///< the decoded program, with the instructions of each unit
  const BaseAddresses& bases;  ///< of the launch's buffers
  const Dram& dram;            ///< only for where buffers are, and micro-ops; no values are moved
  CommandQueue load_queue;     ///< instructions on their way to the load unit
  CommandQueue compute_queue;  ///< to the compute unit
  CommandQueue store_queue;    ///< to the store unit
  TokenQueues tokens;          ///< that units have pushed to one another
  UopFormat uop_format;        ///< of micro-ops in DRAM
  LaunchCounters counters;     ///< of the launch, as its registers show them
  Recording* recording = nullptr;  ///< null: times of instructions are not asked for
  BusErrors bus_errors;            ///< bursts that the memory answers with errors
  uint64_t limit = kNever;  ///< no cycle behind it counts, because a fault ends the launch in it
  uint64_t give_up_cycle = kNever;  ///< a launch that goes on after it is of no interest
  HardwareFault fault;              ///< the first one known so far

  /// A retirement whose push finds a full queue unless a token is popped in time.
  struct Suspect {
    uint32_t number = 0;  ///< of the instruction
    uint64_t cycle = 0;   ///< in which it retires
  };
  std::vector<Suspect> suspects;  ///< in the order in which they were found

  /// The command queue of load, compute or store.
  CommandQueue& queueOf(Unit unit) {
    return unit == Unit::kLoad ? load_queue : unit == Unit::kStore ? store_queue : compute_queue;
  }

  /// How many of the `count` cycles from `first` on count.
  uint64_t counted(uint64_t first, uint64_t count) const {
    if (first > limit) return 0;
    return std::min(count, limit - first + 1);
  }
  /// Cycles of (after, up_to] that count.
  uint64_t countedUpTo(uint64_t after, uint64_t up_to) const {
    return up_to > after ? counted(after + 1, up_to - after) : 0;
  }

  /// A unit has found a fault. The earliest counts; of several in one cycle that of the first
  /// instruction.
  void report(const HardwareFault& found) {
    if (found.cycle < fault.cycle ||
        (found.cycle == fault.cycle && found.instruction < fault.instruction)) {
      fault = found;
    }
  }

  /// Whether the caller also asked for the bus's bursts.
  bool recordsBursts() const { return recording != nullptr && recording->with_bursts; }
  /// Unit and cycle are known: the instruction leaves its queue.
  void recordStart(uint32_t number, uint64_t cycle) {
    if (recording != nullptr) recording->instructions[number].started = cycle;
  }
  /// The instruction's results and tokens are there from this cycle on.
  void recordRetire(uint32_t number, uint64_t cycle) {
    if (recording != nullptr && cycle <= limit) recording->instructions[number].retired = cycle;
  }
  /// Operations in the cycles from `first` to `last`, called in the order of time.
  void recordWork(uint32_t number, uint64_t first, uint64_t last) {
    if (recording == nullptr) return;
    InstructionTimes& times = recording->instructions[number];
    if (times.work_from == InstructionTimes::kNever) times.work_from = first;
    times.work_until = last;
  }
  /// Fetch has put the instruction into its unit's queue.
  void recordDispatch(uint32_t number, uint64_t cycle) {
    if (recording != nullptr && cycle <= limit) recording->instructions[number].dispatched = cycle;
  }
};

/// The counters of a unit that works on up to four instructions at once: load and store. Cycles in
/// which instructions are in flight and nothing is moved wait for memory; cycles with none in
/// flight and a head that lacks tokens wait for tokens.
class TransferStalls {
 public:
  /// The next instruction came to the head in `head_from`, had its tokens from `tokens_from` on.
  void start(const Context& context, UnitCounters& timing, uint64_t head_from,
             uint64_t tokens_from) {
    const uint64_t from = std::max(head_from, last_known_retire_ + 1);
    const bool others_in_flight = started_ > retired_;  // beyond this start
    // "Counters": token: a head, lacking tokens; memory comes before it while any is in flight.
    if (!others_in_flight && tokens_from > from) {
      timing.stall_token_cycles += context.counted(from, tokens_from - from);
    }
    ++started_;
  }

  /// The oldest instruction in flight, started in `start`, retires in `cycle`.
  void retire(const Context& context, uint64_t start, uint64_t cycle) {
    // "Counters": memory: in flight at the beginning of the cycle; each cycle counts once.
    in_flight_cycles_ += context.countedUpTo(std::max(start, previous_retire_), cycle);
    previous_retire_ = last_known_retire_ = cycle;
    ++retired_;
  }

  /// Like retire, for an instruction that is in flight when the core stops in `last_cycle`.
  void inFlightUntil(const Context& context, uint64_t start, uint64_t last_cycle) {
    in_flight_cycles_ += context.countedUpTo(std::max(start, previous_retire_), last_cycle);
  }

  /// Like start, for a head that has not started when the core stops; nothing is in flight.
  void waitUntil(const Context& context, UnitCounters& timing, uint64_t head_from,
                 uint64_t tokens_from, uint64_t last_cycle) const {
    const uint64_t from = std::max(head_from, last_known_retire_ + 1);
    const uint64_t until = std::min(tokens_from, last_cycle + 1);
    if (until > from) timing.stall_token_cycles += context.counted(from, until - from);
  }

  /// Cycles so far in which at least one instruction was in flight.
  uint64_t inFlightCycles() const { return in_flight_cycles_; }
  /// The cycle of the last retirement that is known; 0 before the first.
  uint64_t lastRetire() const { return previous_retire_; }

 private:
  uint64_t in_flight_cycles_ = 0;
  uint64_t previous_retire_ = 0;
  uint64_t last_known_retire_ = ~uint64_t{0};  // -1: nothing yet
  uint64_t started_ = 0;
  uint64_t retired_ = 0;
};

}  // namespace vta::sim::cycle
