// Cuts that invented costs force, and that no cut is cheaper: all of them are tried.
#include "compiler/placement/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace vta::placement {
namespace {

using codegen::TransferCost;
using ::testing::ElementsAre;

constexpr uint32_t kHost = 0;
constexpr uint32_t kGpu = 1;
constexpr uint32_t kNpu = 2;
constexpr std::optional<int64_t> kCannot;

/// Machines that each have a memory of their own. The network's input lies in the host's.
class AssignmentTest : public ::testing::Test {
 protected:
  void machines(uint32_t count, TransferCost transfer, int64_t cost_per_run = 0) {
    for (uint32_t i = 0; i < count; ++i) network_.machines.push_back({cost_per_run, i});
    network_.transfers.assign(count, std::vector<TransferCost>(count, transfer));
    input_ = value(10);
    network_.values[input_].home = kHost;
  }

  uint32_t value(int64_t bytes) {
    network_.values.push_back({.bytes = bytes});
    return static_cast<uint32_t>(network_.values.size()) - 1;
  }

  /// An operation and its result of `bytes`.
  uint32_t op(std::vector<std::optional<int64_t>> costs, std::vector<uint32_t> operands,
              int64_t bytes = 10) {
    const uint32_t result = value(bytes);
    network_.ops.push_back({std::move(costs), std::move(operands), {result}});
    return result;
  }

  /// `result` goes to the caller.
  void output(uint32_t result) { network_.values[result].wanted = kHost; }

  /// The assignment, which costs no more than any other one.
  std::vector<uint32_t> best() const {
    const std::vector<uint32_t> machines = assignMachines(network_);
    EXPECT_EQ(costOf(network_, machines), leastCost());
    return machines;
  }

  int64_t leastCost() const {
    std::vector<uint32_t> machines(network_.ops.size(), 0);
    int64_t least = std::numeric_limits<int64_t>::max();
    while (true) {
      bool is_possible = true;
      for (size_t i = 0; i < machines.size(); ++i) {
        is_possible = is_possible && network_.ops[i].costs[machines[i]].has_value();
      }
      if (is_possible) least = std::min(least, costOf(network_, machines));
      size_t digit = 0;
      while (digit < machines.size() && ++machines[digit] == network_.machines.size()) {
        machines[digit++] = 0;
      }
      if (digit == machines.size()) return least;
    }
  }

