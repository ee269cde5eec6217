// Speed of the cycle simulator: what the accelerator executes of ResNet-18, layer after layer, on
// the default configuration. `latency` repeats it with memories of other latencies. ResNet-50 for
// memory: peak_MB is that of the whole process, so run it alone
// (--benchmark_filter=resnet50Timing).
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "driver/devices/cycle_device.h"
#include "driver/loader.h"
#include "tests/compiler/kernel/cycles/networks.h"
#include "tests/compiler/kernel/resnet18.h"

namespace vta::bench {
namespace {

using driver::Device;
using driver::LoadedProgram;

/// How often ResNet-18 has the kernel.
int layerCount(const std::string& name) {
  return name == "layer1.conv" || name.ends_with(".conv_add") ? 2 : 1;
}

struct Network {
  std::unique_ptr<Device> device;
  std::vector<LoadedProgram> layers;
};

Result<LoadedProgram> loadLayer(Device& device, const kernel::KernelDesc& desc) {
  const HwConfig& hw = device.info().hw;
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule, kernel::defaultSchedule(desc, hw));
  VTA_ASSIGN_OR_RETURN(Program program, kernel::lower(desc, schedule, hw));
  std::vector<uint64_t> addresses;
  for (const BufferDecl& decl : program.buffers) {
    VTA_ASSIGN_OR_RETURN(const driver::DeviceBuffer buffer, device.allocate(decl.size_bytes, 4096));
    addresses.push_back(buffer.address);
  }
  return LoadedProgram::load(device, std::move(program), addresses);
}

Result<Network> makeResnet18(const driver::CycleDeviceOptions& options) {
  const HwConfig hw = HwConfig::makeDefault();
  Network network;
  VTA_ASSIGN_OR_RETURN(network.device, driver::CycleDevice::create(hw, options));
  for (const kernel::KernelDesc& desc : kernel::testing::resnet18Kernels(hw)) {
    for (int i = 0; i < layerCount(desc.name); ++i) {
      VTA_ASSIGN_OR_RETURN(LoadedProgram layer, loadLayer(*network.device, desc));
      network.layers.push_back(std::move(layer));
    }
  }
  return network;
}

Result<Network> makeResnet50(const driver::CycleDeviceOptions& options) {
  const HwConfig hw = HwConfig::makeDefault();
  Network network;
  VTA_ASSIGN_OR_RETURN(network.device, driver::CycleDevice::create(hw, options));
  for (const kernel::testing::NetworkLayer& layer :
       kernel::testing::networks().at("resnet50")(hw)) {
    VTA_ASSIGN_OR_RETURN(LoadedProgram loaded, loadLayer(*network.device, layer.desc));
    network.layers.push_back(std::move(loaded));
  }
  return network;
}

double peakMegabytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void runNetwork(benchmark::State& state, Result<Network> network) {
  if (!network.ok()) return state.SkipWithError(network.status().message().c_str());
  uint64_t cycles = 0;
  uint64_t instructions = 0;
  for (auto _ : state) {
    cycles = instructions = 0;
    for (LoadedProgram& layer : network->layers) {
      const Result<LaunchCounters> counters = layer.run();
      if (!counters.ok()) return state.SkipWithError(counters.status().message().c_str());
      cycles += counters->cycles;
      instructions += counters->fetch.instructions;
    }
  }
  state.counters["cycles"] = static_cast<double>(cycles);
  state.counters["instructions"] = static_cast<double>(instructions);
  state.counters["cycles_per_s"] =
      benchmark::Counter(static_cast<double>(cycles * static_cast<uint64_t>(state.iterations())),
                         benchmark::Counter::kIsRate);
  state.counters["peak_MB"] = peakMegabytes();
}

driver::CycleDeviceOptions timingOnly() {
  driver::CycleDeviceOptions options;
  options.timing_only = true;
  return options;
}

void resnet18TimingOnly(benchmark::State& state) { runNetwork(state, makeResnet18(timingOnly())); }
BENCHMARK(resnet18TimingOnly)->Unit(benchmark::kMillisecond);

void resnet18WithValues(benchmark::State& state) { runNetwork(state, makeResnet18({})); }
BENCHMARK(resnet18WithValues)->Unit(benchmark::kMillisecond);

void resnet18Latency(benchmark::State& state) {
  driver::CycleDeviceOptions options = timingOnly();
  options.dram.simple.latency_cycles = static_cast<int>(state.range(0));
  runNetwork(state, makeResnet18(options));
}
BENCHMARK(resnet18Latency)->RangeMultiplier(2)->Range(16, 512)->Unit(benchmark::kMillisecond);

void resnet18Ddr(benchmark::State& state) {
  driver::CycleDeviceOptions options = timingOnly();
  const auto dram = sim::resolveMemoryConfig("DDR3-1066");
  if (!dram.ok()) return state.SkipWithError(dram.status().message().c_str());
  options.dram = *dram;
  runNetwork(state, makeResnet18(options));
}
BENCHMARK(resnet18Ddr)->Unit(benchmark::kMillisecond);

void resnet50TimingOnly(benchmark::State& state) { runNetwork(state, makeResnet50(timingOnly())); }
BENCHMARK(resnet50TimingOnly)->Unit(benchmark::kMillisecond);

void resnet50WithValues(benchmark::State& state) { runNetwork(state, makeResnet50({})); }
BENCHMARK(resnet50WithValues)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vta::bench

BENCHMARK_MAIN();
