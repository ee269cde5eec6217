#include "sim/memory/simple_memory.h"

#include <gmock/gmock.h>

namespace vta::sim {
namespace {

using testing::ElementsAre;

MemoryConfig config(int latency, uint32_t numerator, uint32_t denominator, int outstanding) {
  MemoryConfig c;
  c.simple = {latency, numerator, denominator};
  c.outstanding = outstanding;
  return c;
}

class SimpleMemoryTest : public testing::Test {
 protected:
  std::vector<BeatRun> read(SimpleMemory& memory, uint64_t cycle, uint32_t beats) {
    memory.acceptRead(cycle, 0, beats, schedule_);
    return schedule_.runs();
  }
  BeatSchedule schedule_;
};

TEST_F(SimpleMemoryTest, LatencyThenABeatACycle) {
  SimpleMemory memory(config(16, 1, 1, 4));
  EXPECT_THAT(read(memory, 10, 8), ElementsAre(BeatRun{26, 8, 1}));
  // Behind the first burst, then alone again.
  EXPECT_THAT(read(memory, 11, 4), ElementsAre(BeatRun{34, 4, 1}));
  EXPECT_THAT(read(memory, 22, 2), ElementsAre(BeatRun{38, 2, 1}));
  EXPECT_THAT(read(memory, 25, 2), ElementsAre(BeatRun{41, 2, 1}));
}

TEST_F(SimpleMemoryTest, RatesBelowOneAreExact) {
  SimpleMemory slow(config(5, 1, 3, 4));
  EXPECT_THAT(read(slow, 0, 3), ElementsAre(BeatRun{5, 3, 3}));
  EXPECT_THAT(read(slow, 1, 2), ElementsAre(BeatRun{14, 2, 3}));  // the slot after 5, 8, 11

  SimpleMemory uneven(config(5, 2, 3, 4));  // a beat every 1.5 cycles: 5, 6.5, 8, 9.5
  uneven.acceptRead(0, 0, 4, schedule_);
  std::vector<uint64_t> cycles;
  for (uint32_t i = 0; i < 4; ++i) cycles.push_back(schedule_.beatCycle(i));
  EXPECT_THAT(cycles, ElementsAre(5, 7, 8, 10));
  EXPECT_EQ(schedule_.lastCycle(), 10u);
}

TEST_F(SimpleMemoryTest, OneAcceptanceACycleUpToTheLimit) {
  SimpleMemory memory(config(10, 1, 1, 2));
  EXPECT_EQ(memory.earliestReadAccept(), 0u);
  read(memory, 3, 4);  // beats 13 to 16
  EXPECT_EQ(memory.earliestReadAccept(), 4u);
  read(memory, 4, 4);  // beats 17 to 20
  EXPECT_EQ(memory.earliestReadAccept(), 17u);
  read(memory, 17, 1);
  EXPECT_EQ(memory.earliestReadAccept(), 21u);
}

TEST_F(SimpleMemoryTest, ResponsesFollowTheLastBeat) {
  SimpleMemory memory(config(16, 1, 1, 2));
  EXPECT_EQ(memory.earliestWriteAccept(), 0u);
  memory.acceptWrite(2, 0, 4);
  EXPECT_EQ(memory.earliestWriteAccept(), 3u);
  memory.acceptWrite(3, 0, 1);
  EXPECT_EQ(memory.earliestWriteAccept(), MemoryModel::kUnknownCycle);
  EXPECT_EQ(memory.completeWrite(6), 22u);
  EXPECT_EQ(memory.earliestWriteAccept(), 23u);
  EXPECT_EQ(memory.completeWrite(7), 23u);
  memory.acceptWrite(23, 0, 1);
  EXPECT_EQ(memory.earliestWriteAccept(), 24u);
}

TEST_F(SimpleMemoryTest, WritesAreTakenAtTheRate) {
  SimpleMemory memory(config(10, 1, 4, 8));
  memory.acceptWrite(0, 0, 4);
  memory.acceptWrite(1, 0, 2);
  EXPECT_EQ(memory.completeWrite(3), 12u + 10);  // beats of cycles 0 to 3 taken in 0, 4, 8 and 12
  EXPECT_EQ(memory.completeWrite(5), 20u + 10);  // then in 16 and 20
}

TEST_F(SimpleMemoryTest, ReadsAndWritesAreIndependent) {
  SimpleMemory memory(config(16, 1, 1, 1));
  read(memory, 0, 256);
  memory.acceptWrite(0, 0, 1);
  EXPECT_EQ(memory.completeWrite(1), 17u);
}

TEST_F(SimpleMemoryTest, PortsAreIndependent) {
  SimpleMemory memory(config(16, 1, 1, 1), 2);
  EXPECT_THAT(read(memory, 10, 8), ElementsAre(BeatRun{26, 8, 1}));
  EXPECT_EQ(memory.earliestReadAccept(0), 34u);
  EXPECT_EQ(memory.earliestReadAccept(1), 0u);
  memory.acceptRead(10, 0, 4, schedule_, 1);
  EXPECT_THAT(schedule_.runs(), ElementsAre(BeatRun{26, 4, 1}));
  EXPECT_EQ(memory.readsAccepted(), 2u);
  memory.acceptWrite(11, 0, 1, 1);
  EXPECT_EQ(memory.completeWrite(11, 1), 27u);
  EXPECT_EQ(memory.earliestWriteAccept(0), 0u);
}

TEST_F(SimpleMemoryTest, ResetForgets) {
  SimpleMemory memory(config(16, 1, 1, 1));
  const auto first = read(memory, 0, 64);
  memory.acceptWrite(0, 0, 64);
  memory.reset();
  EXPECT_EQ(memory.earliestReadAccept(), 0u);
  EXPECT_EQ(memory.earliestWriteAccept(), 0u);
  EXPECT_EQ(read(memory, 0, 64), first);
}

}  // namespace
}  // namespace vta::sim