  Assignment network_;
  uint32_t input_ = 0;
};

TEST_F(AssignmentTest, AChainIsCutWhereLittleIsMoved) {
  machines(2, {.per_byte = 1});
  const uint32_t large = op({100, 10}, {input_}, 50);
  const uint32_t small = op({100, 90}, {large}, 5);  // gains less than moving 50 bytes takes
  output(op({10, 100}, {small}));
  EXPECT_THAT(best(), ElementsAre(kGpu, kGpu, kHost));
}

TEST_F(AssignmentTest, AHugeTensorKeepsItsReaderWhereItIs) {
  machines(2, {.per_byte = 1});
  const uint32_t huge = op({50, kCannot}, {input_}, 1000);
  output(op({900, 10}, {huge}));
  EXPECT_THAT(best(), ElementsAre(kHost, kHost));
  network_.values[huge].bytes = 100;
  EXPECT_THAT(best(), ElementsAre(kHost, kGpu));
}

TEST_F(AssignmentTest, ACheapIslandStaysBetweenTwoLayersOfAnAccelerator) {
  machines(2, {.per_byte = 1});
  const uint32_t first = op({500, 10}, {input_}, 40);
  const uint32_t island = op({1, 60}, {first}, 40);  // quicker on the host, but for the moves
  output(op({500, 10}, {island}));
  EXPECT_THAT(best(), ElementsAre(kGpu, kGpu, kGpu));
  network_.ops[1].costs[kGpu] = 100;
  EXPECT_THAT(best(), ElementsAre(kGpu, kHost, kGpu));
}

TEST_F(AssignmentTest, LatencyOutweighsBytes) {
  machines(2, {.latency = 100});
  uint32_t current = input_;
  for (int i = 0; i < 3; ++i) current = op({70, 10}, {current}, 1);
  output(current);
  EXPECT_THAT(best(), ElementsAre(kHost, kHost, kHost));  // saves 180, moves twice
  network_.ops.clear();
  network_.values.resize(1);
  current = input_;
  for (int i = 0; i < 4; ++i) current = op({70, 10}, {current}, 1);
  output(current);
  EXPECT_THAT(best(), ElementsAre(kGpu, kGpu, kGpu, kGpu));
}

TEST_F(AssignmentTest, ARunHasToBeWorthAStep) {
  machines(2, {}, 100);
  const uint32_t a = op({50, kCannot}, {input_});
  const uint32_t b = op({150, 10}, {a});
  output(op({50, kCannot}, {b}));
  EXPECT_THAT(best(), ElementsAre(kHost, kHost, kHost));
  network_.ops[1].costs[kHost] = 250;
  EXPECT_THAT(best(), ElementsAre(kHost, kGpu, kHost));
}

TEST_F(AssignmentTest, ADiamondMovesItsTopOnce) {
  machines(2, {.per_byte = 1});
  const uint32_t top = op({10, kCannot}, {input_}, 100);
  const uint32_t left = op({80, 10}, {top}, 10);
  const uint32_t right = op({80, 10}, {top}, 10);
  output(op({5, 20}, {left, right}));
  // Neither branch alone pays for moving the top; both do.
  EXPECT_THAT(best(), ElementsAre(kHost, kGpu, kGpu, kHost));
  network_.ops[2].costs[kGpu] = kCannot;
  EXPECT_THAT(best(), ElementsAre(kHost, kHost, kHost, kHost));
}

TEST_F(AssignmentTest, AResidualCountsAtItsSum) {
  machines(2, {.per_byte = 1});
  const uint32_t begin = op({15, 10}, {input_}, 60);
  const uint32_t body = op({200, 10}, {begin}, 20);
  const uint32_t sum = op({10, kCannot}, {begin, body}, 20);  // needs both on the host
  output(sum);
  // What the sum reads twice is made where the sum is; only the branch goes away and comes back.
  EXPECT_THAT(best(), ElementsAre(kHost, kGpu, kHost));
  network_.ops[2].costs[kGpu] = 10;
  EXPECT_THAT(best(), ElementsAre(kGpu, kGpu, kGpu));
}

TEST_F(AssignmentTest, ThreeMachinesShareANetwork) {
  machines(3, {.per_byte = 1});
  network_.transfers[kGpu][kNpu] = network_.transfers[kNpu][kGpu] = {.per_byte = 0.1};
  const uint32_t a = op({500, 20, 200}, {input_});
  const uint32_t b = op({500, 200, 20}, {a});
  const uint32_t c = op({500, 20, kCannot}, {b});
  output(op({5, 100, 100}, {c}));
  EXPECT_THAT(best(), ElementsAre(kGpu, kNpu, kGpu, kHost));
  // Without a short way between them, one of the two does all of it.
  network_.transfers[kGpu][kNpu] = network_.transfers[kNpu][kGpu] = {.latency = 200};
  EXPECT_THAT(best(), ElementsAre(kGpu, kGpu, kGpu, kHost));
}

TEST_F(AssignmentTest, AValueIsTakenFromTheNearestMemory) {
  machines(3, {.latency = 100});
  network_.transfers[kGpu][kNpu] = {.latency = 1};
  const uint32_t a = op({1, kCannot, kCannot}, {input_});
  op({kCannot, 1, kCannot}, {a});
  op({kCannot, kCannot, 1}, {a});  // from the GPU's copy
  EXPECT_EQ(costOf(network_, best()), 3 + 100 + 1);
}

TEST_F(AssignmentTest, MachinesOfOneMemoryMoveNothing) {
  machines(2, {.latency = 1000});
  network_.machines[kGpu].memory = kHost;
  output(op({100, 10}, {input_}));
  EXPECT_THAT(best(), ElementsAre(kGpu));
}

TEST_F(AssignmentTest, EqualCostsAreTheFirstMachines) {
  machines(3, {});
  output(op({10, 10, 10}, {op({10, 10, 10}, {input_})}));
  EXPECT_THAT(best(), ElementsAre(kHost, kHost));
}

TEST_F(AssignmentTest, NoCutOfARandomNetworkIsCheaper) {
  std::mt19937 random(11);
  const auto below = [&](uint32_t end) { return static_cast<int64_t>(random() % end); };
  for (int round = 0; round < 60; ++round) {
    network_ = {};
    machines(3, {}, below(40));
    for (auto& row : network_.transfers) {
      for (TransferCost& cost : row) cost = {below(50), 0.1 * static_cast<double>(below(20))};
    }
    std::vector<uint32_t> values = {input_};
    for (int i = 0; i < 7; ++i) {
      std::vector<uint32_t> operands = {values[static_cast<size_t>(below(4)) % values.size()],
                                        values.back()};
      std::vector<std::optional<int64_t>> costs = {below(100), below(100), below(100)};
      if (below(4) == 0) costs[static_cast<size_t>(below(3))] = kCannot;
      values.push_back(op(costs, operands, below(100)));
    }
    output(values.back());
    output(values[3]);
    best();
  }
}

/// More values at a time than all combinations could be kept of.
TEST_F(AssignmentTest, ManyBranchesAtATimeAreAssignedToo) {
  machines(2, {.per_byte = 1});
  std::vector<uint32_t> branches;
  for (int i = 0; i < 40; ++i) branches.push_back(op({100, 10}, {input_}, 20));
  output(op({10, 10}, branches, 20));
  const std::vector<uint32_t> all_on_host(41, kHost), all_on_gpu(41, kGpu);
  const std::vector<uint32_t> machines = assignMachines(network_);
  EXPECT_EQ(costOf(network_, machines), costOf(network_, all_on_gpu));
  EXPECT_LT(costOf(network_, all_on_gpu), costOf(network_, all_on_host));
}

}  // namespace
}  // namespace vta::placement
