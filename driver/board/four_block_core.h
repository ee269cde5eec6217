// The published 0.0.2 core behind the registers of its four blocks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/board/core_map.h"
#include "driver/board/mapping.h"
#include "isa/registers/four_block.h"

namespace vta::driver {

/// Runs launches on bitstreams of VTA 0.0.2 (isa/registers/four_block.h). They have no
/// identification, no interrupt, no counters and no faults: what goes wrong never ends.
///
/// The end of a launch is `done` of the compute block. FINISH sets it, and the next compute
/// instruction clears it, once that has got its tokens. So behind a start it still reads 1 for a
/// while, from the launch before. start() therefore sees to it that `done` reads 0 first: when it
/// reads 1, the core runs a stream that does nothing but clear it. Nothing else is in the queues
/// then, and no other process has the device, so a 1 that is read later is this launch's own.
///
/// The stream passes through load and store as well: a block reads its base address when it begins
/// to wait for an instruction, so that a new base counts from the second instruction on.
class FourBlockCore final : public CoreMap {
 public:
  /// `windows` are those of fetch, load, compute and store.
  explicit FourBlockCore(const std::vector<MappedRegisters>& windows) : windows_(windows) {}

  /// The map has no identification, so this compares only the kind of hardware.
  Status identify(const HwConfig& hw) const override;
  /// Whether the four windows are those of the blocks: their arguments hold what is written.
  /// Errors: kUnsupported, naming the window.
  Status prepare(const HwConfig& hw, const Keep& keep) override;
  CoreStatus status() const override;
  void initialise() override {}
  bool hasInterrupt() const override { return false; }
  Status start(const Launch& launch) override;
  std::string progress() const override;

 private:
  using Block = four_block::Block;

  uint32_t read(Block block, uint32_t offset) const;
  void write(Block block, uint32_t offset, uint32_t value) const;
  bool isDone() const;
  bool isIdle(Block block) const;
  Status clearDone() const;
  void startFetch(uint64_t address, uint32_t count) const;
  Status probeArguments() const;
  Status probeArgument(Block block, uint32_t offset) const;

  std::vector<MappedRegisters> windows_;
  uint64_t clearing_address_ = 0;  // of the stream that clears `done`
  uint32_t clearing_count_ = 0;
};

}  // namespace vta::driver
