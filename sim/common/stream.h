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

inline constexpr int kUnitCount = 3;
inline constexpr std::array<Unit, kUnitCount> kUnits = {Unit::kLoad, Unit::kCompute, Unit::kStore};
constexpr int index(Unit unit) { return static_cast<int>(unit); }

/// The four dependence queues, named by producer and consumer.
struct TokenQueue {
  Unit from;
  Unit to;
};
inline constexpr int kTokenQueueCount = 4;
inline constexpr std::array<TokenQueue, kTokenQueueCount> kTokenQueues = {{
    {Unit::kLoad, Unit::kCompute},
    {Unit::kCompute, Unit::kLoad},
    {Unit::kCompute, Unit::kStore},
    {Unit::kStore, Unit::kCompute},
}};

/// Sets of token queues as bits.
struct TokenSets {
  uint8_t pops = 0;
  uint8_t pushes = 0;
};
TokenSets tokenSets(const Instruction& insn);

/// The instructions up to and including the first FINISH, or before the first illegal one. What
/// follows a FINISH is never executed.
struct Stream {
  std::vector<Instruction> instructions;
  std::vector<TokenSets> tokens;
  std::array<std::vector<uint32_t>, kUnitCount> queues;  // instruction numbers by unit
  bool has_finish = false;
  std::optional<Fault> illegal;  // of the instruction behind the last one
};

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
