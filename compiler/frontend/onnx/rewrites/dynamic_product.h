// Products of a tensor whose range is found in every run, as exporters write them.
#pragma once

#include <optional>
#include <string>

#include "compiler/frontend/onnx/rewrites/graph_index.h"

namespace vta::compiler {

/// A product of two quantised tensors and the float that it stands for.
struct DynamicProduct {
  const onnx::NodeProto* node = nullptr;
  std::string lhs, rhs;                                        // integers
  std::string lhs_scale, rhs_scale, lhs_zero, rhs_zero, bias;  // empty: none
  std::string output;
  bool is_conv = false;
};

/// The product that begins with `node`: MatMulInteger or ConvInteger with the Cast and Muls behind
/// it, or an operator of com.microsoft that is all of these. None if `node` is another operator, or
/// the scales are not those of a DynamicQuantizeLinear and of one constant.
std::optional<DynamicProduct> dynamicProductOf(const onnx::NodeProto& node,
                                               const GraphIndex& index);

/// The DynamicQuantizeLinear that gives the integers `name`, or null.
const onnx::NodeProto* rangeOf(const std::string& name, const GraphIndex& index);

}  // namespace vta::compiler
