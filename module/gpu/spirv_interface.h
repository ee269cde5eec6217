// What a SPIR-V module shows to the outside.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace vta {

/// What keeps `code` from being a compute shader `entry_point` whose buffers are bindings below
/// `bindings` of descriptor set 0: "is not a SPIR-V module", ...; empty: nothing. Safe on any
/// bytes. Drivers need not check it, and some crash.
std::string spirvProblem(std::span<const std::byte> code, std::string_view entry_point,
                         size_t bindings);

}  // namespace vta
