// Runs an integer network before and after partition, on the host.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// What the partitioned network did.
struct PartitionedRun {
  Tensor output;
  int num_kernels = 0;
  int num_host_calls = 0;
  int64_t macs_on_vta = 0;
  int64_t macs_on_host = 0;
};

/// Runs @main of `text` as it is.
Result<Tensor> runWhole(const std::string& text, const Tensor& input);

/// Partitions for `hw`, then runs host functions and references with the host backend. Every
/// kernel's KernelDesc is also computed by the kernel half's scalar reference; a difference is an
/// error.
Result<PartitionedRun> runPartitioned(const std::string& text, const HwConfig& hw,
                                      const Tensor& input);

}  // namespace vta::compiler
