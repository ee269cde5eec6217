#include "compiler/frontend/onnx/rows/checked_indices.h"

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/frontend/onnx/rows/counting.h"
#include "module/host/host_failure.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

Status checkConstant(const mlir::DenseElementsAttr& indices, const Shape& extents) {
  size_t place = 0;
  for (const int64_t index : graph::ConstantTensor(indices).asIntegers()) {
    const int64_t extent = extents[place++ % extents.size()];
    if (index < -extent || index >= extent) return invalidArgument(badIndexText(index, extent));
  }
  return {};
}

}  // namespace

Value checkedIndices(Composer& c, Value indices, const Shape& extents) {
  if (!c.ok() || !indices || graph::isEmpty(indices)) return indices;
  if (!graph::elementTypeOf(indices).isSignlessInteger()) return indices;  // the gather refuses it
  if (const mlir::DenseElementsAttr constant = graph::constantOf(indices)) {
    const Status status = checkConstant(constant, extents);
    if (!status.ok()) c.fail(status);
    return indices;
  }
  Node& node = c.node();
  const RowCount* rows = node.rowCount(indices);
  if (rows == nullptr) {
    return c.take(node.build().checkIndices(indices, extents, node.label()));
  }
  const RowCount valid = *rows;
  const Value filled = withFiller(c, indices, valid, c.numberLike(0, indices));
  if (!c.ok()) return {};
  const Value checked = c.take(node.build().checkIndices(filled, extents, node.label()));
  if (checked) node.setRowCount(checked, valid);
  return checked;
}

}  // namespace vta::compiler
