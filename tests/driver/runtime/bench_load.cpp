// How long a module takes from its file to its first result.
//
// bench_load MODULE [REPETITIONS]: one JSON object, milliseconds, the least of all repetitions.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <vector>

#include "base/clock.h"
#include "driver/device_registry.h"
#include "driver/runtime/session.h"

namespace vta::driver {
namespace {

struct Milliseconds {
  double read = std::numeric_limits<double>::infinity();
  double load = std::numeric_limits<double>::infinity();
  double session = std::numeric_limits<double>::infinity();
};

double millisecondsSince(Clock::time_point start) { return 1e3 * secondsSince(start); }

/// Reading alone: what loading is compared with.
Result<std::vector<char>> readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return notFound(fmt::format("cannot read '{}'", path));
  std::vector<char> bytes(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

Status measure(const std::string& path, Milliseconds& best) {
  Clock::time_point start = Clock::now();
  VTA_ASSIGN_OR_RETURN(const std::vector<char> bytes, readFile(path));
  best.read = std::min(best.read, millisecondsSince(start));
  start = Clock::now();
  VTA_ASSIGN_OR_RETURN(const auto module, LoadedModule::load(path));
  best.load = std::min(best.load, millisecondsSince(start));
  std::unique_ptr<Device> device;
  if (module->hw() != nullptr) {
    VTA_ASSIGN_OR_RETURN(device, createDevice("functional", *module->hw()));
  }
  start = Clock::now();
  VTA_ASSIGN_OR_RETURN(const auto session, Session::create(module, device.get(), {}));
  best.session = std::min(best.session, millisecondsSince(start));
  return {};
}

Status run(const std::string& path, int repetitions) {
  Milliseconds best;
  for (int i = 0; i < repetitions; ++i) VTA_RETURN_IF_ERROR(measure(path, best));
  fmt::print(
      "{{\"read_ms\": {:.3f}, \"load_ms\": {:.3f}, \"beyond_reading_ms\": {:.3f}, "
      "\"session_ms\": {:.3f}}}\n",
      best.read, best.load, std::max(0.0, best.load - best.read), best.session);
  return {};
}

}  // namespace
}  // namespace vta::driver

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_load: MODULE [REPETITIONS]\n");
    return 2;
  }
  const vta::Status status = vta::driver::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 20);
  if (status.ok()) return 0;
  fmt::print(stderr, "bench_load: {}\n", status.message());
  return 1;
}
