#include "driver/gpu/gpu_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/folders/file_cache.h"
#include "base/hash.h"
#include "driver/memory_device.h"

namespace vta::driver {
namespace {

// To be raised when programs or what is measured change.
constexpr int kSpeedVersion = 1;
constexpr int kRepetitions = 5;
constexpr std::chrono::seconds kLimit{30};
constexpr uint64_t kTransferBytes = uint64_t{1} << 24;
constexpr size_t kManyLaunches = 33;
// What a clock cannot tell from nothing.
constexpr double kLeastSeconds = 1e-7;

/// A program with tensors of zeros.
class Trial {
 public:
  static Result<std::unique_ptr<Trial>> create(GpuDevice& gpu, const GpuProgram& program) {
    auto trial = std::make_unique<Trial>();
    std::vector<uint64_t> addresses;
    for (const uint64_t bytes : program.argument_bytes) {
      VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                           gpu.allocate(bytes + kGpuVectorBytes, gpu.alignmentBytes()));
      trial->buffers_.emplace_back(&gpu, buffer);
      addresses.push_back(buffer.address);
    }
    VTA_ASSIGN_OR_RETURN(trial->loaded_, gpu.load(program, addresses, GpuTimes::kOff));
    return trial;
  }

  Status run() { return loaded_->run(kLimit); }

 private:
  std::vector<OwnedDeviceBuffer> buffers_;
  std::unique_ptr<LoadedGpuProgram> loaded_;
};

/// The shortest time of several.
Result<double> secondsOf(const std::function<Status()>& work) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i <= kRepetitions; ++i) {
    const Clock::time_point start = Clock::now();
    VTA_RETURN_IF_ERROR(work());
    if (i > 0) least = std::min(least, secondsSince(start));  // the first one warms up
  }
  return least;
}

Result<double> secondsOf(GpuDevice& gpu, const GpuProgram& program) {
  VTA_ASSIGN_OR_RETURN(const auto trial, Trial::create(gpu, program));
  return secondsOf([&] { return trial->run(); });
}

/// The program's first dispatch so many times, each on one workgroup, which waits for the others.
GpuProgram launchesOf(const GpuProgram& program, size_t count) {
  GpuProgram launches = program;
  GpuDispatch dispatch = program.dispatches.front();
  dispatch.workgroups = {1, 1, 1};
  launches.dispatches.assign(count, dispatch);
  return launches;
}

/// Of a copy in each direction, the slower one's.
Result<double> secondsOfCopy(GpuDevice& gpu, const DeviceBuffer& buffer, uint64_t size_bytes) {
  std::vector<std::byte> data(size_bytes);
  VTA_ASSIGN_OR_RETURN(const double there,
                       secondsOf([&] { return gpu.write(buffer.address, data); }));
  VTA_ASSIGN_OR_RETURN(const double back,
                       secondsOf([&] { return gpu.read(buffer.address, data); }));
  return std::max(there, back);
}

Status measureTransfers(GpuDevice& gpu, MachineRates& rates) {
  VTA_ASSIGN_OR_RETURN(const DeviceBuffer allocated,
                       gpu.allocate(kTransferBytes, gpu.alignmentBytes()));
  const OwnedDeviceBuffer buffer(&gpu, allocated);
  if (gpu.map(buffer.get()) != nullptr) return {};
  VTA_ASSIGN_OR_RETURN(const double little, secondsOfCopy(gpu, buffer.get(), sizeof(uint32_t)));
  VTA_ASSIGN_OR_RETURN(const double much, secondsOfCopy(gpu, buffer.get(), kTransferBytes));
  rates.seconds_per_transfer = little;
  rates.transfer_bytes_per_second =
      static_cast<double>(kTransferBytes) / std::max(much - little, kLeastSeconds);
  return {};
}

/// Numbers as they lie in memory: who reads the file has made it.
std::span<const std::byte> asFile(const MachineRates& rates) {
  return std::as_bytes(std::span(&rates, 1));
}

std::optional<MachineRates> rememberedRates(const FileCache& files, const std::string& name,
                                            const std::string& key) {
  const auto found = files.find(name, key);
  if (!found.ok() || !found->has_value() || (*found)->size() != sizeof(MachineRates)) {
    return std::nullopt;
  }
  MachineRates rates;
  std::memcpy(&rates, (*found)->data(), sizeof rates);
  return rates;
}

}  // namespace

Result<MachineRates> measureGpu(GpuDevice& gpu, const SpeedPrograms& programs) {
  MachineRates rates;
  VTA_ASSIGN_OR_RETURN(const double one, secondsOf(gpu, launchesOf(programs.copies, 1)));
  VTA_ASSIGN_OR_RETURN(const double many,
                       secondsOf(gpu, launchesOf(programs.copies, kManyLaunches)));
  VTA_ASSIGN_OR_RETURN(const double products, secondsOf(gpu, programs.products));
  VTA_ASSIGN_OR_RETURN(const double copies, secondsOf(gpu, programs.copies));
  rates.seconds_per_run = one;
  rates.seconds_per_launch = std::max(many - one, kLeastSeconds) / (kManyLaunches - 1);
  rates.macs_per_second = programs.macs / std::max(products - one, kLeastSeconds);
  rates.bytes_per_second = programs.bytes / std::max(copies - one, kLeastSeconds);
  VTA_RETURN_IF_ERROR(measureTransfers(gpu, rates));
  return rates;
}

Result<MachineRates> ratesOfGpu(GpuDevice& gpu, const std::function<Result<SpeedPrograms>()>& make,
                                const std::filesystem::path& folder) {
  const FileCache files(folder, ".gpu");
  const GpuDeviceInfo& info = gpu.info();
  const std::string key =
      fmt::format("speed {}\n{}\n{}\n{}\n{}\n{}\n", kSpeedVersion, info.interface, info.name,
                  info.driver, info.target, info.features.bits());
  const std::string name = fmt::format("{:016x}", hashText(key));
  if (const auto rates = rememberedRates(files, name, key)) return *rates;
  VTA_ASSIGN_OR_RETURN(const SpeedPrograms programs, make());
  VTA_ASSIGN_OR_RETURN(const MachineRates rates, measureGpu(gpu, programs));
  (void)files.add(name, key, asFile(rates));  // else it is measured again
  return rates;
}

}  // namespace vta::driver
