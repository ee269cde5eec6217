// What the CPU's back end alone understands of CodeOptions. Free of MLIR types.
#pragma once

#include "compiler/codegen/options.h"
#include "host_cpu/schedule/conv_schedule.h"

namespace vta::codegen {

/// Backend::name of it.
inline constexpr const char* kCpuBackend = "cpu";

struct CpuOptions : BackendOptions {
  /// Asked for the schedule of every blocked convolution; empty: the default everywhere.
  blocked::FindConvSchedule find_schedule{};
};

/// Those among `options`, or the defaults.
CpuOptions cpuOptionsOf(const CodeOptions& options);

/// Gives them to `options`.
void setCpuOptions(CodeOptions& options, CpuOptions of_cpu);

}  // namespace vta::codegen
