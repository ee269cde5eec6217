#include "sim/memory/ddr_memory.h"

#include <gmock/gmock.h>

#include <random>

namespace vta::sim {
namespace {

// One accelerator cycle is one DRAM clock, and a beat one column access, so that times can be read
// off: two cycles of controller before the DRAM, two behind it.
MemoryConfig plain() {
  MemoryConfig c;
  c.kind = MemoryKind::kDdr;
  c.outstanding = 64;
  c.controller_latency_cycles = 4;
  c.ddr = {.clock_mhz = 100,
           .bus_bytes = 1,
           .burst_length = 8,
           .banks = 4,
           .rows = 1024,
           .row_bytes = 1024,
           .t_rcd = 5,
           .t_rp = 6,
           .t_cl = 7,
           .t_cwl = 4,
           .t_ccd = 4,
           .t_ras = 20,
           .t_rfc = 50,
           .t_refi = 10000,
           .t_wr = 9,
           .t_wtr = 3};
  return c;
}
constexpr uint64_t kRowBytes = 1024;
constexpr uint64_t kSameBank = 4 * kRowBytes;

class DdrMemoryTest : public testing::Test {
 protected:
  uint64_t firstBeat(uint64_t cycle, uint64_t address, uint32_t beats = 1) {
    memory_.acceptRead(cycle, address, beats, schedule_);
    return schedule_.firstCycle();
  }
  uint64_t write(uint64_t cycle, uint64_t address, uint32_t beats = 1) {
    memory_.acceptWrite(std::max(cycle, memory_.earliestWriteAccept()), address, beats);
    return memory_.completeWrite(cycle);
  }

