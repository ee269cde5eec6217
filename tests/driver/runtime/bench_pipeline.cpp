// Samples a second of a module: with one lane whose steps run one after the other or beside each
// other, with two lanes, and with as many as pay. On the functional simulator, which shares the
// processors with the host steps; or, as beside a board, on an accelerator of MHZ that takes the
// cycle simulator's cycles and no processor (its results mean nothing):
// bench_pipeline MODULE [SAMPLES [MHZ [THREADS]]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "driver/devices/cycle_device.h"
#include "driver/devices/functional_device.h"
#include "driver/runtime/pipeline.h"

namespace vta::driver {
namespace {

/// Takes the time that a launch has on the cycle simulator, which runs it once.
class PacedDevice final : public Device {
 public:
  PacedDevice(std::unique_ptr<Device> timing, double mhz) : timing_(std::move(timing)), mhz_(mhz) {}
  const DeviceInfo& info() const override { return timing_->info(); }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override {
    return timing_->allocate(size_bytes, alignment_bytes);
  }
  Status free(const DeviceBuffer& buffer) override { return timing_->free(buffer); }
  Status write(uint64_t address, std::span<const std::byte> data) override {
    return timing_->write(address, data);
  }
  Status read(uint64_t address, std::span<std::byte> data) override {
    return timing_->read(address, data);
  }
  std::byte* map(const DeviceBuffer& buffer) override { return timing_->map(buffer); }
  Status submit(const Launch& launch) override {
    start_ = Clock::now();
    current_ = launch.instruction_address;
    return results_.contains(current_) ? Status() : timing_->submit(launch);
  }
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) override {
    if (!results_.contains(current_)) {
      VTA_ASSIGN_OR_RETURN(results_[current_], timing_->wait(timeout));
    }
    const LaunchResult& result = results_[current_];
    const std::chrono::duration<double, std::micro> us(static_cast<double>(result.counters.cycles) /
                                                       mhz_);
    std::this_thread::sleep_until(start_ + std::chrono::duration_cast<Clock::duration>(us));
    return result;
  }
  Status reset() override { return timing_->reset(); }

 private:
  using Clock = std::chrono::steady_clock;
  std::unique_ptr<Device> timing_;
  double mhz_;
  Clock::time_point start_;
  uint64_t current_ = 0;
  std::map<uint64_t, LaunchResult> results_;  // by address: programs stay where they are
};

Result<std::unique_ptr<Device>> makeDevice(const HwConfig& hw, double mhz) {
  if (mhz == 0) return FunctionalDevice::create(hw, {});
  VTA_ASSIGN_OR_RETURN(auto timing, CycleDevice::create(hw, {}));
  return std::unique_ptr<Device>(std::make_unique<PacedDevice>(std::move(timing), mhz));
}

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

Status run(const std::string& file, int64_t samples, double mhz, int threads) {
  VTA_ASSIGN_OR_RETURN(const auto module, LoadedModule::load(file));
  if (!module->hw()) return invalidArgument("the module runs nothing on a VTA");
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
    VTA_ASSIGN_OR_RETURN(const auto device, makeDevice(*module->hw(), mhz));
    SessionOptions options;
    options.overlap = way.overlap;
    options.num_threads = threads;
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
    fmt::print(stderr, "bench_pipeline: MODULE [SAMPLES [MHZ [THREADS]]]\n");
    return 2;
  }
  const int64_t samples = argc > 2 ? std::atoll(argv[2]) : 32;
  const double mhz = argc > 3 ? std::atof(argv[3]) : 0;
  const int threads = argc > 4 ? std::atoi(argv[4]) : 0;
  const vta::Status status = vta::driver::run(argv[1], samples, mhz, threads);
  if (status.ok()) return 0;
  fmt::print(stderr, "bench_pipeline: {}\n", status.message());
  return 1;
}
