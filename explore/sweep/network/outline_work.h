// OutlineWork: what an outline alone says of a network's work.
#pragma once

#include <cstdint>

#include "compiler/module/module_outline.h"

namespace vta::sweep {

struct OutlineWork {
  int64_t kernels = 0;
  int64_t host_steps = 0;
  int64_t macs_on_vta = 0;
  int64_t macs_on_cpu = 0;
  uint64_t activation_bytes = 0;  // of the device's arena
};

OutlineWork workOf(const compiler::ModuleOutline& outline);

}  // namespace vta::sweep