  DdrMemory memory_{plain(), 8, 100};
  BeatSchedule schedule_;
};

// Closed bank: controller, tRCD, tCL, four clocks of data.
constexpr uint64_t kMiss = 2 + 5 + 7 + 4 + 2;

TEST_F(DdrMemoryTest, ClosedBankActivatesOpenRowDoesNot) {
  EXPECT_EQ(firstBeat(0, 0), kMiss);
  EXPECT_EQ(firstBeat(100, 8), 100 + kMiss - 5);
}

TEST_F(DdrMemoryTest, ColumnsOfARowFollowAtTheirSpacing) {
  firstBeat(0, 0, 8);
  EXPECT_THAT(schedule_.runs(), testing::ElementsAre(BeatRun{kMiss, 8, 4}));
}

TEST_F(DdrMemoryTest, AnotherRowOfTheBankPrecharges) {
  firstBeat(0, 0);
  EXPECT_EQ(firstBeat(100, kSameBank), 100 + kMiss + 6);
}

TEST_F(DdrMemoryTest, PrechargeWaitsForTheRowToHaveBeenOpenLongEnough) {
  firstBeat(0, 0);  // activated in clock 2: precharge not before 22
  EXPECT_EQ(firstBeat(1, kSameBank), 22u + 6 + 5 + 7 + 4 + 2);
}

TEST_F(DdrMemoryTest, AnotherBankActivatesMeanwhile) {
  firstBeat(0, 0);
  EXPECT_EQ(firstBeat(1, kRowBytes), kMiss + 4);  // only the data bus is shared
}

TEST_F(DdrMemoryTest, ReadAfterWriteTurnsRound) {
  const uint64_t response = write(0, 0);
  EXPECT_EQ(response, 2u + 5 + 4 + 4 + 2);  // data moved in clock 15
  EXPECT_EQ(firstBeat(1, 8), 15u + 3 + 7 + 4 + 2);
}

TEST_F(DdrMemoryTest, PrechargeWaitsForWriteRecovery) {
  write(0, 0);  // data moved in clock 15; tRAS would allow 22, tWR 24
  EXPECT_EQ(firstBeat(1, kSameBank), 24u + 6 + 5 + 7 + 4 + 2);
}

TEST_F(DdrMemoryTest, RefreshClosesRows) {
  firstBeat(0, 0);
  EXPECT_EQ(firstBeat(9996, 8), 9996u + kMiss - 5);  // at t-1: refresh is due in clock 10000
  memory_.reset();
  firstBeat(0, 0);
  EXPECT_EQ(firstBeat(9998, 8), 10000u + 50 + 5 + 7 + 4 + 2);
}

TEST_F(DdrMemoryTest, ResponsesAndBeatsAreInOrder) {
  std::mt19937 rng(1);
  uint64_t cycle = 0;
  uint64_t last_beat = 0;
  uint64_t last_response = 0;
  for (int i = 0; i < 5000; ++i) {
    cycle += rng() % 40;
    const uint64_t address = rng() % 65536 / 8 * 8;
    const uint32_t beats = 1 + rng() % 32;
    if (rng() % 2 != 0) {
      const uint64_t response =
          write(cycle = std::max(cycle, memory_.earliestWriteAccept()), address, beats);
      EXPECT_GT(response, last_response);
      last_response = response;
      continue;
    }
    cycle = std::max(cycle, memory_.earliestReadAccept());
    memory_.acceptRead(cycle, address, beats, schedule_);
    uint32_t count = 0;
    for (const BeatRun& run : schedule_.runs()) {
      EXPECT_GT(run.first_cycle, last_beat);
      last_beat = run.lastCycle();
      count += run.beats;
    }
    EXPECT_EQ(count, beats);
    EXPECT_GT(schedule_.firstCycle(), cycle);
  }
}

// Two ports that stream get what one of twice the width would, in turns.
TEST(DdrPortsTest, ShareTheDram) {
  const MemoryConfig config = *resolveMemoryConfig("DDR3-1066");
  const int bursts = 1000;
  const uint32_t beats = 16;
  double rates[2] = {};
  for (const int ports : {1, 2}) {
    DdrMemory memory(config, 8, 200, ports);  // 10.66 bytes a cycle
    BeatSchedule schedule;
    uint64_t last = 0;
    for (int i = 0; i < bursts; ++i) {
      uint64_t cycle = 0;
      for (int port = 0; port < ports; ++port) {
        cycle = std::max(cycle, memory.earliestReadAccept(port));
      }
      for (int port = 0; port < ports; ++port) {
        // In different banks, whose rows stay open.
        const uint64_t address = uint64_t(port) * ((1 << 20) + 4 * 2048) + uint64_t(i) * 128;
        memory.acceptRead(cycle, address, beats, schedule, port);
        last = std::max(last, schedule.lastCycle());
      }
    }
    rates[ports - 1] = double(bursts) * beats * ports / double(last);
  }
  EXPECT_GE(rates[0], 0.9);
  EXPECT_GT(rates[1], rates[0]);
  EXPECT_LE(rates[1], 10.66 / 8);
}

TEST(DdrPresetTest, StreamingReachesTheBandwidthOfTheChips) {
  // PYNQ-Z1: 533 MHz * 2 * 2 bytes feed a 64-bit bus at 100 MHz easily, but not one of 512 bits.
  for (const auto& [beat_bytes, beats_per_cycle] : {std::pair(8, 1.0), std::pair(64, 21.32 / 64)}) {
    const MemoryConfig config = *resolveMemoryConfig("DDR3-1066");
    DdrMemory memory(config, beat_bytes, 100);
    BeatSchedule schedule;
    const int bursts = 2000;
    const auto beats = static_cast<uint32_t>(512 / beat_bytes);
    for (int i = 0; i < bursts; ++i) {
      memory.acceptRead(memory.earliestReadAccept(), uint64_t(i) * 512, beats, schedule);
    }
    const double rate = double(bursts) * beats / double(schedule.lastCycle());
    EXPECT_LE(rate, beats_per_cycle * 1.001);
    EXPECT_GE(rate, beats_per_cycle * 0.9);  // refresh takes 3 %, row changes the rest
  }
}

/// When the last of many beats comes, behind an accelerator of this clock.
uint64_t lastBeat(double clock_mhz) {
  DdrMemory memory(plain(), 8, clock_mhz);
  BeatSchedule schedule;
  memory.acceptRead(0, 0, 4096, schedule);
  return schedule.runs().back().lastCycle();
}

TEST(DdrMemory, AClockWithDecimalsIsUsedExactly) {
  const uint64_t slower = lastBeat(333), exact = lastBeat(333.33), faster = lastBeat(334);
  EXPECT_LT(slower, exact);
  EXPECT_LT(exact, faster);
  // The DRAM takes the same clocks of its own, but for what lies before the first one.
  const double clocks = static_cast<double>(lastBeat(100));
  EXPECT_NEAR(static_cast<double>(exact), clocks * 3.3333, 20);
  EXPECT_LT(lastBeat(333.33), lastBeat(333.43));
}

// Ratios of large numbers: products of 64 bits would overflow.
TEST(DdrMemory, ManyCyclesOfAClockWithManyDecimals) {
  MemoryConfig config = plain();
  config.ddr.clock_mhz = 9999;
  config.ddr.t_refi = 2'000'000'000;
  DdrMemory memory(config, 8, 4999.999999);
  BeatSchedule schedule;
  constexpr uint64_t kLate = uint64_t{1} << 34;
  memory.acceptRead(kLate, 0, 1, schedule);
  EXPECT_GT(schedule.firstCycle(), kLate);
  EXPECT_LT(schedule.firstCycle(), kLate + 100);
}

}  // namespace
}  // namespace vta::sim
