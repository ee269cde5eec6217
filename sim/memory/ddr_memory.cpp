#include "sim/memory/ddr_memory.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vta::sim {
namespace {

constexpr uint64_t kHertz = 1'000'000;  // of a MHz

uint64_t clocks(int value) { return static_cast<uint64_t>(value); }

/// count * numerator / denominator, rounded up, for ratios of numbers below 2^46: clocks with
/// decimals have large ones, whose product with a remainder needs more than 64 bits. So it is
/// divided in two parts; 32-bit processors have no wider integers.
uint64_t scaledUp(uint64_t count, uint64_t numerator, uint64_t denominator) {
  constexpr int kLowBits = 17;
  constexpr uint64_t kLowMask = (uint64_t{1} << kLowBits) - 1;
  const uint64_t whole = count / denominator * numerator;
  const uint64_t rest = count % denominator;
  const uint64_t high = rest * (numerator >> kLowBits);
  const uint64_t low = (high % denominator << kLowBits) + rest * (numerator & kLowMask);
  return whole + (high / denominator << kLowBits) + (low + denominator - 1) / denominator;
}

}  // namespace

DdrMemory::DdrMemory(const MemoryConfig& config, int beat_bytes, double clock_mhz, int ports)
    : MemoryModel(config.outstanding, ports),
      timing_(config.ddr),
      beat_bytes_(static_cast<uint64_t>(beat_bytes)),
      clock_ratio_(clocks(config.ddr.clock_mhz) * kHertz),
      cycle_ratio_(static_cast<uint64_t>(std::llround(clock_mhz * kHertz))),
      column_bytes_(clocks(config.ddr.bus_bytes) * clocks(config.ddr.burst_length)),
      data_clocks_(clocks(config.ddr.burst_length) / 2),
      latency_before_cycles_(clocks(config.controller_latency_cycles) / 2),
      latency_behind_cycles_(clocks(config.controller_latency_cycles) - latency_before_cycles_) {
  const uint64_t common = std::gcd(clock_ratio_, cycle_ratio_);
  clock_ratio_ /= common;
  cycle_ratio_ /= common;
  DdrMemory::resetTiming();
}

void DdrMemory::resetTiming() {
  banks_.assign(clocks(timing_.banks), Bank{});
  next_refresh_ = clocks(timing_.t_refi);
  next_read_column_ = next_write_column_ = 0;
  next_beat_cycles_.assign(static_cast<size_t>(numPorts()), 0);
}

uint64_t DdrMemory::toDram(uint64_t cycle) const {
  return scaledUp(cycle, clock_ratio_, cycle_ratio_);
}

uint64_t DdrMemory::fromDram(uint64_t clock) const {
  return scaledUp(clock, cycle_ratio_, clock_ratio_);
}

// All refreshes that are due by `clock`. Each waits until every open row may be closed.
void DdrMemory::refreshUpTo(uint64_t clock) {
  while (next_refresh_ <= clock) {
    uint64_t start = next_refresh_;
    for (const Bank& bank : banks_) {
      if (bank.row != kNoRow) {
        start = std::max(start, bank.precharge_allowed + clocks(timing_.t_rp));
      }
    }
    const uint64_t end = start + clocks(timing_.t_rfc);
    for (Bank& bank : banks_) {
      bank.row = kNoRow;
      bank.activate_allowed = end;
    }
    next_refresh_ += clocks(timing_.t_refi);
    clock = std::max(clock, end);
  }
}

// Earliest column command on `row`.
uint64_t DdrMemory::openRow(Bank& bank, uint64_t row, uint64_t arrival) {
  if (bank.row != row) {
    uint64_t activate = std::max(arrival, bank.activate_allowed);
    if (bank.row != kNoRow) {
      const uint64_t precharge = std::max(arrival, bank.precharge_allowed);
      activate = std::max(activate, precharge + clocks(timing_.t_rp));
    }
    bank.row = row;
    bank.column_allowed = activate + clocks(timing_.t_rcd);
    bank.precharge_allowed = activate + clocks(timing_.t_ras);
  }
  return std::max(arrival, bank.column_allowed);
}

uint64_t DdrMemory::access(uint64_t address, uint64_t arrival, bool is_write) {
  refreshUpTo(std::max(arrival, is_write ? next_write_column_ : next_read_column_));
  const uint64_t page = address / clocks(timing_.row_bytes);
  Bank& bank = banks_[page % banks_.size()];
  const uint64_t row = page / banks_.size() % clocks(timing_.rows);
  const uint64_t opened = openRow(bank, row, arrival);
  const uint64_t spacing = std::max(clocks(timing_.t_ccd), data_clocks_);
  if (is_write) {
    const uint64_t column = std::max(opened, next_write_column_);
    const uint64_t data_end = column + clocks(timing_.t_cwl) + data_clocks_;
    next_write_column_ = column + spacing;
    next_read_column_ = std::max(next_read_column_, data_end + clocks(timing_.t_wtr));
    bank.precharge_allowed = std::max(bank.precharge_allowed, data_end + clocks(timing_.t_wr));
    return data_end;
  }
  const uint64_t column = std::max(opened, next_read_column_);
  const uint64_t data_end = column + clocks(timing_.t_cl) + data_clocks_;
  next_read_column_ = column + spacing;
  // The data bus needs two clocks to turn round: no write data before them.
  const uint64_t turned = data_end + 2;
  const uint64_t write_latency = clocks(timing_.t_cwl);
  next_write_column_ =
      std::max(next_write_column_, turned > write_latency ? turned - write_latency : 0);
  bank.precharge_allowed = std::max(bank.precharge_allowed, column + data_clocks_);
  return data_end;
}

void DdrMemory::scheduleRead(uint64_t cycle, const PortBurst& burst, BeatSchedule& schedule) {
  uint64_t& next_beat_cycle = next_beat_cycles_[static_cast<size_t>(burst.port)];
  const uint64_t arrival = toDram(cycle + latency_before_cycles_);
  const uint64_t end = burst.address + burst.beats * beat_bytes_;
  uint64_t column = burst.address / column_bytes_ * column_bytes_;
  uint64_t beat_end = (burst.address / beat_bytes_ + 1) * beat_bytes_;
  for (; column < end; column += column_bytes_) {
    const uint64_t moved = fromDram(access(column, arrival, false)) + latency_behind_cycles_;
    for (; beat_end <= column + column_bytes_ && beat_end <= end; beat_end += beat_bytes_) {
      const uint64_t beat_cycle = std::max(moved, next_beat_cycle);
      schedule.append(beat_cycle);
      next_beat_cycle = beat_cycle + 1;
    }
  }
}

uint64_t DdrMemory::scheduleWrite(uint64_t cycle, const PortBurst& burst) {
  const uint64_t arrival = toDram(cycle + latency_before_cycles_);
  const uint64_t end = burst.address + burst.beats * beat_bytes_;
  uint64_t moved = arrival;
  for (uint64_t column = burst.address / column_bytes_ * column_bytes_; column < end;
       column += column_bytes_) {
    moved = access(column, arrival, true);
  }
  return fromDram(moved) + latency_behind_cycles_;
}

}  // namespace vta::sim
