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
#include "driver/devices/registry.h"
#include "driver/loader.h"
#include "tests/benchmarks/functional/dot_peak.h"
#include "tests/benchmarks/functional/gemm_program.h"

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

/// Repeats the launch; `target` is a Highway target bit.
void runProgram(benchmark::State& state, int64_t target, const HwConfig& hw, const Program& program,
                double macs, const std::function<bool(Setup&)>& is_correct) {
  hwy::SetSupportedTargetsForTest(target);
  Result<Setup> setup = setUp(hw, program);
  if (!setup.ok()) return state.SkipWithError(setup.status().message().c_str());
  for (auto _ : state) {
    const Result<driver::Counters> counters = setup->program->run();
    if (!counters.ok()) return state.SkipWithError(counters.status().message().c_str());
  }
  if (is_correct && !is_correct(*setup)) return state.SkipWithError("the output is wrong");
  const auto launches = static_cast<double>(state.iterations());
  state.counters["gmac_per_s"] =
      benchmark::Counter(macs * 1e-9 * launches, benchmark::Counter::kIsRate);
  const double peak = dotPeakMacsPerSecond();
  state.counters["peak_gmac_per_s"] = peak * 1e-9;
  state.counters["percent_of_peak"] =
      benchmark::Counter(100.0 * macs * launches / peak, benchmark::Counter::kIsRate);
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

kernel::KernelDesc convolution(const std::string& name, int64_t channels_in, int64_t channels_out,
                               int64_t size, int64_t kernel, int64_t stride) {
  kernel::KernelDesc desc;
  desc.name = name;
  kernel::Geometry& g = desc.geometry;
  g.in_channel_blocks = channels_in / 16;
  g.out_channel_blocks = channels_out / 16;
  g.in_height = g.in_width = size;
  g.out_height = g.out_width = size / stride;
  g.kernel_height = g.kernel_width = kernel;
  g.stride_y = g.stride_x = stride;
  g.pad_top = g.pad_left = kernel / 2;
  g.pad_bottom = g.pad_right = kernel > stride ? (kernel - 1) / 2 : 0;
  if (stride == 2) g.pad_bottom = g.pad_right = kernel == 3 ? 0 : g.pad_bottom;
  desc.num_params = 2;
  using Source = kernel::EpilogueStep::Source;
  desc.epilogue = {{AluOpcode::kAdd, Source::kParam, 0, 0},
                   {AluOpcode::kQmul, Source::kParam, 20, 1},
                   {AluOpcode::kClip, Source::kImmediate, 0x7f00, 0}};
  return desc;
}

/// One layer of ResNet-18, lowered with its default schedule.
void registerConvolution(int64_t target, const kernel::KernelDesc& desc) {
  const HwConfig hw = HwConfig::makeDefault();
  const std::string name = desc.name + "/" + hwy::TargetName(target);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const auto schedule = kernel::defaultSchedule(desc, hw);
    if (!schedule.ok()) return state.SkipWithError(schedule.status().message().c_str());
    const auto program = kernel::lower(desc, *schedule, hw);
    if (!program.ok()) return state.SkipWithError(program.status().message().c_str());
    runProgram(state, target, hw, *program, static_cast<double>(desc.macs(hw)), nullptr);
  })->Unit(benchmark::kMillisecond);
}

void registerAll() {
  const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();  // best first
  for (const int64_t target : targets) {
    if (target == HWY_SCALAR) continue;  // plain C++, for odd geometries
    registerGemm(target, 1024);
  }
  for (const int64_t target : targets) {
    if (target != targets.front() && target != HWY_AVX2) continue;
    registerConvolution(target, convolution("conv3x3_64x64_56", 64, 64, 56, 3, 1));
    registerConvolution(target, convolution("conv3x3_128x128_28", 128, 128, 28, 3, 1));
    registerConvolution(target, convolution("conv3x3_256x256_14", 256, 256, 14, 3, 1));
    registerConvolution(target, convolution("conv3x3_512x512_7", 512, 512, 7, 3, 1));
    registerConvolution(target, convolution("conv3x3_64x128_56_s2", 64, 128, 56, 3, 2));
    registerConvolution(target, convolution("conv1x1_128x256_28_s2", 128, 256, 28, 1, 2));
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
