// A GPU that runs PTX on this processor, for tests.
#pragma once

#include <memory>

#include "driver/gpu/gpu_memory.h"

namespace vta::driver::test {

/// Its architecture is "sm_75", or the one named.
std::unique_ptr<GpuDevice> openPtxDevice(const std::string& target = "sm_75");

}  // namespace vta::driver::test
