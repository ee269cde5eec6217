// A client that runs launches on a server until it is killed.
#include <cstdio>

#include "driver/check_programs.h"
#include "driver/device_registry.h"
#include "driver/loader.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const vta::HwConfig hw = vta::HwConfig::makeDefault();
  const auto device = vta::driver::createDevice(argv[1], hw);
  if (!device.ok()) {
    std::fprintf(stderr, "%s\n", device.status().message().c_str());
    return 1;
  }
  constexpr uint64_t kMostOfIt = uint64_t{40} << 20;
  const auto memory = (*device)->allocate(kMostOfIt, 64);
  if (!memory.ok()) return 1;
  const uint64_t addresses[] = {memory->address, memory->address + kMostOfIt / 2};
  auto program =
      vta::driver::LoadedProgram::load(**device, vta::driver::copyProgram(hw, 4096), addresses);
  while (program.ok() && program->run().ok()) {
  }
  return 1;
}
