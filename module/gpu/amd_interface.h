// What a code object for AMD's GPUs shows to the outside.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace vta {

/// What keeps `code` from being a linked code object with a kernel `entry_point`: "is no code
/// object for AMD's GPUs", ...; empty: nothing. Safe on any bytes.
std::string amdCodeProblem(std::span<const std::byte> code, std::string_view entry_point);

}  // namespace vta
