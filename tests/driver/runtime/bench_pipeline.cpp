// Samples a second of a module on the functional simulator: with one lane whose steps run one after
// the other or beside each other, with two lanes, and with as many as pay.
// bench_pipeline MODULE [SAMPLES]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "driver/devices/functional_device.h"
#include "driver/runtime/pipeline.h"

namespace vta::driver {
namespace {

Result<double> samplesPerSecond(Pipeline& pipeline, int64_t samples) {
  const auto source = [&](int64_t) -> Result<Pipeline::Input> {
    Pipeline::Input input;
    const ModuleInfo& info = pipeline.module().info();
    for (const PortInfo& port : info.inputs) {
      const TensorInfo& tensor = info.tensors[port.tensor];
      input.tensors[port.name] = {tensor.dtype, tensor.shape,
                                  std::vector<std::byte>(tensor.size_bytes)};
    }
    return input;
  };
  const auto sink = [](int64_t, const Pipeline::Input&, const RunResult&) -> Status { return {}; };
  const auto start = std::chrono::steady_clock::now();
  VTA_RETURN_IF_ERROR(pipeline.run(samples, source, sink));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return static_cast<double>(samples) / elapsed.count();
}

Status run(const std::string& file, int64_t samples) {
  VTA_ASSIGN_OR_RETURN(const auto module, LoadedModule::load(file));
  std::unique_ptr<Device> device;
  if (module->hw()) {
    VTA_ASSIGN_OR_RETURN(device, FunctionalDevice::create(*module->hw(), {}));
  }
  struct Way {
    const char* name;
    int lanes;
    bool overlap;
  };
  constexpr Way kWays[] = {{"one lane, one step after the other", 1, false},
                           {"one lane", 1, true},
                           {"two lanes", 2, true},
                           {"lanes as measured", Pipeline::kMeasured, true}};
  double first = 0;
  for (const Way& way : kWays) {
    SessionOptions options;
    options.overlap = way.overlap;
    VTA_ASSIGN_OR_RETURN(const auto pipeline,
                         Pipeline::create(module, device.get(), options, way.lanes));
    double best = 0;
    constexpr int kRepetitions = 5;
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      VTA_ASSIGN_OR_RETURN(const double rate, samplesPerSecond(*pipeline, samples));
      best = std::max(best, rate);
    }
    if (first == 0) first = best;
    fmt::print("{}: {:.1f} samples/s, {:.1f} us each, {:.2f} of the first ({} lanes)\n", way.name,
               best, 1e6 / best, best / first, pipeline->lanes());
  }
  return {};
}

}  // namespace
}  // namespace vta::driver

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_pipeline: MODULE [SAMPLES]\n");
    return 2;
  }
  const int64_t samples = argc > 2 ? std::atoll(argv[2]) : 32;
  const vta::Status status = vta::driver::run(argv[1], samples);
  if (status.ok()) return 0;
  fmt::print(stderr, "bench_pipeline: {}\n", status.message());
  return 1;
}
