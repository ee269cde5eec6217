// What a device tells OpenCL about itself, in our words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "driver/gpu/opencl/opencl_context.h"

namespace vta::driver::opencl {
namespace {

/// OpenCL does not limit the number of workgroups but by the sizes of ids, which kernels have in 32
/// bits.
constexpr uint32_t kMaxWorkgroups = 65535;
/// The least that all devices take, as pointers of 8 bytes in 1,024 bytes of arguments.
constexpr uint32_t kMaxBindings = 64;

template <typename T>
T valueOf(const OpenClApi& api, Device device, Uint name) {
  T value = {};
  (void)api.GetDeviceInfo(device, name, sizeof(value), &value, nullptr);
  return value;
}

std::string textOf(const OpenClApi& api, Device device, Uint name) {
  size_t size = 0;
  if (api.GetDeviceInfo(device, name, 0, nullptr, &size) != kSuccess || size == 0) return "";
  std::string text(size, '\0');
  (void)api.GetDeviceInfo(device, name, size, text.data(), nullptr);
  text.resize(size - 1);  // without its zero
  return text;
}

GpuKind kindOf(const OpenClApi& api, Device device) {
  const auto type = valueOf<Bits>(api, device, kDeviceType);
  if ((type & kDeviceTypeCpu) != 0) return GpuKind::kCpu;
  if ((type & kDeviceTypeGpu) == 0) return GpuKind::kOther;
  const bool is_unified = valueOf<Uint>(api, device, kDeviceHostUnifiedMemory) != 0;
  return is_unified ? GpuKind::kIntegrated : GpuKind::kDiscrete;
}

GpuFeatures featuresOf(const OpenClApi& api, Device device) {
  using enum GpuFeature;
  GpuFeatures features = {kInt8, kInt16, kInt64, kStorage8, kStorage16};
  const std::string extensions = fmt::format(" {} ", textOf(api, device, kDeviceExtensions));
  const auto has = [&](const char* name) {
    return extensions.find(fmt::format(" {} ", name)) != std::string::npos;
  };
  if (has("cl_khr_fp16")) features.add(kFloat16);
  if (has("cl_khr_fp64")) features.add(kFloat64);
  return features;
}

/// Nothing for a device on which ranges cannot begin where ours do.
std::optional<PhysicalDevice> describe(const OpenClApi& api, Device device) {
  constexpr Uint kBitsInByte = 8;
  const auto alignment_bits = valueOf<Uint>(api, device, kDeviceMemBaseAddrAlign);
  if (alignment_bits > kGpuAlignmentBytes * kBitsInByte) return std::nullopt;
  PhysicalDevice result;
  result.handle = device;
  result.divides_exactly =
      (valueOf<Bits>(api, device, kDeviceSingleFpConfig) & kFpCorrectlyRoundedDivideSqrt) != 0;
  GpuDeviceInfo& info = result.info;
  info.interface = "opencl";
  info.name = textOf(api, device, kDeviceName);
  info.driver = textOf(api, device, kDriverVersion);
  info.kind = kindOf(api, device);
  info.memory_bytes = valueOf<uint64_t>(api, device, kDeviceGlobalMemSize);
  info.form = GpuCodeForm::kOpenClC;
  info.features = featuresOf(api, device);
  info.records_times = true;
  GpuLimits& limits = info.limits;
  limits.max_buffer_bytes = valueOf<uint64_t>(api, device, kDeviceMaxMemAllocSize);
  limits.max_range_bytes = limits.max_buffer_bytes;
  limits.shared_bytes = static_cast<uint32_t>(
      std::min<uint64_t>(valueOf<uint64_t>(api, device, kDeviceLocalMemSize), UINT32_MAX));
  limits.max_invocations =
      static_cast<uint32_t>(valueOf<size_t>(api, device, kDeviceMaxWorkGroupSize));
  const auto sizes = valueOf<std::array<size_t, 3>>(api, device, kDeviceMaxWorkItemSizes);
  std::ranges::transform(sizes, limits.max_workgroup_size.begin(), [](size_t size) {
    return static_cast<uint32_t>(std::min<size_t>(size, UINT32_MAX));
  });
  limits.max_workgroups = {INT32_MAX, kMaxWorkgroups, kMaxWorkgroups};
  limits.max_bindings = kMaxBindings;
  return result;
}

/// Platforms without devices say so with an error.
Result<std::vector<Device>> devicesOf(const OpenClApi& api, Platform platform) {
  Uint count = 0;
  const Int result = api.GetDeviceIDs(platform, kDeviceTypeAll, 0, nullptr, &count);
  if (result == kDeviceNotFound) return std::vector<Device>();
  VTA_RETURN_IF_ERROR(openClStatus(result, "clGetDeviceIDs"));
  std::vector<Device> devices(count);
  VTA_RETURN_IF_ERROR(
      openClStatus(api.GetDeviceIDs(platform, kDeviceTypeAll, count, devices.data(), nullptr),
                   "clGetDeviceIDs"));
  return devices;
}

}  // namespace

Result<std::vector<PhysicalDevice>> findDevices(const OpenClApi& api) {
  Uint count = 0;
  const Int result = api.GetPlatformIDs(0, nullptr, &count);
  if (result == kPlatformNotFound || (result == kSuccess && count == 0)) {
    return notFound("OpenCL finds no driver; install that of your GPU");
  }
  VTA_RETURN_IF_ERROR(openClStatus(result, "clGetPlatformIDs"));
  std::vector<Platform> platforms(count);
  VTA_RETURN_IF_ERROR(
      openClStatus(api.GetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs"));
  std::vector<PhysicalDevice> found;
  Status problem;
  for (const Platform platform : platforms) {
    const auto devices = devicesOf(api, platform);
    if (!devices.ok()) {
      problem = devices.status();  // of one driver; others may work
      continue;
    }
    for (const Device device : *devices) {
      std::optional<PhysicalDevice> described = describe(api, device);
      if (described) found.push_back(*std::move(described));
    }
  }
  if (found.empty()) VTA_RETURN_IF_ERROR(problem);
  return found;
}

}  // namespace vta::driver::opencl
