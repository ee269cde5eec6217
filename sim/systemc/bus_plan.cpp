#include "sim/systemc/bus_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

#include "isa/spec/memory_ports.h"
#include "sim/cycle/common/transfer_rows.h"

namespace vta::sim {
namespace {

constexpr size_t kMasters = 4;

/// Bursts of one master through one port come in the order of its rows.
size_t streamOf(BusMaster master, int port) {
  return static_cast<size_t>(master) * kMostMemoryPorts + static_cast<size_t>(port);
}

BusMaster masterOf(const Instruction& insn) {
  switch (insn.unit()) {
    case Unit::kLoad:
      return BusMaster::kLoad;
    case Unit::kStore:
      return BusMaster::kStore;
    default:
      return BusMaster::kCompute;
  }
}

class BusPlanner {
 public:
  BusPlanner(const HwConfig& hw, const Recording& recording)
      : hw_(hw),
        log_beat_bytes_(
            std::countr_zero(static_cast<unsigned>(hw.params().axi_data_width_bits / 8))) {
    for (const BurstTimes& burst : recording.bursts) {
      bursts_[streamOf(burst.master, burst.port)].push_back(burst);
    }
  }

  // A master's bursts are recorded in the order in which its rows are walked.
  void addRow(uint64_t address, uint64_t size_bytes, BusMaster master, uint32_t instruction,
              int port) {
    const size_t m = streamOf(master, port);
    cycle::BurstWalker walker(hw_);
    walker.begin({address, size_bytes, 0, 1});
    while (!walker.done() && next_[m] < bursts_[m].size()) {
      const cycle::Burst burst = walker.next();
      const BurstTimes& times = bursts_[m][next_[m]++];
      const uint64_t begin = std::max(address, burst.address);
      const uint64_t end = std::min(address + size_bytes,
                                    burst.address + (uint64_t{burst.beats} << log_beat_bytes_));
      transfers_.push_back({begin, static_cast<uint32_t>(end - begin), master == BusMaster::kStore,
                            instruction, master, port, times.request_cycle, times.response_cycle});
    }
  }

  std::vector<BusTransfer> takeTransfers() { return std::move(transfers_); }

 private:
  const HwConfig& hw_;
  int log_beat_bytes_;
  std::array<std::vector<BurstTimes>, kMasters * kMostMemoryPorts> bursts_;
  std::array<size_t, kMasters * kMostMemoryPorts> next_{};
  std::vector<BusTransfer> transfers_;
};

}  // namespace

BusPlan planBus(const Stream& stream, uint64_t stream_address, uint64_t stream_bytes,
                const BaseAddresses& bases, const HwConfig& hw, const Recording& recording,
                uint64_t cycles) {
  BusPlanner planner(hw, recording);
  const MemoryPorts ports = memoryPorts(hw.params());
  planner.addRow(stream_address, stream_bytes, BusMaster::kFetch, 0, 0);
  BusPlan plan;
  for (uint32_t i = 0; i < stream.instructions.size(); ++i) {
    const Instruction& insn = stream.instructions[i];
    const InstructionTimes& times = recording.instructions[i];
    const bool is_store = insn.opcode == Opcode::kStore;
    const uint64_t executed = is_store ? times.started : times.retired;
    if (executed < cycles) plan.events.push_back({executed, BusEvent::Kind::kExecute, i});
    if (!is_store && insn.opcode != Opcode::kLoad) continue;
    const cycle::Rows rows = cycle::rowsOf(insn.mem(), bases, hw);
    for (uint32_t y = 0; y < rows.rows; ++y) {
      planner.addRow(rows.address + y * rows.stride_bytes, rows.row_bytes, masterOf(insn), i,
                     is_store ? ports.store : ports.ofLoad(insn.mem().memory_type));
    }
  }
  plan.transfers = planner.takeTransfers();
  for (BusTransfer& transfer : plan.transfers) {
    if (transfer.master != BusMaster::kFetch) continue;
    const uint64_t offset = transfer.address - stream_address;
    transfer.instruction =
        static_cast<uint32_t>(offset / static_cast<uint64_t>(hw.instructionBytes()));
  }
  for (uint32_t i = 0; i < plan.transfers.size(); ++i) {
    plan.events.push_back({plan.transfers[i].request_cycle, BusEvent::Kind::kTransfer, i});
  }
  // Instructions of one unit keep the program's order; units and the bus meet in later cycles only.
  // Of one cycle ports come in their order, and of a port reads before writes, as the memory takes
  // them.
  std::ranges::stable_sort(plan.events, {}, [&](const BusEvent& event) {
    if (event.kind != BusEvent::Kind::kTransfer) return std::tuple(event.cycle, 0, false);
    const BusTransfer& transfer = plan.transfers[event.index];
    return std::tuple(event.cycle, transfer.port, transfer.is_write);
  });
  return plan;
}

}  // namespace vta::sim
