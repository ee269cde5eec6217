// One blocked convolution as code of its own, for measurements. Free of MLIR types.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/codegen/executable.h"
#include "host_cpu/schedule/conv_schedule.h"

namespace vta::codegen {

/// The function of convCode().
inline constexpr const char* kConvFunction = "conv";

/// Elements of four bytes of the function's buffers, in their order: input, packed weights, packed
/// bias (of integers: and constants), the residual if there is one, scratch memory if the schedule
/// transforms, output.
std::vector<int64_t> convBuffers(const blocked::ConvSpec& spec,
                                 const blocked::ConvSchedule& schedule);

/// The kernel as a network's code has it, by the same passes. No schedule is asked for.
/// Errors: the schedule breaks a rule (kInvalidArgument), those of Backend::compile.
Result<CompiledCode> convCode(const blocked::ConvSpec& spec, const blocked::ConvSchedule& schedule,
                              const CodeOptions& options);

/// Vectors of the CPU that `target` names. Error: an unknown target.
Result<CpuTraits> traitsOf(const CodeTarget& target);

/// What of the target decides how fast a schedule is: LLVM's name of the CPU and its vectors.
/// Error: an unknown target.
Result<std::string> cpuText(const CodeTarget& target);

}  // namespace vta::codegen
