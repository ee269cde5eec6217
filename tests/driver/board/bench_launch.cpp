// The driver's own time for a launch: on files that stand for a board whose launches have ended
// before they begin, so that only the driver and the kernel's system calls take time. Each register
// access on a board adds about 0.2 microseconds. The registers are in a file that stands for
// /dev/mem: a file cannot stand for UIO, since switching on its interrupt would write into the
// registers. So the one system call for that is missing here.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "driver/check_programs.h"
#include "driver/device_registry.h"
#include "driver/loader.h"
#include "isa/registers/identity.h"
#include "isa/registers/registers.h"
#include "sim/board/board_files.h"

namespace vta::driver {
namespace {

constexpr uint64_t kMemoryBytes = 1 << 20;
constexpr uint64_t kRegistersAddress = 0x10'0000;

void check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::abort();
}

/// Writes the files of a board, and registers that say what they have to.
void makeDeadBoard(const HwConfig& hw, const std::filesystem::path& folder) {
  sim::VirtualBoardOptions options;
  options.folder = folder;
  options.memory_bytes = kMemoryBytes;
  check(sim::makeBoardFiles(options));
  const HardwareIdentity identity = identityOf(hw);
  std::vector<uint32_t> words(1024);
  words[reg::kId / 4] = identity.id;
  words[reg::kVersion / 4] = identity.version;
  words[reg::kFingerprint / 4] = static_cast<uint32_t>(identity.fingerprint);
  words[reg::kFingerprint / 4 + 1] = static_cast<uint32_t>(identity.fingerprint >> 32);
  words[reg::kConfig / 4] = identity.config;
  words[reg::kDepths / 4] = identity.depths;
  words[reg::kExtensions / 4] = identity.extension_bits;
  words[reg::kStatus / 4] = reg::kStatusDone;
  constexpr std::streamsize kWordsBytes = 4096;
  std::ofstream registers(options.folder / "dev/mem", std::ios::binary);
  registers.seekp(kRegistersAddress);
  registers.write(reinterpret_cast<const char*>(words.data()), kWordsBytes);
  registers.close();
  std::ofstream(options.folder / "dev/udmabuf0").close();
  std::filesystem::resize_file(options.folder / "dev/udmabuf0", kMemoryBytes);
}

void launch(benchmark::State& state) {
  const HwConfig hw = HwConfig::makeDefault();
  const TemporaryFolder folder = *TemporaryFolder::create("vta-bench");
  makeDeadBoard(hw, folder.path());
  auto device = createDevice("zynq:registers=0x100000,root=" + folder.path().string(), hw);
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
