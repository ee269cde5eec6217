#include "isa/spec/memory_ports.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vta {
namespace {

MemoryPorts portsOf(int count) {
  HwParams params;
  params.axi_ports = count;
  return memoryPorts(params);
}

TEST(MemoryPorts, OnePortMovesEverything) {
  const MemoryPorts ports = portsOf(1);
  EXPECT_EQ(ports.loadDmas(), 1);
  EXPECT_EQ(ports.readPorts(), 1);
  for (const MemoryType type : {MemoryType::kUop, MemoryType::kInp, MemoryType::kWgt}) {
    EXPECT_EQ(ports.ofLoad(type), 0);
  }
  EXPECT_EQ(ports.store, 0);
}

TEST(MemoryPorts, OfTwoOneIsForWeights) {
  const MemoryPorts ports = portsOf(2);
  EXPECT_EQ(ports.loadDmas(), 2);
  EXPECT_EQ(ports.readPorts(), 2);
  EXPECT_EQ(ports.ofLoad(MemoryType::kWgt), 1);
  EXPECT_EQ(ports.ofLoad(MemoryType::kWgtTransposed), 1);
  EXPECT_EQ(ports.ofLoad(MemoryType::kInp), 0);
  EXPECT_EQ(ports.store, 0);
}

TEST(MemoryPorts, OfFourEachMovesSomethingElse) {
  const MemoryPorts ports = portsOf(4);
  EXPECT_EQ(ports.loadDmas(), 2);
  EXPECT_EQ(ports.readPorts(), 3);
  int used[] = {ports.ofLoad(MemoryType::kAcc), ports.ofLoad(MemoryType::kWgt),
                ports.ofLoad(MemoryType::kInp), ports.store};
  std::ranges::sort(used);
  for (int i = 0; i < kMostMemoryPorts; ++i) EXPECT_EQ(used[i], i);
}

}  // namespace
}  // namespace vta
