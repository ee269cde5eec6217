// GpuDevice: a GPU with its memory, as the host uses it. docs/gpu-backend.md
//
// Every driver interface (Vulkan, OpenCL, CUDA) implements it. Its library is opened when a device
// is looked for, so that nothing links against it. A device may be used by one thread at a time,
// but for copies beside a program that runs, where copiesBesideWork() says so.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/memory_device.h"
#include "module/gpu/gpu_program.h"

namespace vta::driver {

/// What kernels have to keep to on a device.
struct GpuLimits {
  uint64_t max_buffer_bytes = 0;  // of one allocation
  uint64_t max_range_bytes = 0;   // of one binding of a dispatch
  uint32_t shared_bytes = 0;      // that a workgroup can share
  uint32_t max_invocations = 0;   // of a workgroup
  std::array<uint32_t, 3> max_workgroup_size{};
  std::array<uint32_t, 3> max_workgroups{};  // of a dispatch
  uint32_t max_bindings = 0;                 // of a dispatch
  uint32_t subgroup_size = 1;                // invocations that run in step
};

enum class GpuKind : uint8_t { kDiscrete, kIntegrated, kVirtual, kCpu, kOther };

/// "discrete GPU", "integrated GPU", "virtual GPU", "CPU" or "other device".
std::string_view gpuKindName(GpuKind kind);

/// kDeadlineExceeded: what a device answers whose kernels take longer than `timeout`.
Status kernelsTakeTooLong(std::chrono::milliseconds timeout);

struct GpuDeviceInfo {
  std::string interface;  // "vulkan", "opencl" or "cuda"
  std::string name;       // the vendor's
  std::string driver;     // the driver's name and version, for people
  GpuKind kind = GpuKind::kOther;
  uint64_t memory_bytes = 0;
  GpuCodeForm form = GpuCodeForm::kSpirv;  // of the code that it runs
  std::string target;                      // kPtx: the architecture, "sm_80"
  GpuFeatures features;
  GpuLimits limits;
  bool records_times = false;  // of single dispatches
};

/// A program with the addresses of its tensors, ready to run any number of times.
class LoadedGpuProgram {
 public:
  virtual ~LoadedGpuProgram() = default;

  /// Runs all dispatches to their end. Errors: kDeadlineExceeded, after which the device may be
  /// busy for longer, and refuses to run; kDeviceFault.
  virtual Status run(std::chrono::milliseconds timeout) = 0;

  /// The time of each dispatch of the last run; empty if the program was loaded without times.
  virtual std::vector<double> dispatchSeconds() const = 0;
};

enum class GpuTimes : uint8_t { kOff, kDispatches };

class GpuDevice : public MemoryDevice {
 public:
  virtual const GpuDeviceInfo& info() const = 0;

  /// Compiles the kernels, which a device keeps for other programs, and allocates scratch memory.
  /// `arguments` are addresses in this memory, one for each of the program's. The device outlives
  /// the result. Errors: those of chooseCodes (driver/gpu/program_fit.h); kInvalidArgument for code
  /// that the driver refuses; no memory. Without times where the device has none.
  virtual Result<std::unique_ptr<LoadedGpuProgram>> load(const GpuProgram& program,
                                                         std::span<const uint64_t> arguments,
                                                         GpuTimes times) = 0;

  /// What is allocated, by tensors and programs, without code.
  virtual uint64_t usedBytes() const = 0;

  /// Does without features that it claims and has not: programs take other code. A note says so.
  virtual void dropFeatures(GpuFeatures features) = 0;

  /// Keeps to smaller limits than its own: for tests of what a smaller GPU does.
  virtual void lowerLimits(const GpuLimits& limits) = 0;

  /// What its user should know and has not been told yet, such as why compiled kernels cannot be
  /// kept: whole sentences without an end.
  virtual std::vector<std::string> takeNotes() { return {}; }

  uint64_t alignmentBytes() const override { return kGpuAlignmentBytes; }
  GpuDevice* asGpuDevice() override { return this; }
};

}  // namespace vta::driver
