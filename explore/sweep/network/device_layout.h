// Where the runtime places a module on a device: times on a DDR memory depend on addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "compiler/module/module_outline.h"
#include "driver/device.h"
#include "isa/program/program.h"

namespace vta::sweep {

/// An outline whose kernels have programs: the tensors of their buffers, with those of identity
/// weights.
struct BoundModule {
  ModuleInfo info;  // identity weights are its last tensors
  /// Constants of the device in the order in which a module has them.
  std::vector<uint32_t> device_constants;
};

/// Binds `programs`, one for each kernel in their order. Error: a buffer that the kernel lacks.
Result<BoundModule> bindPrograms(const compiler::ModuleOutline& outline,
                                 const std::vector<Program>& programs, const HwConfig& hw);

/// Allocates arenas and constants on `device` as a session does and returns the address of each
/// tensor; 0 for those of the host. Nothing is uploaded. Error: the device's memory is full.
Result<std::vector<uint64_t>> placeTensors(const BoundModule& module, driver::Device& device);

}  // namespace vta::sweep
