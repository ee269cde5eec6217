// The text form of a LaneFunction: a function of MLIR's dialects func and arith.
#pragma once

#include <string_view>

#include "base/status.h"
#include "isa/lane/lane_function.h"

namespace vta {

/// Reads `text`, which has one function and nothing else:
///
///   func.func @absdiff(%x: i32, %y: i32) -> i32 {
///     %d = arith.subi %x, %y : i32
///     ...
///     return %z : i32
///   }
///
/// Parameters and the result are i32; values between have 1 to 64 bits. `//` begins a comment. One
/// operation stands on a line. Errors: kInvalidArgument, "source:line:column: what, what is legal".
Result<LaneFunction> parseLaneFunction(std::string_view text, std::string_view source);

}  // namespace vta
