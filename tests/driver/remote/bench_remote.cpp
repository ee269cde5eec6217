// One run of a module on a remote functional device, on the loopback, beside the same on a local
// one. Runs take turns, so that both have the same machine.
//
// bench_remote MODULE [REPETITIONS]: one JSON object, medians.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "driver/runtime/session.h"
#include "tests/driver/remote/loopback.h"

namespace vta::driver {
namespace {

TensorMap inputsOf(const ModuleInfo& info) {
  TensorMap inputs;
  for (const PortInfo& port : info.inputs) {
    const TensorInfo& tensor = info.tensors[port.tensor];
    inputs[port.name] = {tensor.dtype, tensor.shape, std::vector<std::byte>(tensor.size_bytes)};
  }
  return inputs;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// A session, and how long its runs take.
struct Lane {
  std::unique_ptr<Device> device;
  double session_seconds = 0;
  std::unique_ptr<Session> session;
  std::vector<double> seconds = {};
};

Result<Lane> makeLane(std::shared_ptr<const LoadedModule> module, const std::string& spec) {
  const Clock::time_point start = Clock::now();
  Lane lane;
  VTA_ASSIGN_OR_RETURN(lane.device, createDevice(spec, *module->hw()));
  VTA_ASSIGN_OR_RETURN(lane.session, Session::create(std::move(module), lane.device.get(), {}));
  lane.session_seconds = secondsSince(start);
  return lane;
}

Status run(const std::string& path, int repetitions) {
  VTA_ASSIGN_OR_RETURN(const auto module, LoadedModule::load(path));
  if (module->hw() == nullptr) return invalidArgument("the module runs nothing on a VTA");
  const remote::test::Loopback server("functional", {}, *module->hw());
  VTA_ASSIGN_OR_RETURN(Lane local, makeLane(module, "functional"));
  VTA_ASSIGN_OR_RETURN(Lane remote, makeLane(module, server.spec()));
  const TensorMap inputs = inputsOf(module->info());
  int64_t launches = 0;
  for (int i = 0; i <= repetitions; ++i) {
    for (Lane* const lane : {&local, &remote}) {
      const Clock::time_point start = Clock::now();
      VTA_ASSIGN_OR_RETURN(const RunResult result, lane->session->run(inputs));
      if (i > 0) lane->seconds.push_back(secondsSince(start));  // the first one warms up
      launches = std::ranges::count_if(result.profile, &StepProfile::is_launch);
    }
  }
  const double local_seconds = median(local.seconds);
  const double remote_seconds = median(remote.seconds);
  fmt::print(
      "{{\"launches\": {}, \"local_ms\": {:.3f}, \"remote_ms\": {:.3f}, \"ratio\": {:.3f}, "
      "\"more_us_per_launch\": {:.1f}, \"local_session_ms\": {:.3f}, \"remote_session_ms\": "
      "{:.3f}}}\n",
      launches, 1e3 * local_seconds, 1e3 * remote_seconds, remote_seconds / local_seconds,
      1e6 * (remote_seconds - local_seconds) / static_cast<double>(std::max<int64_t>(launches, 1)),
      1e3 * local.session_seconds, 1e3 * remote.session_seconds);
  return {};
}

}  // namespace
}  // namespace vta::driver

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_remote: MODULE [REPETITIONS]\n");
    return 2;
  }
  const vta::Status status = vta::driver::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 21);
  if (status.ok()) return 0;
  fmt::print(stderr, "bench_remote: {}\n", status.message());
  return 1;
}
