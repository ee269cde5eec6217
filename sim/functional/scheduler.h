// The three in-order command queues and four token queues of one run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/config/hw_config.h"
#include "sim/common/stream.h"
#include "sim/common/violation.h"

namespace vta::sim {

/// Says which instruction a unit may execute next. FINISH waits until the other units have nothing
/// left to do. With `finite_queues`, fetch stops at an instruction whose unit already has
/// `command_queue_depth` instructions behind the one it executes or waits with.
class Scheduler {
 public:
  /// `stream` must outlive the scheduler.
  Scheduler(const Stream& stream, const HwConfig& hw, bool finite_queues);

  /// The number of `unit`'s next instruction if its tokens are there.
  std::optional<uint32_t> ready(Unit unit) const;

  /// Takes the pops of `unit`'s next instruction and removes it. Only when ready.
  void start(Unit unit);

  /// Pushes the tokens of `instruction`. A full queue is a violation.
  std::optional<Violation> finish(uint32_t instruction);

  /// True when every instruction has been started.
  bool isDone() const;
  uint32_t fetched() const { return fetched_; }

  /// Why nothing is ready although instructions are left.
  Fault deadlock() const;

  /// The violation of a FINISH with tokens left in the queues.
  std::optional<Violation> leftOverTokens() const;

 private:
  std::optional<uint32_t> head(Unit unit) const;
  bool hasTokens(uint8_t pops) const;
  void fetch();
  std::string describeWait(Unit unit, std::vector<uint32_t>& related) const;
  std::string describePusher(int queue, std::vector<uint32_t>& related) const;
  std::string describeMissing(int queue, std::vector<uint32_t>& related) const;

  const Stream& stream_;
  uint32_t token_depth_;
  uint32_t command_depth_;
  uint32_t fetched_ = 0;
  std::array<uint32_t, kUnitCount> fetched_of_{};
  std::array<uint32_t, kUnitCount> started_of_{};
  std::array<uint32_t, kTokenQueueCount> tokens_{};
};

}  // namespace vta::sim
