// Sines and cosines of all floats.
#pragma once

#include "host_gpu/legalise/float_builder.h"

namespace vta::codegen {

/// Within a few units in the last place of the result; NaN for infinities. The quarter turn that an
/// angle is in comes from as many bits of 2/pi as the product with the angle needs, in words of 32
/// bits (Payne, Hanek: Radian reduction for trigonometric functions, 1983). The polynomials are
/// those of Cephes' sinf and cosf (Moshier, 1989).
mlir::Value sine(FloatBuilder& b, mlir::Value x);
mlir::Value cosine(FloatBuilder& b, mlir::Value x);

}  // namespace vta::codegen
