// How well the RTL uses its array and its bus, by its own counters, and how fast the Verilated core
// runs. `cycles/s`: simulated cycles in a second of one processor. `array`, `alu`: micro-ops a
// cycle. `bus_read`, `bus_write`: payload in each direction over what one beat a cycle carries.
// Memory: simple, 16 cycles. Names: stream/KIND/CONFIGURATION, and resnet18/LAYER/CONFIGURATION,
// LAYER being `all` for the whole network.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <random>
#include <vector>

#include "isa/instruction/encoding.h"
#include "sim/rtl/rtl_simulator.h"
#include "tests/benchmarks/rtl/streams.h"
#include "tests/compiler/kernel/cycles/network_program.h"
#include "tests/sim/functional/flat_dram.h"

namespace vta::bench {
namespace {

constexpr uint64_t kStreamAddress = 0x1000;
constexpr uint64_t kDataAddress = 0x40000;
constexpr uint64_t kResultAddress = 0x240000;
constexpr uint64_t kStreamMemoryBytes = 4 << 20;
constexpr const char* kLayer = "layer1.0.conv1";
constexpr const char* kWholeNetwork = "all";

/// A launch and the memory that it works on.
struct Workload {
  sim::test::FlatDram dram{{}};
  sim::RtlLaunch launch;
};

HwConfig config(const std::string& name) {
  return loadHwConfig(fmt::format("{}/configs/hw/{}.yaml", VTA_SOURCE_DIR, name)).value();
}

// Bytes that are not all alike, so that no multiplication is a special case.
std::vector<std::byte> randomBytes(uint64_t count) {
  std::vector<std::byte> bytes(count);
  std::mt19937_64 rng(1);
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    const uint64_t word = rng();
    std::memcpy(&bytes[i], &word, 8);
  }
  return bytes;
}

void put(sim::test::FlatDram& dram, uint64_t address, std::span<const std::byte> bytes) {
  std::memcpy(dram.bytes().data() + address, bytes.data(), bytes.size());
}

Result<Workload> streamWorkload(const HwConfig& hw, const std::string& kind) {
  Workload workload;
  workload.dram.bytes() = randomBytes(kStreamMemoryBytes);
  std::vector<std::byte> stream;
  const std::vector<Instruction> program = streamOf(kind, hw);
  for (const Instruction& insn : program) {
    VTA_RETURN_IF_ERROR(encodeInstruction(insn, hw, stream));
  }
  put(workload.dram, kStreamAddress, stream);
  put(workload.dram, kDataAddress, std::vector<std::byte>(4096));
  workload.launch = {kStreamAddress,
                     static_cast<uint32_t>(program.size()),
                     {kDataAddress, kDataAddress, kDataAddress, kDataAddress, kResultAddress}};
  return workload;
}

// ResNet-18 as the compiler partitions it, or one layer of it.
Result<Workload> networkWorkload(const HwConfig& hw, const std::string& layer) {
  using namespace kernel::testing;
  std::vector<NetworkLayer> layers = networks().at("resnet18")(hw);
  std::erase_if(layers, [&](const NetworkLayer& each) {
    return layer != kWholeNetwork && each.desc.name != layer;
  });
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(hw));
  VTA_ASSIGN_OR_RETURN(const std::vector<kernel::Schedule> schedules,
                       chooseSchedules(layers, hw, &timer));
  VTA_ASSIGN_OR_RETURN(const NetworkProgram network, lowerNetwork(layers, schedules, hw));
  const auto& [program, addresses] = network.launches.front();
  VTA_ASSIGN_OR_RETURN(
      const std::vector<std::byte> stream,
      encodeInstructionStream(program, hw, std::span(addresses).first(program.buffers.size())));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> uops, encodeUopStream(program, hw));
  Workload workload;
  workload.dram.bytes() = randomBytes(addresses.back() + stream.size());
  put(workload.dram, addresses.back(), stream);
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].kind == BufferKind::kUop) put(workload.dram, addresses[i], uops);
  }
  workload.launch = {
      addresses.back(), static_cast<uint32_t>(program.instructions.size()), {0, 0, 0, 0, 0}};
  return workload;
}

void report(benchmark::State& state, const sim::RtlOutcome& outcome, int bus_bytes,
            uint64_t cycles) {
  const auto launch = static_cast<double>(outcome.cycles);
  const auto unit = [&](int u, reg::UnitCounter counter) {
    return static_cast<double>(outcome.units[static_cast<size_t>(u)][static_cast<size_t>(counter)]);
  };
  double read = 0;
  for (int u = 0; u < 3; ++u) read += unit(u, reg::UnitCounter::kReadBytes);
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
  state.counters["cycles"] = launch;
  state.counters["array"] = static_cast<double>(outcome.gemm_uops) / launch;
  state.counters["alu"] = static_cast<double>(outcome.alu_uops) / launch;
  state.counters["bus_read"] = read / bus_bytes / launch;
  state.counters["bus_write"] = unit(3, reg::UnitCounter::kWriteBytes) / bus_bytes / launch;
}

void runWorkload(benchmark::State& state, const HwConfig& hw, Result<Workload> workload) {
  if (!workload.ok()) return state.SkipWithError(workload.status().message().c_str());
  auto simulator = sim::RtlSimulator::create(hw, workload->dram, sim::ModelCache::standard(), {});
  if (!simulator.ok()) return state.SkipWithError(simulator.status().message().c_str());
  sim::RtlOutcome outcome;
  const uint64_t before = (*simulator)->totalCycles();
  for (auto _ : state) {
    Result<sim::RtlOutcome> result = (*simulator)->run(workload->launch);
    if (!result.ok()) return state.SkipWithError(result.status().message().c_str());
    if (result->fault != reg::FaultCode::kNone) return state.SkipWithError("fault");
    outcome = *result;
  }
  report(state, outcome, hw.params().axi_data_width_bits / 8, (*simulator)->totalCycles() - before);
}

void registerStream(const std::string& kind, const std::string& name) {
  benchmark::RegisterBenchmark(fmt::format("stream/{}/{}", kind, name).c_str(),
                               [kind, name](benchmark::State& state) {
                                 const HwConfig hw = config(name);
                                 runWorkload(state, hw, streamWorkload(hw, kind));
                               })
      ->Unit(benchmark::kMillisecond);
}

void registerLayer(const std::string& layer, const std::string& name) {
  benchmark::RegisterBenchmark(fmt::format("resnet18/{}/{}", layer, name).c_str(),
                               [layer, name](benchmark::State& state) {
                                 const HwConfig hw = config(name);
                                 runWorkload(state, hw, networkWorkload(hw, layer));
                               })
      ->Unit(benchmark::kMillisecond);
}

const int kRegistered = [] {
  for (const char* name : {"default", "vta-0.0.2", "wide", "tiny-buffers", "small-1x8x8",
                           "batched-4x16x16", "large-1x32x32"}) {
    for (const char* kind : {"gemm", "alu", "load_inp", "load_wgt", "load_acc", "load_uop",
                             "load_acc8", "store", "mixed"}) {
      registerStream(kind, name);
    }
    registerLayer(kLayer, name);
  }
  registerLayer(kWholeNetwork, "default");
  return 0;
}();

}  // namespace
}  // namespace vta::bench

BENCHMARK_MAIN();
