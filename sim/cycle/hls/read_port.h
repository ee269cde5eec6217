// The ports of the HLS core that read.
#pragma once

#include <cstdint>
#include <deque>

#include "isa/config/hw_config.h"
#include "isa/launch/recording.h"
#include "sim/cycle/common/bursts.h"
#include "sim/cycle/hls/burst_source.h"
#include "sim/memory/memory_model.h"

namespace vta::sim::cycle::hls {

/// A port that offers read bursts to the memory, as many as its buffer has room for.
class ReadPort {
 public:
  /// `port_bytes` is the width of the port's own data bus.
  ReadPort(const HwConfig& hw, uint64_t port_bytes, BusMaster master)
      : source_(hw, port_bytes),
        outstanding_(static_cast<size_t>(hw.params().axi_outstanding_bursts)),
        master_(master) {}
  virtual ~ReadPort() = default;

  /// The first cycle in which the port offers a burst; kNever when it has none, or none before its
  /// unit goes on.
  uint64_t offerFrom() const;
  /// The burst that it offers.
  Burst offered() const { return source_.burst(); }
  /// The memory accepts it in `cycle` and sends its beats as `schedule` says.
  void accept(uint64_t cycle, const BeatSchedule& schedule);

  /// True when the memory has accepted all bursts.
  bool isComplete() const { return source_.done(); }
  /// For the records of bursts.
  BusMaster master() const { return master_; }

 protected:
  /// The unit asks in `cycle` for `bytes` bytes at `address`.
  void ask(uint64_t cycle, uint64_t address, uint64_t bytes);
  /// The oldest burst of which that was not said leaves the buffer in `cycle`.
  void leaves(uint64_t cycle) { left_.push_back(cycle); }
  /// Beats of a burst of `bytes` bytes will arrive.
  virtual void arrive(uint64_t bytes, const BeatSchedule& schedule) = 0;

  const BurstSource& source() const { return source_; }

 private:
  BurstSource source_;
  size_t outstanding_;
  BusMaster master_;
  uint64_t offer_from_ = 0;
  size_t in_buffer_ = 0;
  std::deque<uint64_t> left_;
};

/// A port whose unit asks for a row when it has taken all of the one before, and never waits while
/// it takes it.
class RowPort final : public ReadPort {
 public:
  using ReadPort::ReadPort;

  /// Asks for a row, of items of `item_bytes` bytes, of which the unit takes one every `interval`
  /// cycles.
  void request(uint64_t cycle, uint64_t address, uint64_t bytes, uint64_t item_bytes,
               uint64_t interval);

  /// The cycle in which the unit takes the last item of a complete row.
  uint64_t lastItem() const { return last_item_; }

 private:
  void arrive(uint64_t bytes, const BeatSchedule& schedule) override;
  void take(const BeatRun& run, uint64_t items_of_beat);

  uint64_t item_bytes_ = 1;
  uint64_t interval_ = 1;
  bool any_item_ = false;
  uint64_t last_item_ = 0;
};

}  // namespace vta::sim::cycle::hls
