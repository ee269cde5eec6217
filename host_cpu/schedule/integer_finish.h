// How a kernel makes int8 results of 32-bit sums, as a text of one letter a step: a formula with
// the operands before the operator, which a stack evaluates. Free of MLIR types.
//
//   s  the sum          x, y  the first, the second int8 image    c  a constant of the channel
//   a  add    d  subtract    p  product    u  maximum ("upper")    l  minimum ("lower")
//   r  shift right by the second operand (docs: graph.shr)
//   q  graph.qmul by the second operand; the shift is a constant of its own
//   h  q of a second operand by which results are small: upper halves of 64-bit products; to be
//      added and shifted by then are two constants of its own (cpu/blocked/integers/upper_halves.h)
//   n  h, where the halves of negative products go up
//   e  shift left by a constant of its own: nothing is shifted out ("enlarge")
//   k  clip; the bounds are two constants of its own
//
// Constants are numbered from left to right. "scqk" is the usual convolution: sum, multiplier; qmul
// with its shift; clip with its bounds: constants 0 to 3.
#pragma once

#include <cstdint>
#include <string_view>

namespace vta::codegen::blocked {

/// Constants that the step takes beside its operands, or is.
int64_t finishConstants(char step);
/// Constants of the whole formula.
int64_t finishConstants(std::string_view formula);
/// Operands on the stack that the step takes; -1: there is no such step.
int64_t finishOperands(char step);
/// Whether the formula leaves one value, and no step lacks an operand.
bool isFinish(std::string_view formula);

}  // namespace vta::codegen::blocked
