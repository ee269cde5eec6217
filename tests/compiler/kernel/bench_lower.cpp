// Lowering one kernel with one schedule, the inner loop of a tuner: the layers of ResNet-18 on the
// default configuration, each with its default schedule. `lower/` gives the program, `encode/` its
// bits too; `search/` is the choice of the default schedule.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdio>
#include <memory>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/cost_model.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "tests/compiler/kernel/resnet18.h"

namespace vta::kernel::testing {
namespace {

struct Case {
  HwConfig hw;
  KernelDesc desc;
  Schedule schedule;
};

void benchLower(benchmark::State& state, const Case& c) {
  size_t instructions = 0;
  for (auto _ : state) {
    Result<Program> program = lower(c.desc, c.schedule, c.hw);
    instructions = program->instructions.size();
    benchmark::DoNotOptimize(program);
  }
  const CostEstimate cost = estimateCost(c.desc, c.schedule, c.hw);
  state.counters["instructions"] = static_cast<double>(instructions);
  state.counters["estimated_cycles"] = cost.cycles;
  state.counters["gemm_share"] = static_cast<double>(c.desc.macs(c.hw)) /
                                 (c.hw.batch() * c.hw.blockIn() * c.hw.blockOut()) / cost.cycles;
  state.SetLabel(c.schedule.toString());
}

void benchEncode(benchmark::State& state, const Case& c) {
  for (auto _ : state) {
    const Result<Program> program = lower(c.desc, c.schedule, c.hw);
    const std::vector<uint64_t> addresses(program->buffers.size(), 0);
    auto instructions = encodeInstructionStream(*program, c.hw, addresses);
    auto uops = encodeUopStream(*program, c.hw);
    benchmark::DoNotOptimize(instructions);
    benchmark::DoNotOptimize(uops);
  }
}

void benchSearch(benchmark::State& state, const Case& c) {
  for (auto _ : state) {
    Result<Schedule> schedule = defaultSchedule(c.desc, c.hw);
    benchmark::DoNotOptimize(schedule);
  }
}

bool registerCases() {
  const HwConfig hw = HwConfig::makeDefault();
  for (const KernelDesc& desc : resnet18Kernels(hw)) {
    const Result<Schedule> schedule = defaultSchedule(desc, hw);
    if (!schedule.ok()) {
      std::fprintf(stderr, "%s\n", schedule.status().message().c_str());
      return false;
    }
    const auto c = std::make_shared<Case>(Case{hw, desc, *schedule});
    const auto add = [&](const char* prefix, void (*run)(benchmark::State&, const Case&)) {
      benchmark::RegisterBenchmark((prefix + desc.name).c_str(), [c, run](benchmark::State& state) {
        run(state, *c);
      })->Unit(benchmark::kMicrosecond);
    };
    add("lower/", benchLower);
    add("encode/", benchEncode);
    add("search/", benchSearch);
  }
  return true;
}

}  // namespace
}  // namespace vta::kernel::testing

int main(int argc, char** argv) {
  // A process that lowers in a loop keeps its heap: by default every freed program's pages go back
  // to the system, and a third of the time is spent on getting them again.
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_MMAP_THRESHOLD, 256 << 20);
  if (!vta::kernel::testing::registerCases()) return 1;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
