// If: the branch is chosen now where the condition is known, otherwise when the model runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/control/graphs_inside.h"
#include "compiler/frontend/onnx/operators/control/operators.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

struct Branch {
  mlir::Block* block = nullptr;
  Values values;
  Values counts;  // of those that differ in size
};

Result<Branch> importBranch(Node& node, const char* name) {
  VTA_ASSIGN_OR_RETURN(const onnx::GraphProto* graph, node.subgraph(name));
  Branch branch;
  branch.block = &node.newBlock();
  VTA_ASSIGN_OR_RETURN(branch.values, node.importInto(*branch.block, *graph, {}));
  return branch;
}

/// The dimension along which two results have sizes of their own; -1 if they have one type.
Result<int64_t> differingAxis(Node& node, Value lhs, Value rhs) {
  const Shape a = graph::optionalShape(lhs), b = graph::optionalShape(rhs);
  const auto misfit = [&] {
    return unsupported(fmt::format(
        "its condition depends on the model's inputs, and its branches give {} and {}; they may "
        "differ in one extent",
        graph::shapeText(a), graph::shapeText(b)));
  };
  if (a.size() != b.size()) return misfit();
  int64_t axis = -1;
  for (const Value value : {lhs, rhs}) {
    const RowCount* rows = node.rowCount(value);
    if (rows != nullptr && axis >= 0 && rows->axis != axis) return misfit();
    if (rows != nullptr) axis = rows->axis;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (axis >= 0 && axis != static_cast<int64_t>(i)) return misfit();
    axis = static_cast<int64_t>(i);
  }
  return axis;
}

/// Makes room for `extent` entries in a branch's result, and counts those that it has.
Status makeRoom(Node& node, Branch& branch, size_t index, int64_t axis, int64_t extent) {
  const mlir::OpBuilder::InsertionGuard guard(node.ir());
  node.ir().setInsertionPointToEnd(branch.block);
  Composer c(node);
  Value& value = branch.values[index];
  const Shape shape = c.shape(value);
  const RowCount* rows = node.rowCount(value);
  branch.counts.push_back(rows != nullptr ? rows->count : countOf(c, shape[axis]));
  Shape low(shape.size(), 0), high(shape.size(), 0);
  high[axis] = extent - shape[axis];
  if (high[axis] > 0) value = c.pad(value, low, high);
  return c.status();
}

/// Whether a branch is not valid for the shapes that it reads. What is not supported at all is
/// another matter: it is listed among the refusals.
bool isMisfit(const Result<Branch>& branch) {
  return branch.status().code() == StatusCode::kInvalidArgument;
}

/// An index that is 0 where the condition chooses the branch that fits; the run fails where not.
Value checkedChoice(Composer& c, Value condition, bool then_fits, const std::string& complaint) {
  const mlir::Type i64 = c.node().ir().getI64Type();
  const Value zero = c.number(0, i64), one = c.number(1, i64);
  const Value chosen =
      c.where(c.reshape(condition, {}), then_fits ? zero : one, then_fits ? one : zero);
  return c.ok() ? c.take(c.node().build().checkIndices(chosen, Shape{1}, complaint)) : Value();
}

/// One branch is not valid for the shapes that the model's inputs have: it is for others, as in
/// models that serve several sample rates. The other branch is computed, and a run whose condition
/// does not choose it fails.
Status importFittingBranch(Node& node, Value condition, bool then_fits, const Status& misfit) {
  const char* fitting = then_fits ? "then_branch" : "else_branch";
  const char* other = then_fits ? "else_branch" : "then_branch";
  VTA_ASSIGN_OR_RETURN(const onnx::GraphProto* branch, node.subgraph(fitting));
  VTA_ASSIGN_OR_RETURN(const Values values, node.importSubgraph(*branch, {}));
  Composer c(node);
  // The full stop: see hostFailureStatus.
  const Value checked = checkedChoice(
      c, condition, then_fits,
      fmt::format("{}: its condition chooses '{}', which is not in the compiled model: it does not "
                  "fit the shapes that the model's inputs have ({}).",
                  node.label(), other, misfit.message()));
  for (size_t i = 0; i < values.size(); ++i) {
    const RowCount* rows = node.rowCount(values[i]);
    const std::optional<RowCount> counted = rows != nullptr ? std::optional(*rows) : std::nullopt;
    // To select from one entry passes the value on, and makes it depend on the check.
    const Value value = c.gather(c.unsqueeze(values[i], 0), checked, 0);
    VTA_RETURN_IF_ERROR(counted ? finishCounted(c, value, *counted, i) : c.finish(value, i));
  }
  node.note(
      fmt::format("{}: its '{}' does not fit the shapes that the model's inputs have, and is left "
                  "out; a run whose condition chooses it is an error ({})",
                  node.label(), other, misfit.message()));
  return {};
}

