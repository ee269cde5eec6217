// Programs of OpenCL from sources, and from what a driver has made of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/gpu/opencl/opencl_context.h"

namespace vta::driver::opencl {

/// What the compiler is told: they are part of what a binary depends on.
const char* buildOptions(const OpenClContext& context);

/// Errors: kInvalidArgument with what the compiler says.
Result<Owned<Program>> programOfSource(const OpenClContext& context, const std::string& source);

/// Errors: the driver does not take it.
Result<Owned<Program>> programOfBinary(const OpenClContext& context,
                                       std::span<const std::byte> binary);

/// What the driver has made of a program; empty if it does not tell.
std::vector<std::byte> binaryOf(const OpenClContext& context, Program program);

}  // namespace vta::driver::opencl
