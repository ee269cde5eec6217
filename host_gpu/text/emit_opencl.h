// OpenCL C 1.2 of a kernel, for devices that take no SPIR-V.
#pragma once

#include <string>

#include "base/status.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// The text of `kernel`, legalised (legalise/passes.h), which stays as it is. Its function is
/// called kKernelFunction, and argument k is a pointer. Errors: an op without a form in OpenCL C.
Result<std::string> emitOpenCl(const KernelIr& kernel);

}  // namespace vta::codegen
