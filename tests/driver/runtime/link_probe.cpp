// A program that uses the runtime and a device and nothing else: dependencies_test looks at what it
// had to link.
#include <cstdio>

#include "driver/device_registry.h"
#include "driver/runtime/session.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto module = vta::driver::LoadedModule::load(argv[1]);
  if (!module.ok()) return std::printf("%s\n", module.status().message().c_str()), 1;
  const auto device = vta::driver::createDevice("functional", vta::HwConfig::makeDefault());
  if (!device.ok()) return 1;
  return vta::driver::Session::create(*module, device->get(), {}).ok() ? 0 : 1;
}
