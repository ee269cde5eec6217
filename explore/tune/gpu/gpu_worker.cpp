#include "explore/tune/gpu/gpu_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include "base/clock.h"
#include "base/process/worker_processes.h"
#include "driver/gpu/program_fit.h"
#include "explore/tune/measure/repeated_time.h"
#include "module/executor_kinds.h"

namespace vta::tune {
namespace {

using Contents = std::vector<std::byte>;
using driver::LoadedGpuProgram;

/// A kernel that does not end is ended with its process, long before that.
constexpr std::chrono::hours kRunTimeout{24};
/// Short kernels are launched until they have taken so long together, but no more often.
constexpr double kEnoughNanoseconds = 5e6;
constexpr int kMostLaunches = 25, kMostAttempts = 3;
/// A schedule whose first run takes so many times the limit is not run again.
constexpr double kHopeless = 1.5;

template <typename T>
void fill(Contents& contents, const std::function<T()>& next) {
  auto* values = reinterpret_cast<T*>(contents.data());
  std::generate_n(values, contents.size() / sizeof(T), next);
}

/// Seeded numbers: any bytes; other integers are small, because some are shifts.
Contents contentsOf(DType dtype, uint64_t size_bytes, uint32_t seed) {
  std::mt19937 generator(seed);
  Contents contents(size_bytes);
  switch (dtype) {
    case DType::kF32:
      fill<float>(contents,
                  [&] { return static_cast<float>(generator() % 2001) / 1000.0F - 1.0F; });
      break;
    case DType::kI32:
    case DType::kU32:
      fill<int32_t>(contents, [&] { return static_cast<int32_t>(generator() % 8); });
      break;
    case DType::kI8:
    case DType::kU8:
      fill<uint8_t>(contents, [&] { return static_cast<uint8_t>(generator()); });
      break;
    default:  // 1 is a number of every type, though not 1
      fill<uint8_t>(contents, [&] { return static_cast<uint8_t>(generator() % 2); });
  }
  return contents;
}

bool writes(const GpuProgram& program, size_t argument) {
  for (const GpuDispatch& dispatch : program.dispatches) {
    const std::vector<GpuAccess>& accesses = program.kernels[dispatch.kernel].bindings;
    for (size_t i = 0; i < accesses.size(); ++i) {
      const GpuBinding& binding = dispatch.bindings[i];
      if (accesses[i] != GpuAccess::kRead && binding.source == GpuBinding::Source::kArgument &&
          binding.argument == argument) {
        return true;
      }
    }
  }
  return false;
}

/// The largest difference, as a share of the largest right value.
double floatDifference(std::span<const std::byte> right, std::span<const std::byte> other) {
  double largest = 0, difference = 0;
  for (size_t i = 0; i + sizeof(float) <= right.size(); i += sizeof(float)) {
    float a = 0, b = 0;
    std::memcpy(&a, right.data() + i, sizeof(a));
    std::memcpy(&b, other.data() + i, sizeof(b));
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;  // infinities, too
    largest = std::max(largest, std::abs(static_cast<double>(a)));
    const double distance = std::abs(static_cast<double>(a) - static_cast<double>(b));
    difference = std::max(difference, std::isnan(distance) ? HUGE_VAL : distance);
  }
  return difference == 0 ? 0 : difference / std::max(largest, 1e-30);
}

}  // namespace

GpuKernelLimits kernelLimitsOf(const driver::GpuDeviceInfo& info) {
  const driver::GpuLimits& limits = info.limits;
  GpuKernelLimits made;
  made.invocations = std::min(limits.max_invocations, limits.max_workgroup_size[0]);
  made.shared_bytes = limits.shared_bytes;
  made.workgroups = *std::ranges::min_element(limits.max_workgroups);
  if (driver::runsPtxFor(codegen::kTensorArchitecture, info)) made.warp = limits.subgroup_size;
  if (driver::runsPtxFor(codegen::kGroupArchitecture, info)) {
    made.warps_together = codegen::kWarpsTogether;
  }
  return made;
}

Result<TunedGpu> describeGpu(const OpenGpu& open, std::chrono::milliseconds timeout) {
  WorkerProcesses process(1, {.timeout = timeout});
  process.setBody([&open](std::string_view) {
    const auto gpu = open();
    if (!gpu.ok()) return fmt::format("!{}", gpu.status().message());
    const driver::GpuDeviceInfo& info = (*gpu)->info();
    const TunedGpu found{info.name, info.interface, kernelLimitsOf(info)};
    const TaskKey key = gemmKey({}, "", found);
    return nlohmann::json{
        {"name", found.name}, {"interface", found.interface}, {"limits", key.memory}}
        .dump();
  });
  VTA_RETURN_IF_ERROR(process.start());
  WorkerAnswer answer;
  process.run(
      1, [](size_t) { return std::string(); },
      [&](size_t, WorkerAnswer got) { answer = std::move(got); });
  if (answer.end != WorkerAnswer::End::kAnswered) {
    return Status(StatusCode::kDeviceFault, "the GPU's driver does not answer: " + answer.text);
  }
  if (answer.text.starts_with('!')) return notFound(answer.text.substr(1));
  const auto json = nlohmann::json::parse(answer.text);
  TunedGpu gpu{json.at("name"), json.at("interface"), {}};
  VTA_ASSIGN_OR_RETURN(gpu.limits, parseGpuLimits(json.at("limits").get<std::string>()));
  return gpu;
}

Status GpuWorker::placeArguments() {
  buffers_.clear();
  contents_.clear();
  const std::vector<uint64_t>& sizes = reference_.program.argument_bytes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(driver::DeviceBuffer buffer,
                         gpu_->allocate(sizes[i] + kGpuVectorBytes, gpu_->alignmentBytes()));
    buffers_.emplace_back(gpu_.get(), buffer);
    contents_.push_back(contentsOf(reference_.arguments[i], sizes[i], static_cast<uint32_t>(i)));
  }
  return writeArguments();
}

