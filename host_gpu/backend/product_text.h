// Products as texts: for those who keep schedules, and for those who measure them.
#pragma once

#include <string>

#include "host_gpu/kernels/gemm/product.h"

namespace vta::codegen {

/// The name of the function in productCode.
inline constexpr const char* kProductFunction = "product";

/// What decides how long `product` takes besides its extents: equal for products whose kernels
/// differ in nothing but values of constants and places of buffers.
std::string productKernel(const Product& product);

/// `group`, whose kernel is a product's, as a module with one function, of which buffers are the
/// arguments behind the first one.
std::string productCode(const OpGroup& group);

}  // namespace vta::codegen
