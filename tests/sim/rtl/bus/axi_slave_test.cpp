#include "sim/rtl/bus/axi_slave.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/sim/functional/flat_dram.h"

namespace vta::sim {
namespace {

std::vector<std::byte> counting(size_t size_bytes) {
  std::vector<std::byte> bytes(size_bytes);
  for (size_t i = 0; i < size_bytes; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

class AxiSlaveTest : public testing::Test {
 protected:
  AxiSlaveTest() { ports_.rready = ports_.bready = 1; }

  // One cycle with what `ports_` asks for.
  void cycle(AxiSlave& slave) {
    slave.drive(ports_);
    if (ports_.rvalid) {
      beats_.push_back({cycle_, ports_.rid, ports_.rdata[0], ports_.rlast != 0, ports_.rresp});
    }
    if (ports_.bvalid) responses_.push_back({cycle_, ports_.bid, 0, true, ports_.bresp});
    slave.observe(ports_);
    if (ports_.arvalid && ports_.arready) ports_.arvalid = 0;
    if (ports_.awvalid && ports_.awready) ports_.awvalid = 0;
    ++cycle_;
  }

  void requestRead(uint64_t address, uint8_t length, uint8_t id) {
    ports_.arvalid = 1;
    ports_.araddr = address;
    ports_.arlen = length;
    ports_.arid = id;
  }

  struct Seen {
    uint64_t cycle;
    uint8_t id;
    uint8_t first_byte;
    bool last;
    uint8_t response;
  };
  test::FlatDram dram_{counting(4096)};
  VtaAxiPort ports_ = {};
  std::vector<Seen> beats_;
  std::vector<Seen> responses_;
  uint64_t cycle_ = 0;
};

TEST_F(AxiSlaveTest, TimedBeatsComeWhenTheModelSays) {
  const auto model = MemoryModel::create({}, 8, 100).value();
  const auto slave = makeTimedSlave(AxiMemory(dram_, 8), *model);
  slave->beginLaunch();
  requestRead(16, 2, 1);
  for (int i = 0; i < 30; ++i) cycle(*slave);
  ASSERT_EQ(beats_.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(beats_[i].cycle, 16 + i);
    EXPECT_EQ(beats_[i].first_byte, 16 + 8 * i);
    EXPECT_EQ(beats_[i].last, i == 2);
    EXPECT_EQ(beats_[i].id, 1);
  }
}

TEST_F(AxiSlaveTest, TimedWritesMayBringTheirDataFirst) {
  const auto model = MemoryModel::create({}, 8, 100).value();
  const auto slave = makeTimedSlave(AxiMemory(dram_, 8), *model);
  slave->beginLaunch();
  ports_.wvalid = ports_.wlast = 1;
  ports_.wdata[0] = 99;
  ports_.wstrb[0] = 1;
  cycle(*slave);
  ports_.wvalid = 0;
  cycle(*slave);
  EXPECT_EQ(dram_.bytes()[64], std::byte{64});
  ports_.awvalid = 1;
  ports_.awaddr = 64;
  ports_.awid = 3;
  for (int i = 0; i < 30; ++i) cycle(*slave);
  EXPECT_EQ(dram_.bytes()[64], std::byte{99});
  ASSERT_EQ(responses_.size(), 1u);
  EXPECT_EQ(responses_[0].cycle, 2u + 16);
  EXPECT_EQ(responses_[0].id, 3);
}

TEST_F(AxiSlaveTest, TimedSlaveFailsTheBurstsThatItIsTold) {
  const auto model = MemoryModel::create({}, 8, 100).value();
  const auto slave = makeTimedSlave(AxiMemory(dram_, 8), *model);
  BusErrors errors;
  errors.read_burst = 1;
  errors.read_beat = 2;
  errors.write_burst = 1;
  slave->injectErrors(errors);
  for (const bool decode_error : {false, true}) {
    errors.decode_error = decode_error;
    slave->injectErrors(errors);
    slave->beginLaunch();  // the bursts are numbered anew
    beats_.clear();
    responses_.clear();
    for (int burst = 0; burst < 3; ++burst) {
      requestRead(0, 3, 0);
      ports_.awvalid = ports_.wvalid = ports_.wlast = 1;
      cycle(*slave);
      ports_.wvalid = 0;
    }
    for (int i = 0; i < 60; ++i) cycle(*slave);
    const uint8_t code = decode_error ? kRespDecodeError : kRespSlaveError;
    ASSERT_EQ(beats_.size(), 12u);
    for (size_t i = 0; i < 12; ++i) EXPECT_EQ(beats_[i].response, i == 6 ? code : kRespOkay) << i;
    ASSERT_EQ(responses_.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(responses_[i].response, i == 1 ? code : kRespOkay) << i;
    }
  }
}

TEST_F(AxiSlaveTest, RandomSlaveReordersIdsAndKeepsOrderWithinOne) {
  bool reordered = false;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto slave = makeRandomSlave(AxiMemory(dram_, 8), {.seed = seed});
    beats_.clear();
    for (uint8_t i = 0; i < 8; ++i) {
      requestRead(uint64_t{i} * 8, 0, i % 2);
      while (ports_.arvalid) cycle(*slave);
    }
    for (int i = 0; i < 400; ++i) cycle(*slave);
    ASSERT_EQ(beats_.size(), 8u);
    std::array<int, 2> last = {-1, -1};
    for (size_t i = 0; i < beats_.size(); ++i) {
      const int burst = beats_[i].first_byte / 8;
      EXPECT_EQ(beats_[i].id, burst % 2);
      EXPECT_GT(burst, last[beats_[i].id]);
      last[beats_[i].id] = burst;
      reordered = reordered || burst != static_cast<int>(i);
    }
  }
  EXPECT_TRUE(reordered);
}

TEST_F(AxiSlaveTest, RandomSlaveInjectsErrors) {
  const auto slave = makeRandomSlave(AxiMemory(dram_, 8), {.seed = 1, .error_one_in = 4});
  for (int i = 0; i < 64; ++i) {
    requestRead(0, 1, 0);
    while (ports_.arvalid) cycle(*slave);
  }
  for (int i = 0; i < 2000; ++i) cycle(*slave);
  const auto errors = std::count_if(beats_.begin(), beats_.end(), [](const Seen& beat) {
    return beat.response == kRespSlaveError;
  });
  EXPECT_EQ(beats_.size(), 128u);
  EXPECT_GT(errors, 4);
  EXPECT_LT(errors, 40);
}

}  // namespace
}  // namespace vta::sim
