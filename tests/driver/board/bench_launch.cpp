// The driver's own time for a launch: on a still board (still_board.h). Each register access on a
// board adds about 0.2 microseconds. The one system call that switches on the interrupt of UIO is
// missing here.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include "base/temporary_folder.h"
#include "driver/check_programs.h"
#include "driver/device_registry.h"
#include "driver/loader.h"
#include "tests/driver/board/still_board.h"

namespace vta::driver {
namespace {

constexpr uint64_t kMemoryBytes = 1 << 20;

void check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::abort();
}

void launch(benchmark::State& state) {
  const HwConfig hw = HwConfig::makeDefault();
  const TemporaryFolder folder = *TemporaryFolder::create("vta-bench");
  const auto spec = test::makeStillBoard(hw, folder.path(), kMemoryBytes);
  check(spec.status());
  auto device = createDevice(*spec, hw);
  check(device.status());
  const Program program = copyProgram(hw, 64);
  const uint64_t from = (*device)->allocate(4096, 4096)->address;
  const uint64_t addresses[] = {from, from};
  auto loaded = LoadedProgram::load(**device, program, addresses);
  for (auto _ : state) {
    check((*device)->flush(from, 1024));
    check(loaded->run().status());
    check((*device)->invalidate(from, 1024));
  }
}
BENCHMARK(launch)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace vta::driver

BENCHMARK_MAIN();
