// TokenTracker: turns SRAM accesses into the fewest dependence tokens that order them.
//
// The three units run their queues in order, so only dependences between units need tokens. Each
// instruction, added in program order, names the SRAM regions it reads and writes; the tracker
// finds the last conflicting instruction of every other unit and, unless an earlier token of the
// same direction already implies the order, sets a push flag on it and a pop flag on the new one.
// Every dependence points backwards in program order, so the program cannot deadlock, and both ends
// of the tokens of one direction increase strictly, so the i-th push meets the i-th pop.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/instruction/instruction.h"

namespace vta {

/// The scratchpads that more than one unit touches. (The micro-op buffer is compute's alone.)
enum class Sram : uint8_t { kInp, kWgt, kAcc };
inline constexpr int kSramCount = 3;

/// Elements [begin, end) of a scratchpad, read or (also) written.
struct SramAccess {
  Sram sram = Sram::kInp;
  uint32_t begin = 0;
  uint32_t end = 0;
  bool writes = false;
};

class TokenTracker {
 public:
  static constexpr int kUnits = 3;
  static constexpr int64_t kNone = -1;
  /// By unit, an instruction of that unit; kNone where there is none.
  using Producers = std::array<int64_t, kUnits>;
  static constexpr Producers kNoProducers{kNone, kNone, kNone};

  TokenTracker();

  /// Orders the task of instructions [first, last] of `program`, its newest ones and of one unit,
  /// after everything that it conflicts with, and after `others` of the units next to it.
  void add(std::vector<Instruction>& program, uint32_t first, uint32_t last,
           std::span<const SramAccess> accesses, const Producers& others = kNoProducers);

  /// The first compute instruction that starts only after instruction `producer` of `from`, the
  /// load or store unit, has finished; kNone if there is none yet.
  int64_t firstComputeAfter(Unit from, int64_t producer) const;

  /// Orders instruction `index` after the last instruction of `unit`, if there is one.
  void addAfterUnit(std::vector<Instruction>& program, uint32_t index, Unit unit);

 private:
  // A range of elements with equal history. Segments of one scratchpad are sorted and cover it.
  struct Segment {
    uint32_t begin = 0;
    std::array<int64_t, kUnits> last_read{kNone, kNone, kNone};
    std::array<int64_t, kUnits> last_write{kNone, kNone, kNone};
  };
  using Segments = std::vector<Segment>;
  // A compute instruction that pops a token, and the instruction that pushed it.
  struct Wait {
    int64_t compute = kNone;
    int64_t producer = kNone;
  };

  static size_t splitAt(Segments& segments, uint32_t begin);
  void record(const SramAccess& access, int unit, int64_t index, Producers& producers);
  void synchronise(std::vector<Instruction>& program, int64_t producer, int from, uint32_t index,
                   int to);

  std::array<Segments, kSramCount> segments_;
  std::array<int64_t, kUnits> last_of_unit_{kNone, kNone, kNone};
  // synced_[from][to]: newest instruction of `from` that unit `to` already waits for.
  std::array<std::array<int64_t, kUnits>, kUnits> synced_;
  std::array<std::vector<Wait>, kUnits> compute_waits_;  // by unit; both numbers increase
};

}  // namespace vta
