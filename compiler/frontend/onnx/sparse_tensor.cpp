#include "compiler/frontend/onnx/sparse_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/shapes.h"
#include "compiler/frontend/onnx/tensor_proto.h"
#include "mlir/IR/MLIRContext.h"

namespace vta::compiler {
namespace {

/// Where the elements are in the dense tensor: each has one linear index, or one for each
/// dimension.
Result<std::vector<int64_t>> positionsOf(const std::vector<int64_t>& indices, int64_t values,
                                         const graph::Shape& indices_shape,
                                         const graph::Shape& shape) {
  const bool is_linear = indices_shape == graph::Shape{values};
  const auto rank = static_cast<int64_t>(shape.size());
  if (!is_linear && indices_shape != graph::Shape{values, rank}) {
    return invalidArgument(fmt::format("its {} values have indices of shape {}", values,
                                       graph::shapeText(indices_shape)));
  }
  const int64_t count = graph::elementCount(shape);
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < values; ++i) {
    int64_t position = is_linear ? indices[static_cast<size_t>(i)] : 0;
    bool is_inside = position >= 0 && position < count;
    for (int64_t axis = 0; !is_linear && axis < rank; ++axis) {
      const int64_t index = indices[static_cast<size_t>(i * rank + axis)];
      const int64_t extent = shape[static_cast<size_t>(axis)];
      is_inside = is_inside && index >= 0 && index < extent;
      position = position * extent + index;
    }
    if (!is_inside) {
      return invalidArgument(
          fmt::format("the index of value {} is outside of {}", i, graph::shapeText(shape)));
    }
    positions.push_back(position);
  }
  return positions;
}

}  // namespace

Result<onnx::TensorProto> denseTensor(const onnx::SparseTensorProto& sparse,
                                      const std::filesystem::path& directory) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  VTA_ASSIGN_OR_RETURN(const auto values, toAttribute(sparse.values(), directory, context));
  VTA_ASSIGN_OR_RETURN(const auto indices, toAttribute(sparse.indices(), directory, context));
  const graph::Shape shape(sparse.dims().begin(), sparse.dims().end());
  const int64_t count = graph::elementCount(shape);
  constexpr int64_t kMostElements = int64_t{1} << 28;
  if (count < 0 || count > kMostElements ||
      std::ranges::any_of(shape, [](int64_t extent) { return extent < 0; })) {
    return invalidArgument(fmt::format("its shape {} is not legal; at most {} elements are",
                                       graph::shapeText(shape), kMostElements));
  }
  const mlir::Type type = values.getElementType();
  if (type.isInteger(1) || isFourBit(sparse.values()) || !indices.getElementType().isInteger(64)) {
    return unsupported(
        "values of one or four bits, and indices other than INT64, are not "
        "supported; store it densely");
  }
  VTA_ASSIGN_OR_RETURN(
      const std::vector<int64_t> positions,
      positionsOf(graph::ConstantTensor(indices).asIntegers(), values.getNumElements(),
                  graph::Shape(indices.getType().getShape()), shape));
  const size_t width = type.getIntOrFloatBitWidth() / 8;
  const llvm::ArrayRef<char> given = values.getRawData();
  std::string bytes(static_cast<size_t>(count) * width, '\0');
  for (size_t i = 0; i < positions.size(); ++i) {
    // One that is the same for all is stored once.
    const char* from = given.data() + (values.isSplat() ? 0 : i * width);
    std::copy_n(from, width, bytes.data() + static_cast<size_t>(positions[i]) * width);
  }
  onnx::TensorProto dense;
  dense.set_name(sparse.values().name());
  dense.set_data_type(sparse.values().data_type());
  for (const int64_t extent : shape) dense.add_dims(extent);
  dense.set_raw_data(std::move(bytes));
  return dense;
}

}  // namespace vta::compiler