Status GpuWorker::writeArguments() {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    VTA_RETURN_IF_ERROR(gpu_->write(buffers_[i].get().address, contents_[i]));
  }
  return {};
}

Result<std::unique_ptr<LoadedGpuProgram>> GpuWorker::load(const GpuProgram& program) {
  std::vector<uint64_t> addresses;
  for (const driver::OwnedDeviceBuffer& buffer : buffers_)
    addresses.push_back(buffer.get().address);
  return gpu_->load(program, addresses, driver::GpuTimes::kDispatches);
}

Result<std::vector<Contents>> GpuWorker::resultsOf(const GpuProgram& program,
                                                   LoadedGpuProgram& loaded) {
  VTA_RETURN_IF_ERROR(loaded.run(kRunTimeout));
  std::vector<Contents> results(buffers_.size());
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!writes(program, i)) continue;
    results[i].resize(program.argument_bytes[i]);
    VTA_RETURN_IF_ERROR(gpu_->read(buffers_[i].get().address, results[i]));
  }
  return results;
}

Status GpuWorker::begin() {
  if (!right_results_.empty()) return {};
  if (!gpu_) {
    VTA_ASSIGN_OR_RETURN(gpu_, open_());
  }
  VTA_RETURN_IF_ERROR(placeArguments());
  VTA_ASSIGN_OR_RETURN(const auto loaded, load(reference_.program));
  VTA_ASSIGN_OR_RETURN(right_results_, resultsOf(reference_.program, *loaded));
  return {};
}

std::string GpuWorker::differenceOf(const std::vector<Contents>& results) const {
  static const double tolerance = findExecutorKind(kGpuKind)->float_tolerance;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] == right_results_[i]) continue;
    if (results[i].size() != right_results_[i].size()) return "it writes other tensors";
    if (reference_.arguments[i] != DType::kF32) return "its integers are wrong";
    const double difference = floatDifference(right_results_[i], results[i]);
    if (difference <= tolerance) continue;
    return fmt::format("its floats are off by {:.1e} of the largest", difference);
  }
  return "";
}

Result<uint64_t> GpuWorker::nanosecondsOf(LoadedGpuProgram& loaded) const {
  const Clock::time_point start = Clock::now();
  VTA_RETURN_IF_ERROR(loaded.run(kRunTimeout));
  double seconds = 0;
  for (const double of_dispatch : loaded.dispatchSeconds()) seconds += of_dispatch;
  if (seconds == 0) seconds = secondsSince(start);  // the device has no clock
  return static_cast<uint64_t>(std::max(1.0, std::round(seconds * 1e9)));
}

Result<Measurement> GpuWorker::time(LoadedGpuProgram& loaded, uint64_t most) const {
  Measurement best = {Outcome::kCycles, kAnyCycles, ""};
  best.is_steady = false;
  for (int attempt = 0; attempt < kMostAttempts && !best.is_steady; ++attempt) {
    std::vector<uint64_t> times;
    double sum = 0;
    const auto is_enough = [&] {
      const auto runs = static_cast<int>(times.size());
      return runs >= launches_ && (sum >= kEnoughNanoseconds || runs >= kMostLaunches);
    };
    while (!is_enough()) {
      VTA_ASSIGN_OR_RETURN(const uint64_t nanoseconds, nanosecondsOf(loaded));
      times.push_back(nanoseconds);
      sum += static_cast<double>(nanoseconds);
      const bool is_hopeless = most != kAnyCycles && static_cast<double>(nanoseconds) >
                                                         kHopeless * static_cast<double>(most);
      if (times.size() == 1 && is_hopeless) return Measurement{Outcome::kSlower, 0, ""};
    }
    const RepeatedTime time = repeatedTime(std::move(times));
    best.cycles = std::min(best.cycles, time.nanoseconds);
    best.is_steady = time.is_steady;
  }
  if (best.cycles <= most) return best;
  return Measurement{Outcome::kSlower, 0, ""};
}

Measurement GpuWorker::measure(const GpuProgram& program, uint64_t most) {
  const auto measured = [&]() -> Result<Measurement> {
    VTA_RETURN_IF_ERROR(begin());
    VTA_RETURN_IF_ERROR(writeArguments());
    VTA_ASSIGN_OR_RETURN(const auto loaded, load(program));
    VTA_ASSIGN_OR_RETURN(const std::vector<Contents> results, resultsOf(program, *loaded));
    if (std::string difference = differenceOf(results); !difference.empty()) {
      return invalidArgument(difference);
    }
    return time(*loaded, most);
  }();
  if (measured.ok()) return *measured;
  return {Outcome::kFailed, 0, measured.status().message()};
}

}  // namespace vta::tune
