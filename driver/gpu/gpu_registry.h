// The GPUs of this machine, by number and by name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "driver/gpu/gpu_device.h"

namespace vta::driver {

/// What decides which drivers and layers an interface's library loads.
struct LoaderInputs {
  std::vector<std::string> variables{};          // beginnings of their names in the environment
  std::vector<std::filesystem::path> folders{};  // where drivers and layers are registered
};

/// A driver interface, as its library registers it.
struct GpuInterface {
  std::string_view name;  // "vulkan"
  int order = 0;          // in lists: of GPUs of one kind, those of the first one come first
  Result<std::vector<GpuDeviceInfo>> (*list)() = nullptr;
  Result<std::unique_ptr<GpuDevice>> (*open)(size_t number) = nullptr;  // in the list
  LoaderInputs (*loader_inputs)() = nullptr;  // null: the dynamic linker's alone
};

/// Adds an interface; true, so that it can initialise a variable. Called before main(). A second
/// one of the same name is ignored.
bool registerGpuInterface(const GpuInterface& interface);

/// All that this program has, in their order.
std::span<const GpuInterface> gpuInterfaces();

/// A GPU that an interface offers. One that several offer is listed several times.
struct FoundGpu {
  const GpuInterface* interface = nullptr;
  size_t number = 0;  // in the interface's list
  GpuDeviceInfo info;
};

struct GpuList {
  /// GPUs proper before processors that stand for one.
  std::vector<FoundGpu> gpus;
  /// Why interfaces offer nothing: one sentence each.
  std::vector<std::string> problems;
};
GpuList listGpus();

/// Opens a GPU. `choice` is empty for the first of the list, its number in the list, the name of an
/// interface for the first of that, or a part of the GPU's name in letters of either case; "gpu:"
/// may stand in front, as in lists.
/// It has passed its self-test (gpu_self_test.h), now or at an earlier time.
/// Errors: kNotFound, with what there is, and why there is no more; that of the test.
Result<std::unique_ptr<GpuDevice>> openGpu(std::string_view choice);

}  // namespace vta::driver
