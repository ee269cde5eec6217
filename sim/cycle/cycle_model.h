// The timing of the accelerator, cycle for cycle that of the RTL (docs/timing.md).
//
// Comments that begin with a name in quotes, such as "Scan": or "Store", data:, name the heading of
// that page whose rule the next line keeps; letters are those of the rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/common/dram.h"
#include "sim/common/stream.h"
#include "sim/cycle/common/results.h"
#include "sim/memory/bus_errors.h"
#include "sim/memory/memory_config.h"
#include "sim/memory/memory_model.h"

namespace vta::sim {

/// Runs instruction streams without moving values: of the device memory it reads micro-ops only,
/// because bank conflicts depend on their indexes. Time passes from event to event, so a run costs
/// instructions, bursts and cycles in which compute engines overlap; not latency.
///
/// Several models may exist at once; one is used by one thread at a time.
class CycleModel {
 public:
  /// Errors: those of MemoryModel::create.
  static Result<std::unique_ptr<CycleModel>> create(const HwConfig& hw, const MemoryConfig& memory);
  ~CycleModel();

  /// One launch of the encoded stream that lies at device address `address`, from cycle 0 on.
  /// Micro-op memory keeps its contents from launch to launch. `recording`, when not null, receives
  /// the launch's events.
  TimingResult run(std::span<const std::byte> stream, uint64_t address, const BaseAddresses& bases,
                   const Dram& dram, Recording* recording = nullptr);

  /// The bursts of the following launches that the memory answers with errors; a launch that meets
  /// one ends with a fault of kind kDramBounds.
  void injectBusErrors(const BusErrors& errors) { bus_errors_ = errors; }

  /// Following launches are not simulated past this cycle: one that takes longer ends without a
  /// fault, and of its counters only `cycles` counts, as a number greater than this.
  void giveUpAfter(uint64_t cycle) { give_up_cycle_ = cycle; }

  /// Forgets the contents of micro-op memory.
  void reset();

 private:
  CycleModel(const HwConfig& hw, std::unique_ptr<MemoryModel> memory);

  HwConfig hw_;
  std::unique_ptr<MemoryModel> memory_;
  std::vector<Uop> uops_;  // micro-op memory
  BusErrors bus_errors_;
  uint64_t give_up_cycle_ = ~uint64_t{0};
  StreamCache streams_;
};

}  // namespace vta::sim
