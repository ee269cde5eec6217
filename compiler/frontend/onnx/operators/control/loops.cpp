// Loop: unrolled where it is small and runs equally often for all inputs, else a loop on the host.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/frontend/onnx/operators/control/graphs_inside.h"
#include "compiler/frontend/onnx/operators/control/operators.h"
#include "compiler/frontend/onnx/rows/bounded_shape.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// Of a loop that nothing ends earlier: the least body takes some hours for so many.
constexpr int64_t kMostIterations = int64_t{1} << 40;
/// Elements of all rows together.
constexpr int64_t kMostRowElements = int64_t{1} << 28;

class LoopImport {
 public:
  explicit LoopImport(Node& node) : node_(node), c_(node) {}

  Status run() {
    VTA_RETURN_IF_ERROR(read());
    VTA_ASSIGN_OR_RETURN(const bool is_unrolled, unroll(UnrollBudget::Size::kWorthwhile));
    return is_unrolled ? Status() : runAtRunTime();
  }

  /// False if it depends on data how often it runs, or if that is too often.
  Result<bool> runUnrolled() {
    VTA_RETURN_IF_ERROR(read());
    return unroll(UnrollBudget::Size::kPossible);
  }

 private:
  Status read();
  Result<bool> unroll(UnrollBudget::Size size);
  Status finishUnrolled(const Values& states, const std::vector<Values>& rows);
  Result<Values> importBody(Value iteration, Value condition, const Values& states);
  Status runAtRunTime();
  Status finishAtRunTime(const LoopParts& loop);
  Status countedRow() const;
  Status checkStates(const Values& next) const;
  Result<int64_t> mostRows() const;

  Node& node_;
  Composer c_;
  const onnx::GraphProto* body_ = nullptr;
  Range trips_ = {0, std::numeric_limits<int64_t>::max()};
  Value condition_;  // 0-D; true where there is none
  Values states_;
  size_t rows_ = 0;  // scan outputs
};

Status LoopImport::read() {
  VTA_ASSIGN_OR_RETURN(body_, node_.subgraph("body"));
  if (node_.hasInput(0)) {
    VTA_ASSIGN_OR_RETURN(const std::vector<Range> count, node_.ranges(0, "M"));
    if (count.size() != 1) return invalidArgument("'M' needs one element");
    trips_ = {std::max<int64_t>(count[0].low, 0), std::max<int64_t>(count[0].high, 0)};
  }
  condition_ = node_.hasInput(1) ? c_.input(1, "cond") : c_.number(1, node_.ir().getI1Type());
  if (c_.ok() && graph::elementCount(c_.shape(condition_)) != 1) {
    return invalidArgument("'cond' needs one element");
  }
  condition_ = c_.reshape(condition_, {});
  for (size_t i = 2; i < node_.inputCount(); ++i) states_.push_back(c_.input(i, "v_initial"));
  rows_ = node_.outputCount() > states_.size() ? node_.outputCount() - states_.size() : 0;
  return c_.status();
}

/// The next condition, the next states, and a row for each scan output.
Result<Values> LoopImport::importBody(Value iteration, Value condition, const Values& states) {
  Values inputs = {iteration, condition};
  inputs.insert(inputs.end(), states.begin(), states.end());
  VTA_ASSIGN_OR_RETURN(Values outputs, node_.importSubgraph(*body_, inputs));
  if (outputs.size() < 1 + states.size() + rows_) {
    return invalidArgument("its body has too few outputs");
  }
  for (size_t i = 1 + states.size(); i < outputs.size(); ++i) {
    if (node_.rowCount(outputs[i]) != nullptr) return countedRow();
  }
  return outputs;
}

