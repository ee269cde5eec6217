// The plan of a launch's bursts against its instructions and what the cycle model recorded.
#include "sim/systemc/bus_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sim/cycle/cycle_model.h"
#include "sim/functional/dma_engine.h"
#include "sim/random/program_image.h"
#include "sim/random/random_program.h"

namespace vta::sim {
namespace {

struct Planned {
  HwConfig hw = HwConfig::makeDefault();
  ProgramImage image;
  Stream stream;
  Recording recording;
  uint64_t cycles = 0;
  BusPlan plan;
};

Planned planRandom(uint64_t seed) {
  Planned planned;
  Rng rng(seed);
  planned.image = *makeImage(randomProgram(planned.hw, rng), planned.hw, rng);
  ImageDram dram(planned.image);
  const auto bytes = streamOf(planned.image, planned.hw);
  const auto model = *CycleModel::create(planned.hw, {});
  planned.cycles = model
                       ->run(bytes, planned.image.instruction_address, planned.image.bases, dram,
                             &planned.recording)
                       .counters.cycles;
  StreamCache streams;
  planned.stream = streams.find(bytes, planned.hw);
  planned.plan = planBus(planned.stream, planned.image.instruction_address, bytes.size(),
                         planned.image.bases, planned.hw, planned.recording, planned.cycles);
  return planned;
}

TEST(BusPlanTest, TransfersMoveExactlyTheBytesOfEachInstruction) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Planned planned = planRandom(seed);
    EXPECT_EQ(planned.plan.transfers.size(), planned.recording.bursts.size());
    std::map<std::pair<uint32_t, bool>, uint64_t> moved;  // by instruction; true: its fetch
    uint64_t fetched = 0;
    for (const BusTransfer& transfer : planned.plan.transfers) {
      EXPECT_LT(transfer.request_cycle, transfer.response_cycle);
      EXPECT_LT(transfer.response_cycle, planned.cycles);
      EXPECT_EQ(transfer.is_write, transfer.master == BusMaster::kStore);
      EXPECT_EQ(transfer.address / 4096, (transfer.address + transfer.size_bytes - 1) / 4096);
      if (transfer.master == BusMaster::kFetch) {
        fetched += transfer.size_bytes;
      } else {
        moved[{transfer.instruction, false}] += transfer.size_bytes;
      }
    }
    EXPECT_EQ(fetched, streamOf(planned.image, planned.hw).size());
    for (uint32_t i = 0; i < planned.stream.instructions.size(); ++i) {
      const Instruction& insn = planned.stream.instructions[i];
      const bool moves = insn.opcode == Opcode::kLoad || insn.opcode == Opcode::kStore;
      const uint64_t wanted = !moves ? 0
                                     : uint64_t{insn.mem().y_size} * insn.mem().x_size *
                                           planned.hw.elemBytes(insn.mem().memory_type);
      EXPECT_EQ((moved[{i, false}]), wanted) << "instruction " << i;
    }
  }
}

TEST(BusPlanTest, EventsAreInTheOrderOfTimeWritesLast) {
  const Planned planned = planRandom(3);
  const auto is_write = [&](const BusEvent& event) {
    return event.kind == BusEvent::Kind::kTransfer && planned.plan.transfers[event.index].is_write;
  };
  EXPECT_TRUE(std::ranges::is_sorted(planned.plan.events, {}, [&](const BusEvent& event) {
    return std::pair(event.cycle, is_write(event));
  }));
  EXPECT_TRUE(std::ranges::any_of(planned.plan.events, is_write));
}

TEST(BusPlanTest, LoadsAreComputedWhenTheyRetireAndStoresWhenTheyStart) {
  const Planned planned = planRandom(5);
  std::vector<int> executed(planned.stream.instructions.size());
  for (const BusEvent& event : planned.plan.events) {
    if (event.kind != BusEvent::Kind::kExecute) continue;
    ++executed[event.index];
    const InstructionTimes& times = planned.recording.instructions[event.index];
    const bool is_store = planned.stream.instructions[event.index].opcode == Opcode::kStore;
    EXPECT_EQ(event.cycle, is_store ? times.started : times.retired);
    // All that a LOAD reads is there, nothing of a STORE is on the bus.
    for (const BusTransfer& transfer : planned.plan.transfers) {
      if (transfer.instruction != event.index || transfer.master == BusMaster::kFetch) continue;
      if (is_store) {
        EXPECT_LT(event.cycle, transfer.request_cycle);
      } else {
        EXPECT_GE(event.cycle, transfer.response_cycle);
      }
    }
  }
  EXPECT_TRUE(std::ranges::all_of(executed, [](int count) { return count == 1; }));
}

TEST(BusPlanTest, WhatDoesNotHappenIsNotPlanned) {
  Planned planned = planRandom(7);
  // A launch that ended after half of its cycles.
  planned.recording.bursts.resize(planned.recording.bursts.size() / 2);
  for (InstructionTimes& times : planned.recording.instructions) {
    if (times.retired >= planned.cycles / 2) times.retired = InstructionTimes::kNever;
    if (times.started >= planned.cycles / 2) times.started = InstructionTimes::kNever;
  }
  const BusPlan plan = planBus(planned.stream, planned.image.instruction_address,
                               streamOf(planned.image, planned.hw).size(), planned.image.bases,
                               planned.hw, planned.recording, planned.cycles / 2);
  EXPECT_EQ(plan.transfers.size(), planned.recording.bursts.size());
  EXPECT_LT(plan.events.size(), planned.plan.events.size());
}

}  // namespace
}  // namespace vta::sim
