#include "explore/sweep/evaluate/time_shares.h"

#include <gtest/gtest.h>

#include <string>

namespace vta::sweep {
namespace {

// The default configuration: 256 multipliers, a bus of 8 bytes.
constexpr uint64_t kCycles = 1000;

LaunchCounters busy(uint64_t compute_busy, uint64_t gemm) {
  LaunchCounters counters;
  counters.cycles = kCycles;
  counters.compute.busy_cycles = compute_busy;
  counters.gemm_uops = gemm;
  return counters;
}

/// Compute waits for load, which moves `beats` in `active` cycles.
LaunchCounters waiting(uint64_t cycles, uint64_t beats, uint64_t active) {
  LaunchCounters counters = busy(kCycles - cycles, 0);
  counters.compute.stall_token_cycles = counters.compute_waits_for_load_cycles = cycles;
  counters.load.stall_memory_cycles = active;
  counters.load.read_bytes = 8 * beats;
  return counters;
}

TimeShares sharesWith(const LaunchCounters& counters, int64_t macs = 0,
                      double cycles_per_beat = 1) {
  return sharesOf(counters, macs, HwConfig::makeDefault(), cycles_per_beat);
}

double sumOf(const TimeShares& s) {
  return s.array + s.lanes + s.alu + s.bus + s.latency + s.control;
}

TEST(TimeShares, WorkIsOfTheArrayOfItsEmptyLanesOrOfTheAlu) {
  const TimeShares shares = sharesWith(busy(900, 800), 600 * 256);
  EXPECT_NEAR(shares.array, 0.6, 1e-9);
  EXPECT_NEAR(shares.lanes, 0.2, 1e-9);
  EXPECT_NEAR(shares.alu, 0.1, 1e-9);
  EXPECT_NEAR(shares.control, 0.1, 1e-9);
  EXPECT_STREQ(shares.limit, "array");
  EXPECT_STREQ(sharesWith(busy(900, 800), 100 * 256).limit, "lanes");
  EXPECT_STREQ(sharesWith(busy(900, 300), 300 * 256).limit, "ALU");
}

TEST(TimeShares, WaitingIsForTheBusAsFarAsItIsFull) {
  const TimeShares full = sharesWith(waiting(800, 900, 900));
  EXPECT_NEAR(full.bus, 0.8, 1e-9);
  EXPECT_NEAR(full.latency, 0, 1e-9);
  EXPECT_STREQ(full.limit, "memory bus");
  const TimeShares gaps = sharesWith(waiting(800, 225, 900));
  EXPECT_NEAR(gaps.bus, 0.2, 1e-9);
  EXPECT_NEAR(gaps.latency, 0.6, 1e-9);
  EXPECT_STREQ(gaps.limit, "memory latency");
}

TEST(TimeShares, ASlowMemoryIsFullEarlier) {
  EXPECT_NEAR(sharesWith(waiting(800, 225, 900), 0, 4).bus, 0.8, 1e-9);
}

TEST(TimeShares, LoadsOfTheComputeUnitAndStoresCountAlike) {
  LaunchCounters own = busy(300, 300);
  own.compute.stall_memory_cycles = 600;
  own.compute.read_bytes = 8 * 450;
  EXPECT_NEAR(sharesWith(own).bus, 0.45, 1e-9);
  EXPECT_NEAR(sharesWith(own).latency, 0.15, 1e-9);
  LaunchCounters stores = busy(300, 300);
  stores.compute_waits_for_store_cycles = 600;
  stores.store.busy_cycles = 400;
  stores.store.stall_memory_cycles = 400;
  stores.store.write_bytes = 8 * 400;
  EXPECT_NEAR(sharesWith(stores).bus, 0.3, 1e-9);
}

TEST(TimeShares, WhatIsLeftIsControl) {
  LaunchCounters counters = busy(200, 200);
  counters.compute.stall_hazard_cycles = 300;
  const TimeShares shares = sharesWith(counters, 100 * 256);
  EXPECT_NEAR(shares.control, 0.8, 1e-9);
  EXPECT_STREQ(shares.limit, "control");
}

TEST(TimeShares, AreOne) {
  for (const LaunchCounters& counters :
       {busy(900, 800), busy(0, 0), waiting(800, 225, 900), waiting(1000, 4000, 900)}) {
    EXPECT_NEAR(sumOf(sharesWith(counters, 300 * 256)), 1, 1e-9);
  }
  EXPECT_EQ(sumOf(sharesWith(LaunchCounters())), 0);
  EXPECT_EQ(std::string(sharesWith(LaunchCounters()).limit), "");
}

}  // namespace
}  // namespace vta::sweep