/// The error for a row whose size depends on data, perhaps on the number of the iteration.
Status LoopImport::countedRow() const {
  constexpr std::string_view kReason = ", because it adds rows of a size that depends on data";
  if (!trips_.isExact() && node_.hasInput(0)) return node_.hasToBeConstant(0, "M", kReason);
  if (!constantScalar(condition_)) return node_.hasToBeConstant(1, "cond", kReason);
  return unsupported("it adds rows of a size that depends on data");
}

/// False, with nothing that counts imported, if it depends on data how often it runs, or if that is
/// too often.
Result<bool> LoopImport::unroll(UnrollBudget::Size size) {
  const bool has_condition = node_.hasInput(1);
  const bool is_known = !node_.hasInput(0) || trips_.isExact();
  if (!is_known || (trips_.low > kMostUnrolled && node_.hasInput(0))) return false;
  if (!node_.hasInput(0) && !has_condition) return false;
  const int64_t most = node_.hasInput(0) ? trips_.low : kMostUnrolled;
  Values states = states_;
  Value condition = condition_;
  std::vector<Values> rows(rows_);
  UnrollBudget budget(node_, size);
  for (int64_t i = 0; i < most; ++i) {
    const auto goes_on = constantScalar(condition);
    if (!goes_on || !budget.hasRoom()) return false;
    if (*goes_on == 0) {
      VTA_RETURN_IF_ERROR(finishUnrolled(states, rows));
      return true;
    }
    VTA_ASSIGN_OR_RETURN(const Values outputs, importBody(countOf(c_, i), condition, states));
    condition = outputs[0];
    const auto next = outputs.begin() + 1;
    states.assign(next, next + static_cast<int64_t>(states.size()));
    for (size_t k = 0; k < rows_; ++k) rows[k].push_back(outputs[1 + states.size() + k]);
  }
  if (!node_.hasInput(0)) return false;  // it does not end soon
  VTA_RETURN_IF_ERROR(finishUnrolled(states, rows));
  return true;
}

Status LoopImport::finishUnrolled(const Values& states, const std::vector<Values>& rows) {
  for (size_t i = 0; i < states.size(); ++i) node_.setOutput(i, states[i]);
  if (rows_ == 0) return c_.status();
  if (!rows[0].empty()) {
    for (size_t k = 0; k < rows_; ++k) {
      VTA_RETURN_IF_ERROR(c_.finish(stacked(c_, rows[k], 0), states.size() + k));
    }
    return c_.status();
  }
  // No iteration: the body says what a row would have been.
  const mlir::OpBuilder::InsertionGuard guard(node_.ir());
  const mlir::OpBuilder::InsertPoint here = node_.ir().saveInsertionPoint();
  node_.ir().setInsertionPointToEnd(&node_.newBlock());
  VTA_ASSIGN_OR_RETURN(const Values outputs, importBody(countOf(c_, 0), condition_, states_));
  node_.ir().restoreInsertionPoint(here);
  for (size_t k = 0; k < rows_; ++k) {
    const Value row = outputs[1 + states.size() + k];
    Shape shape = c_.shape(row);
    shape.insert(shape.begin(), 0);
    VTA_RETURN_IF_ERROR(
        c_.finish(c_.numbers(shape, {}, graph::elementTypeOf(row)), states.size() + k));
  }
  return c_.status();
}

Status LoopImport::checkStates(const Values& next) const {
  for (size_t i = 0; i < states_.size(); ++i) {
    const bool is_counted =
        node_.rowCount(states_[i]) != nullptr || node_.rowCount(next[i]) != nullptr;
    if (!is_counted && next[i].getType() == states_[i].getType()) continue;
    return unsupported(fmt::format(
        "how often it runs depends on data, and its value {} changes its size from {} to {}; it "
        "has to keep it",
        i, graph::shapeText(graph::shapeOf(states_[i])),
        is_counted ? "one that depends on data" : graph::shapeText(graph::shapeOf(next[i]))));
  }
  return {};
}

