// Speed of the functional simulator. Each benchmark exists for every instruction-set target of this
// machine: --benchmark_filter=AVX2 runs the AVX2 ones. Beside GMAC/s stands the peak of the
// target's dot-product instruction, measured in the same run.
#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "driver/device_registry.h"
#include "driver/loader.h"
#include "tests/benchmarks/functional/dot_peak.h"
#include "tests/benchmarks/functional/gemm_program.h"
#include "tests/compiler/kernel/resnet18.h"

namespace vta::bench {
namespace {

using driver::Device;
using driver::LoadedProgram;

/// A program on its own functional device, its buffers filled with random bytes.
struct Setup {
  std::unique_ptr<Device> device;
  std::vector<uint64_t> addresses;  // of the program's buffers
  std::vector<std::vector<int8_t>> data;
  std::unique_ptr<LoadedProgram> program;
};

Result<Setup> setUp(const HwConfig& hw, const Program& program) {
  Setup setup;
  VTA_ASSIGN_OR_RETURN(setup.device, driver::createDevice("functional", hw));
  std::mt19937 rng(1);
  for (const BufferDecl& decl : program.buffers) {
    VTA_ASSIGN_OR_RETURN(const driver::DeviceBuffer buffer,
                         setup.device->allocate(decl.size_bytes, 4096));
    setup.addresses.push_back(buffer.address);
    std::vector<int8_t>& bytes = setup.data.emplace_back(decl.size_bytes);
    for (int8_t& byte : bytes) byte = static_cast<int8_t>(rng());
    VTA_RETURN_IF_ERROR(setup.device->write(buffer.address, std::as_bytes(std::span(bytes))));
  }
  VTA_ASSIGN_OR_RETURN(LoadedProgram loaded,
                       LoadedProgram::load(*setup.device, program, setup.addresses));
  setup.program = std::make_unique<LoadedProgram>(std::move(loaded));
  return setup;
}

/// Samples of the GEMM program's output against a plain dot product.
bool gemmIsCorrect(Setup& setup, uint32_t size) {
  std::vector<int8_t> out(uint64_t{size} * size);
  if (!setup.device->read(setup.addresses[4], std::as_writable_bytes(std::span(out))).ok()) {
    return false;
  }
  const std::vector<int8_t>& inp = setup.data[1];
  const std::vector<int8_t>& wgt = setup.data[2];
  const auto* bias = reinterpret_cast<const int32_t*>(setup.data[3].data());
  const uint32_t blocks = size / 16;
  std::mt19937 rng(2);
  for (int sample = 0; sample < 1000; ++sample) {
    const uint32_t row = rng() % size;
    const uint32_t col = rng() % size;
    auto sum = static_cast<uint32_t>(bias[col]);
    for (uint32_t k = 0; k < size; ++k) {
      const int x = inp[(uint64_t{k / 16} * size + row) * 16 + k % 16];
      const int w = wgt[((uint64_t{col / 16} * blocks + k / 16) * 16 + col % 16) * 16 + k % 16];
      sum += static_cast<uint32_t>(x * w);
    }
    const int expected = std::clamp(static_cast<int32_t>(sum) >> kShift, kLow, kHigh);
    if (out[(uint64_t{col / 16} * size + row) * 16 + col % 16] != expected) return false;
  }
  return true;
}

/// Counters of a benchmark whose iteration does `macs` multiply-accumulates.
void report(benchmark::State& state, double macs) {
  if (macs == 0) return;
  const auto launches = static_cast<double>(state.iterations());
  state.counters["gmac_per_s"] =
      benchmark::Counter(macs * 1e-9 * launches, benchmark::Counter::kIsRate);
  const double peak = dotPeakMacsPerSecond();
  state.counters["peak_gmac_per_s"] = peak * 1e-9;
  state.counters["percent_of_peak"] =
      benchmark::Counter(100.0 * macs * launches / peak, benchmark::Counter::kIsRate);
}

/// Repeats the launch; `target` is a Highway target bit.
void runProgram(benchmark::State& state, int64_t target, const HwConfig& hw, const Program& program,
                double macs, const std::function<bool(Setup&)>& is_correct) {
  hwy::SetSupportedTargetsForTest(target);
  Result<Setup> setup = setUp(hw, program);
  if (!setup.ok()) return state.SkipWithError(setup.status().message().c_str());
  for (auto _ : state) {
    const Result<LaunchCounters> counters = setup->program->run();
    if (!counters.ok()) return state.SkipWithError(counters.status().message().c_str());
  }
  if (is_correct && !is_correct(*setup)) return state.SkipWithError("the output is wrong");
  report(state, macs);
  hwy::SetSupportedTargetsForTest(0);
}

void registerGemm(int64_t target, uint32_t size) {
  const HwConfig hw = HwConfig::makeDefault();
  const double macs = 1.0 * size * size * size;
  const std::string name = "gemm" + std::to_string(size) + "/" + hwy::TargetName(target);
  const Program program = gemmProgram(hw, size);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    runProgram(state, target, hw, program, macs,
               [=](Setup& setup) { return gemmIsCorrect(setup, size); });
  })->Unit(benchmark::kMillisecond);
}

