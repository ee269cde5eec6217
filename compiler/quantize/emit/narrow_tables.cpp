#include "compiler/quantize/emit/narrow_tables.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/quantize/plan/plan.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

struct NarrowTable {
  std::vector<int8_t> integers;
  std::vector<float> factors;  // by row
};

/// Nothing where an element is not finite.
std::optional<NarrowTable> narrow(const std::vector<float>& values, int64_t rows) {
  const size_t columns = values.size() / static_cast<size_t>(rows);
  NarrowTable table;
  table.integers.reserve(values.size());
  for (auto row = values.begin(); row != values.end(); row += static_cast<int64_t>(columns)) {
    float largest = 0;
    for (size_t i = 0; i < columns; ++i) {
      if (!std::isfinite(row[i])) return std::nullopt;
      largest = std::max(largest, std::abs(row[i]));
    }
    const float factor = largest / 127;
    table.factors.push_back(factor);
    for (size_t i = 0; i < columns; ++i) {
      // A factor that is no normal number loses digits: the quotient may lie beyond.
      const float steps = factor == 0 ? 0 : std::clamp(row[i] / factor, -127.0F, 127.0F);
      table.integers.push_back(static_cast<int8_t>(std::nearbyint(steps)));
    }
  }
  return table;
}

/// The same rows as `op` gives; null where its table stays as it is.
Value narrowRows(graph::GatherOp op, int64_t least_bytes) {
  auto type = mlir::cast<RankedTensorType>(op.getInput().getType());
  const bool is_large = type.getElementType().isF32() && type.getRank() > 1 && op.getAxis() == 0 &&
                        type.getNumElements() * 4 >= least_bytes;
  const mlir::DenseElementsAttr table =
      is_large ? graph::constantOf(op.getInput()) : mlir::DenseElementsAttr();
  if (!table) return {};
  const auto values = table.getValues<float>();
  const auto narrowed = narrow({values.begin(), values.end()}, type.getDimSize(0));
  if (!narrowed) return {};
  mlir::OpBuilder builder(op);
  graph::GraphBuilder build(builder, op.getLoc(), graph::Folding::kNone);
  llvm::SmallVector<int64_t> shape_of_factors(type.getRank(), 1);
  shape_of_factors[0] = type.getDimSize(0);
  const Value integers = build.constant(mlir::DenseElementsAttr::get(
      type.clone(builder.getI8Type()), llvm::ArrayRef<int8_t>(narrowed->integers)));
  const Value factors = build.constant(mlir::DenseElementsAttr::get(
      type.clone(shape_of_factors), llvm::ArrayRef<float>(narrowed->factors)));
  const auto rows = build.gather(integers, op.getIndices(), 0);
  const auto factor = build.gather(factors, op.getIndices(), 0);
  if (!rows.ok() || !factor.ok()) return {};
  const auto floats = build.cast(*rows, builder.getF32Type());
  if (!floats.ok()) return {};
  const auto product = build.binary(graph::BinaryKind::mul, *floats, *factor);
  return product.ok() ? *product : Value();
}

}  // namespace

int64_t narrowTables(mlir::func::FuncOp function, const std::set<std::string>& float_layers,
                     int64_t least_bytes) {
  int64_t changed = 0;
  for (mlir::Operation& op : llvm::make_early_inc_range(function.getBody().front())) {
    auto gather = mlir::dyn_cast<graph::GatherOp>(op);
    if (!gather || float_layers.contains(layerNameOf(&op))) continue;
    const Value rows = narrowRows(gather, least_bytes);
    if (!rows) continue;
    mlir::Operation* table = gather.getInput().getDefiningOp();
    gather.replaceAllUsesWith(rows);
    gather.erase();
    if (table->use_empty()) table->erase();
    ++changed;
  }
  return changed;
}

}  // namespace vta::compiler