/// How many rows there are at most.
Result<int64_t> LoopImport::mostRows() const {
  if (rows_ == 0) return 0;
  if (!node_.hasInput(0)) {
    return unsupported(
        "it adds a row in every iteration, and has no trip count 'M' that says how "
        "many there are at most");
  }
  if (!trips_.hasMost()) return node_.hasToBeConstant(0, "M", kOrElse);
  return trips_.high;
}

Status LoopImport::runAtRunTime() {
  const mlir::Type i64 = node_.ir().getI64Type();
  LoopParts loop;
  VTA_ASSIGN_OR_RETURN(loop.most_rows, mostRows());
  loop.body = &node_.newBlock();
  loop.states = states_;
  loop.condition = condition_;
  loop.most = node_.hasInput(0) ? countAt(c_, c_.input(0, "M"), 0)
                                : countOf(c_, std::numeric_limits<int64_t>::max());
  const mlir::Location loc = node_.build().location();
  const Value iteration = loop.body->addArgument(mlir::RankedTensorType::get({}, i64), loc);
  Values states;
  for (const Value state : states_) {
    states.push_back(loop.body->addArgument(state.getType(), loc));
  }
  if (trips_.hasMost()) node_.setMost(iteration, std::max<int64_t>(trips_.high - 1, 0));
  {
    const mlir::OpBuilder::InsertionGuard guard(node_.ir());
    node_.ir().setInsertionPointToEnd(loop.body);
    // Inside of an iteration it has been true.
    const Value goes_on = c_.number(1, node_.ir().getI1Type());
    VTA_ASSIGN_OR_RETURN(const Values outputs, importBody(iteration, goes_on, states));
    loop.next_condition = c_.reshape(outputs[0], {});
    loop.next_states.assign(outputs.begin() + 1,
                            outputs.begin() + 1 + static_cast<int64_t>(states.size()));
    loop.rows.assign(outputs.begin() + 1 + static_cast<int64_t>(states.size()),
                     outputs.begin() + 1 + static_cast<int64_t>(states.size() + rows_));
    VTA_RETURN_IF_ERROR(c_.status());
  }
  VTA_RETURN_IF_ERROR(checkStates(loop.next_states));
  for (const Value row : loop.rows) {
    const int64_t elements = graph::elementCount(graph::shapeOf(row));
    if (elements == 0 || loop.most_rows <= kMostRowElements / elements) continue;
    return unsupported(
        fmt::format("up to {} rows of {} elements are too many", loop.most_rows, elements));
  }
  return finishAtRunTime(loop);
}

Status LoopImport::finishAtRunTime(const LoopParts& loop) {
  // With a known trip count and no other end, so many rows there are.
  const auto first = constantScalar(loop.condition), next = constantScalar(loop.next_condition);
  const bool is_exact = trips_.isExact() && first && *first != 0 && next && *next != 0;
  if (is_exact && trips_.low > kMostIterations) {
    return unsupported(
        fmt::format("it runs {} times for every input, which would not end; at most {} iterations "
                    "are supported where no condition ends a loop",
                    trips_.low, kMostIterations));
  }
  const Values results = createLoop(node_, loop);
  for (size_t i = 0; i < states_.size(); ++i) node_.setOutput(i, results[1 + i]);
  for (size_t k = 0; k < rows_; ++k) {
    const size_t index = states_.size() + k;
    const Value rows = results[1 + index];
    const Status status =
        is_exact ? c_.finish(rows, index) : finishCounted(c_, rows, {0, results[0]}, index);
    VTA_RETURN_IF_ERROR(status);
  }
  return c_.status();
}

}  // namespace

Status importLoop(Node& node) {
  const Status status = LoopImport(node).run();
  if (status.ok()) return status;
  // A loop that changes the size of a value, for example, is none at run time.
  VTA_ASSIGN_OR_RETURN(const bool is_unrolled, LoopImport(node).runUnrolled());
  return is_unrolled ? Status() : status;
}

}  // namespace vta::compiler
