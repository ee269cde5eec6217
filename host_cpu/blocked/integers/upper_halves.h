// Requantisation by the upper halves of products.
//
// graph.qmul rounds x m / 2^s. Where |m| < 2^(s - 2), as it is when sums become int8, m and 2^s are
// doubled until s is 33 at least. Products then have 64 bits, the half that rounding adds is
// 2^(s - 33) of their upper 32 bits, and nothing can leave 32 bits:
//
//   (upper(x m) + 2^(s - 33)) >> (s - 32)
//
// Factors of a quarter and more are made smaller first, by a shift of x to the left, where x is the
// sums of a layer and known to have the bits for it.
//
// That takes a quarter of the instructions. Halves of negative results must still go down. With m =
// d 2^t, d odd, there are two ways to get that for nothing where a clip follows:
//
// - A half is an odd multiple of d / 2. Where the smallest one lies below the clip, both of its
//   neighbours become the clip's bound.
// - Doubled k times, products are multiples of 2^(t + k), and so are the halves between results.
//   Adding one to the factor then moves each product away from zero by |x|. While |x| < 2^(t + k),
//   that changes the rounding of halves alone. From there on results must be outside of the clip.
#pragma once

#include "host_cpu/blocked/integers/tree.h"

namespace vta::codegen::blocked {

/// Replaces the steps 'q' of `tree.finish` by 'n', or else by 'h' (integer_finish.h), where the
/// constants of every channel allow it, and their multipliers and shifts by the constants of these
/// steps. In front of them there may be a new step 'e'.
void takeUpperHalves(IntegerTree& tree);

}  // namespace vta::codegen::blocked
