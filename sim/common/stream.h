// A decoded instruction stream with what the scheduler needs to know of each instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/common/violation.h"

namespace vta::sim {

inline constexpr int kUnitCount = 3;  ///< units that have a command queue
/// In the order of index().
inline constexpr std::array<Unit, kUnitCount> kUnits = {Unit::kLoad, Unit::kCompute, Unit::kStore};
/// Of a unit, for arrays of kUnitCount.
constexpr int index(Unit unit) { return static_cast<int>(unit); }

/// The four dependence queues, named by producer and consumer.
struct TokenQueue {
  Unit from;  ///< the unit that pushes
  Unit to;    ///< the unit that pops
};
inline constexpr int kTokenQueueCount = 4;  ///< one for each neighbour that a unit talks to
/// A bit of TokenSets stands for the queue at its place here.
inline constexpr std::array<TokenQueue, kTokenQueueCount> kTokenQueues = {{
    {Unit::kLoad, Unit::kCompute},
    {Unit::kCompute, Unit::kLoad},
    {Unit::kCompute, Unit::kStore},
    {Unit::kStore, Unit::kCompute},
}};

/// Sets of token queues as bits.
struct TokenSets {
  uint8_t pops = 0;    ///< queues that an instruction pops before it starts
  uint8_t pushes = 0;  ///< queues that it pushes to when it retires
};
/// The queues that the dependence flags of `insn` mean for its unit.
TokenSets tokenSets(const Instruction& insn);

/// The instructions up to and including the first FINISH, or before the first illegal one. What
/// follows a FINISH is never executed.
struct Stream {
  std::vector<Instruction> instructions;                 ///< decoded, in their order
  std::vector<TokenSets> tokens;                         ///< of each instruction
  std::array<std::vector<uint32_t>, kUnitCount> queues;  ///< instruction numbers by unit
  bool has_finish = false;                               ///< the last one is FINISH
  std::optional<Fault> illegal;                          ///< of the instruction behind the last one
};

/// Of encoded instructions. Bytes that are none become Stream::illegal.
Stream decodeStream(std::span<const std::byte> bytes, const HwConfig& hw);

/// Streams by their bytes: a program that is launched again is not decoded again.
class StreamCache {
 public:
  /// Valid until the next call.
  const Stream& find(std::span<const std::byte> bytes, const HwConfig& hw);

 private:
  std::unordered_map<std::string, Stream> entries_;
};

}  // namespace vta::sim
