#include "sim/rtl/bus/axi_memory.h"

#include <gmock/gmock.h>

#include "tests/sim/functional/flat_dram.h"

namespace vta::sim {
namespace {

using testing::HasSubstr;

TEST(AxiMemoryTest, BeatsAtTheEdgesOfABuffer) {
  test::FlatDram dram(std::vector<std::byte>(20, std::byte{7}));
  AxiMemory memory(dram, 8);
  uint8_t data[8];
  EXPECT_EQ(memory.read(8, data), kRespOkay);
  EXPECT_EQ(data[7], 7);
  EXPECT_EQ(memory.read(16, data), kRespOkay);  // half inside
  EXPECT_EQ(data[3], 7);
  EXPECT_EQ(data[4], 0);
  EXPECT_EQ(memory.read(24, data), kRespDecodeError);
}

TEST(AxiMemoryTest, WritesFollowTheirStrobes) {
  test::FlatDram dram(std::vector<std::byte>(20, std::byte{7}));
  AxiMemory memory(dram, 8);
  const uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint64_t strobes[2] = {0x06, 0};
  EXPECT_EQ(memory.write(8, data, strobes), kRespOkay);
  EXPECT_EQ(dram.bytes()[8], std::byte{7});
  EXPECT_EQ(dram.bytes()[9], std::byte{2});
  strobes[0] = 0x18;  // one byte inside, one outside: neither is written
  EXPECT_EQ(memory.write(16, data, strobes), kRespDecodeError);
  EXPECT_EQ(dram.bytes()[19], std::byte{7});
}

class AxiMonitorTest : public testing::Test {
 protected:
  AxiMonitorTest() {
    ports_.arsize = ports_.awsize = 3;
    ports_.arburst = ports_.awburst = 1;
  }
  AxiMonitor monitor_{8};
  VtaAxiPort ports_ = {};
};

TEST_F(AxiMonitorTest, LegalTrafficIsQuiet) {
  ports_.arvalid = ports_.awvalid = ports_.wvalid = 1;
  ports_.araddr = 4096 - 32;
  ports_.arlen = 3;
  ports_.awlen = 1;
  monitor_.observe(ports_);  // nothing accepted: all stays
  ports_.arready = ports_.awready = ports_.wready = 1;
  monitor_.observe(ports_);
  ports_.arvalid = ports_.awvalid = 0;
  ports_.wlast = 1;
  monitor_.observe(ports_);
  EXPECT_EQ(monitor_.violation(), "");
}

TEST_F(AxiMonitorTest, BurstsAcrossAPage) {
  ports_.arvalid = 1;
  ports_.araddr = 4096 - 16;
  ports_.arlen = 2;
  monitor_.observe(ports_);
  EXPECT_THAT(monitor_.violation(), HasSubstr("cross 4 KiB"));
}

TEST_F(AxiMonitorTest, UnalignedOrNarrowBursts) {
  ports_.awvalid = 1;
  ports_.awaddr = 4;
  monitor_.observe(ports_);
  EXPECT_THAT(monitor_.violation(), HasSubstr("aligned incrementing burst"));
  monitor_.reset();
  ports_.awaddr = 8;
  ports_.awsize = 2;
  monitor_.observe(ports_);
  EXPECT_THAT(monitor_.violation(), HasSubstr("size 2"));
}

TEST_F(AxiMonitorTest, AddressesThatChangeBeforeTheyAreAccepted) {
  ports_.arvalid = 1;
  monitor_.observe(ports_);
  ports_.araddr = 8;
  monitor_.observe(ports_);
  EXPECT_THAT(monitor_.violation(), HasSubstr("changed or vanished"));
}

TEST_F(AxiMonitorTest, DataThatVanishes) {
  ports_.wvalid = 1;
  monitor_.observe(ports_);
  ports_.wvalid = 0;
  monitor_.observe(ports_);
  EXPECT_THAT(monitor_.violation(), HasSubstr("W: a beat changed or vanished"));
}

TEST_F(AxiMonitorTest, LastOnTheWrongBeat) {
  ports_.awvalid = ports_.awready = ports_.wvalid = ports_.wready = 1;
  ports_.awlen = 1;
  ports_.wlast = 1;
  monitor_.observe(ports_);
  EXPECT_THAT(monitor_.violation(), HasSubstr("WLAST on beat 1 of a burst of 2"));
}

}  // namespace
}  // namespace vta::sim
