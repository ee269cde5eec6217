// Adds instructions to a program so that tokens order them as asked for, without deadlock.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "sim/random/rng.h"

namespace vta::sim {

/// Keeps vector clocks of the three units. The program's own order is always one possible order of
/// execution, because every pop is matched with an earlier push: there is no deadlock, however
/// short the queues are. Token queues never hold more than their depth, 2 or more, in any timing.
class TokenWeaver {
 public:
  static constexpr int kUnits = 3;
  /// By unit, a number of instructions from the beginning of its stream.
  using Clock = std::array<uint32_t, kUnits>;

  /// `program` and `rng` must outlive the weaver.
  TokenWeaver(Program& program, const HwConfig& hw, Rng& rng);

  /// Appends `insn`, which starts only when all of `needs` have finished. May insert instructions
  /// that do nothing but carry tokens. Returns the position in its unit's stream.
  uint32_t add(Instruction insn, const Clock& needs);

  /// Orders the next instruction of `unit` after all there is in the other units.
  void synchronise(Unit unit);

  /// Consumes all tokens, waits for everything, and appends FINISH.
  void finish();

  /// Number of instructions in `unit`'s stream.
  uint32_t count(Unit unit) const { return static_cast<uint32_t>(streams_[index(unit)].size()); }

 private:
  struct Node {
    uint32_t number = 0;  ///< in the program
    Clock before{};       ///< what has finished when it starts
  };
  struct Queue {
    std::deque<uint32_t> waiting;     ///< positions of the pushes that nobody pops yet
    std::vector<uint32_t> consumers;  ///< positions of the pops so far
    uint32_t pushes = 0;
  };

  static int index(Unit unit) { return static_cast<int>(unit); }
  Queue& queue(Unit from, Unit to) { return queues_[index(from)][index(to)]; }

  void orderAfter(Unit from, uint32_t needed, Unit to);
  void provideToken(Unit from, Unit to);
  bool tryPush(Unit from, Unit to, bool use_reserve);
  void pop(Unit from, Unit to, Node& node);
  void append(Instruction insn);
  Instruction nop(Unit unit);
  Tokens& tokensOf(const Node& node) { return program_.instructions[node.number].tokens; }

  Program& program_;
  HwConfig hw_;
  Rng& rng_;
  std::array<std::vector<Node>, kUnits> streams_;
  std::array<Clock, kUnits> reached_{};  // what the next instruction of each unit starts after
  std::array<std::array<Queue, kUnits>, kUnits> queues_;
};

}  // namespace vta::sim