Status importComputedIf(Node& node, Value condition) {
  Result<Branch> first = importBranch(node, "then_branch");
  Result<Branch> second = importBranch(node, "else_branch");
  if (first.ok() && isMisfit(second)) {
    return importFittingBranch(node, condition, true, second.status());
  }
  if (second.ok() && isMisfit(first)) {
    return importFittingBranch(node, condition, false, first.status());
  }
  VTA_ASSIGN_OR_RETURN(Branch then_branch, std::move(first));
  VTA_ASSIGN_OR_RETURN(Branch else_branch, std::move(second));
  const size_t outputs = then_branch.values.size();
  if (else_branch.values.size() != outputs) {
    return invalidArgument("its branches differ in the number of their outputs");
  }
  std::vector<int64_t> axes;
  for (size_t i = 0; i < outputs; ++i) {
    const Value lhs = then_branch.values[i], rhs = else_branch.values[i];
    if (graph::elementTypeOf(lhs) != graph::elementTypeOf(rhs)) {
      return invalidArgument("its branches give different types of elements");
    }
    VTA_ASSIGN_OR_RETURN(axes.emplace_back(), differingAxis(node, lhs, rhs));
    if (axes[i] < 0) continue;
    const int64_t extent = std::max(graph::shapeOf(lhs)[axes[i]], graph::shapeOf(rhs)[axes[i]]);
    VTA_RETURN_IF_ERROR(makeRoom(node, then_branch, i, axes[i], extent));
    VTA_RETURN_IF_ERROR(makeRoom(node, else_branch, i, axes[i], extent));
  }
  for (Branch* branch : std::array{&then_branch, &else_branch}) {
    branch->values.insert(branch->values.end(), branch->counts.begin(), branch->counts.end());
  }
  VTA_ASSIGN_OR_RETURN(condition, node.build().reshape(condition, Shape{}));
  const Values results = createIf(node, condition, *then_branch.block, then_branch.values,
                                  *else_branch.block, else_branch.values);
  Composer c(node);
  size_t next_count = outputs;
  for (size_t i = 0; i < outputs; ++i) {
    const Status status = axes[i] < 0
                              ? c.finish(results[i], i)
                              : finishCounted(c, results[i], {axes[i], results[next_count++]}, i);
    VTA_RETURN_IF_ERROR(status);
  }
  return {};
}

}  // namespace

Status importIf(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value condition, node.input(0, "cond"));
  if (graph::elementCount(graph::shapeOf(condition)) != 1) {
    return invalidArgument("'cond' needs one element");
  }
  const auto known = constantScalar(condition);
  if (!known) return importComputedIf(node, condition);
  VTA_ASSIGN_OR_RETURN(const onnx::GraphProto* branch,
                       node.subgraph(*known != 0 ? "then_branch" : "else_branch"));
  VTA_ASSIGN_OR_RETURN(const Values values, node.importSubgraph(*branch, {}));
  for (size_t i = 0; i < values.size(); ++i) node.setOutput(i, values[i]);
  return {};
}

std::span<const OpEntry> controlFlowOps() {
  static constexpr OpEntry kOps[] = {
      {"If", 1, kLatest, importIf},
      {"Loop", 1, kLatest, importLoop},
      {"Scan", 8, kLatest, importScan},
  };
  return kOps;
}

}  // namespace vta::compiler