/// A layer of ResNet-18 with its default schedule.
Result<Program> lowerLayer(const kernel::KernelDesc& desc, const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule, kernel::defaultSchedule(desc, hw));
  return kernel::lower(desc, schedule, hw);
}

void registerLayer(int64_t target, const kernel::KernelDesc& desc) {
  const HwConfig hw = HwConfig::makeDefault();
  const std::string name = "resnet18/" + desc.name + "/" + hwy::TargetName(target);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const Result<Program> program = lowerLayer(desc, hw);
    if (!program.ok()) return state.SkipWithError(program.status().message().c_str());
    runProgram(state, target, hw, *program, static_cast<double>(desc.macs(hw)), nullptr);
  })->Unit(benchmark::kMillisecond);
}

/// How often ResNet-18 has the kernel.
int layerCount(const std::string& name) {
  return name == "layer1.conv" || name.ends_with(".conv_add") ? 2 : 1;
}

/// Everything of ResNet-18 that runs on the accelerator, layer after layer.
void runResnet18(benchmark::State& state, int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  const HwConfig hw = HwConfig::makeDefault();
  std::vector<Setup> layers;
  double macs = 0;
  for (const kernel::KernelDesc& desc : kernel::testing::resnet18Kernels(hw)) {
    const Result<Program> program = lowerLayer(desc, hw);
    if (!program.ok()) return state.SkipWithError(program.status().message().c_str());
    for (int i = 0; i < layerCount(desc.name); ++i) {
      Result<Setup> setup = setUp(hw, *program);
      if (!setup.ok()) return state.SkipWithError(setup.status().message().c_str());
      layers.push_back(*std::move(setup));
      macs += static_cast<double>(desc.macs(hw));
    }
  }
  for (auto _ : state) {
    for (Setup& layer : layers) {
      const Result<LaunchCounters> counters = layer.program->run();
      if (!counters.ok()) return state.SkipWithError(counters.status().message().c_str());
    }
  }
  report(state, macs);
  hwy::SetSupportedTargetsForTest(0);
}

void registerAll() {
  const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();  // best first
  for (const int64_t target : targets) {
    if (target == HWY_SCALAR) continue;  // plain C++, for odd geometries
    registerGemm(target, 1024);
  }
  for (const int64_t target : targets) {
    if (target != targets.front() && target != HWY_AVX2) continue;
    const std::string name = std::string("resnet18/") + hwy::TargetName(target);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      runResnet18(state, target);
    })->Unit(benchmark::kMillisecond);
    if (target != targets.front()) continue;
    for (const auto& desc : kernel::testing::resnet18Kernels(HwConfig::makeDefault())) {
      registerLayer(target, desc);
    }
  }
}

}  // namespace
}  // namespace vta::bench

int main(int argc, char** argv) {
  vta::bench::registerAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
