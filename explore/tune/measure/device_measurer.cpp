#include "explore/tune/measure/device_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/kernel/lower.h"
#include "driver/loader.h"
#include "isa/config/dram_alignment.h"

namespace vta::tune {
namespace {

/// Memory for the buffers of one program after the other.
class TrialBuffers {
 public:
  explicit TrialBuffers(driver::Device& device) : device_(device) {}
  ~TrialBuffers() {
    // Nobody is left to tell.
    for (const driver::DeviceBuffer& buffer : buffers_) {
      if (buffer.size_bytes > 0) static_cast<void>(device_.free(buffer));
    }
  }
  TrialBuffers(const TrialBuffers&) = delete;
  TrialBuffers& operator=(const TrialBuffers&) = delete;

  /// The address of each buffer of `program`; they hold until the next call.
  Result<std::vector<uint64_t>> place(const Program& program) {
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      const BufferDecl& decl = program.buffers[i];
      if (i == buffers_.size()) buffers_.emplace_back();
      if (decl.kind != BufferKind::kUop) VTA_RETURN_IF_ERROR(grow(buffers_[i], decl.size_bytes));
      addresses.push_back(buffers_[i].address);
    }
    return addresses;
  }

 private:
  Status grow(driver::DeviceBuffer& buffer, uint64_t size_bytes) {
    if (size_bytes <= buffer.size_bytes) return {};
    if (buffer.size_bytes > 0) {
      VTA_RETURN_IF_ERROR(device_.free(std::exchange(buffer, driver::DeviceBuffer{})));
    }
    VTA_ASSIGN_OR_RETURN(buffer,
                         device_.allocate(size_bytes, dramAlignmentBytes(device_.info().hw)));
    // Known contents, also for devices that look for reads of what nobody has written.
    return device_.write(buffer.address, std::vector<std::byte>(size_bytes));
  }

  driver::Device& device_;
  std::vector<driver::DeviceBuffer> buffers_;  // size 0: none
};

class DeviceMeasurer final : public Measurer {
 public:
  DeviceMeasurer(std::unique_ptr<driver::Device> device, const DeviceMeasurerOptions& options)
      : device_(std::move(device)), options_(options), buffers_(*device_) {}

  std::string source() const override { return "device " + device_->info().name; }

  Status begin(const Task& task) override {
    if (!task.hw.isProgramCompatible(device_->info().hw)) {
      return unsupported(
          fmt::format("the device has another configuration\n  device: {}\n  task:   "
                      "{}",
                      device_->info().hw.summary(), task.hw.summary()));
    }
    task_ = &task;
    return {};
  }

  std::vector<Measurement> measure(std::span<const kernel::Schedule> schedules,
                                   uint64_t /*most*/) override {
    std::vector<Measurement> results;
    for (const kernel::Schedule& schedule : schedules) {
      const Result<uint64_t> cycles = health_.ok() ? cyclesOf(schedule) : health_;
      const Outcome without = health_.ok() ? Outcome::kFailed : Outcome::kNotMeasured;
      results.push_back(cycles.ok() ? Measurement{Outcome::kCycles, *cycles, ""}
                                    : Measurement{without, 0, cycles.status().message()});
    }
    return results;
  }

  Status health() const override { return health_; }

 private:
  Result<uint64_t> cyclesOf(const kernel::Schedule& schedule) {
    VTA_ASSIGN_OR_RETURN(Program program, kernel::lower(task_->desc, schedule, device_->info().hw));
    auto median = run(std::move(program));
    // What is wrong with the device, and not with the schedule.
    const StatusCode code = median.status().code();
    if (code != StatusCode::kOk && code != StatusCode::kDeviceFault) health_ = median.status();
    return median;
  }

  Result<uint64_t> run(Program program) {
    VTA_ASSIGN_OR_RETURN(const std::vector<uint64_t> addresses, buffers_.place(program));
    VTA_ASSIGN_OR_RETURN(auto loaded,
                         driver::LoadedProgram::load(*device_, std::move(program), addresses));
    std::vector<uint64_t> cycles;
    for (int i = 0; i < options_.launches; ++i) {
      VTA_ASSIGN_OR_RETURN(const LaunchCounters counters, loaded.run(options_.timeout));
      cycles.push_back(counters.cycles);
    }
    const auto middle = cycles.begin() + static_cast<std::ptrdiff_t>(cycles.size() / 2);
    std::ranges::nth_element(cycles, middle);
    if (*middle >= 1 && *middle <= kMostCycles) return *middle;
    return Status(StatusCode::kDeviceFault,
                  fmt::format("device '{}' counted {} cycles, which cannot be",
                              device_->info().name, *middle));
  }

  std::unique_ptr<driver::Device> device_;
  DeviceMeasurerOptions options_;
  TrialBuffers buffers_;
  const Task* task_ = nullptr;
  Status health_;
};

}  // namespace

Result<std::unique_ptr<Measurer>> makeDeviceMeasurer(std::unique_ptr<driver::Device> device,
                                                     const DeviceMeasurerOptions& options) {
  const driver::DeviceInfo& info = device->info();
  if (!info.capabilities.cycles) {
    return unsupported(
        fmt::format("device '{}' counts no cycles, so it cannot compare schedules; "
                    "take a board, or the cycle or rtl simulator",
                    info.name));
  }
  return std::unique_ptr<Measurer>(std::make_unique<DeviceMeasurer>(std::move(device), options));
}

}  // namespace vta::tune
