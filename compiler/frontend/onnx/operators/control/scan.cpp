// Scan: unrolled if it is small, else a loop on the host.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/frontend/onnx/operators/control/graphs_inside.h"
#include "compiler/frontend/onnx/operators/control/operators.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// The attributes and inputs of a Scan of one sequence (not of a batch, as before opset 9).
struct ScanForm {
  const onnx::GraphProto* body = nullptr;
  size_t states = 0;
  int64_t length = 0;
  Values state;
  Values scanned;
  Shape input_axes, input_backwards, output_axes, output_backwards;
};

Shape listOr(Node& node, const char* name, size_t count) {
  Shape values = node.integerList(name).value_or(Shape());
  values.resize(count, 0);
  return values;
}

Result<ScanForm> readScan(Node& node) {
  ScanForm form;
  VTA_ASSIGN_OR_RETURN(form.body, node.subgraph("body"));
  const bool is_old = node.opset() < 9;
  const auto given = static_cast<int64_t>(node.inputCount()) - (is_old ? 1 : 0);
  const int64_t scans = node.integer("num_scan_inputs", 0);
  if (scans < 1 || scans > given) return invalidArgument("'num_scan_inputs' does not fit");
  if (is_old && node.hasInput(0)) return unsupported("'sequence_lens' is not supported");
  form.states = static_cast<size_t>(given - scans);
  form.input_axes = listOr(node, "scan_input_axes", scans);
  form.input_backwards = listOr(node, is_old ? "directions" : "scan_input_directions", scans);
  const size_t outputs = std::max(node.outputCount(), form.states) - form.states;
  form.output_axes = listOr(node, "scan_output_axes", outputs);
  form.output_backwards = listOr(node, "scan_output_directions", outputs);
  Composer c(node);
  for (int64_t i = 0; i < given; ++i) {
    Value value = c.input(i + (is_old ? 1 : 0), "initial_state_and_scan_inputs");
    // A batch of one sequence is that sequence.
    if (is_old && c.ok() && (c.rank(value) < 1 || c.shape(value)[0] != 1)) {
      return unsupported("only batches of 1 are supported before opset 9");
    }
    if (is_old) value = c.squeeze(value, 0);
    (i < given - scans ? form.state : form.scanned).push_back(value);
  }
  for (int64_t k = 0; k < scans && c.ok(); ++k) {
    form.input_axes[k] = c.axis(form.input_axes[k], c.rank(form.scanned[k]));
    if (!c.ok()) break;
    const int64_t length = c.shape(form.scanned[k])[form.input_axes[k]];
    if (k > 0 && length != form.length) return invalidArgument("its inputs differ in length");
    form.length = length;
  }
  if (!c.ok()) return c.status();
  return form;
}

/// What iteration `at`, a number or a value, takes from a scanned input.
Value sliceOf(Composer& c, const ScanForm& form, size_t input, Value at) {
  const Value scanned = form.scanned[input];
  const int64_t axis = form.input_axes[input];
  if (const auto known = constantScalar(at)) {
    const int64_t from = form.input_backwards[input] != 0 ? form.length - 1 - *known : *known;
    return c.squeeze(c.slice(scanned, axis, from, from + 1), axis);
  }
  if (form.input_backwards[input] != 0) at = c.sub(countOf(c, form.length - 1), at);
  return c.gather(scanned, at, axis);
}

/// The next states, and a row for each scan output.
Result<Values> importBody(Composer& c, const ScanForm& form, const Values& states, Value at) {
  Values inputs = states;
  for (size_t k = 0; k < form.scanned.size(); ++k) inputs.push_back(sliceOf(c, form, k, at));
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(Values outputs, c.node().importSubgraph(*form.body, inputs));
  if (outputs.size() < form.states + form.output_axes.size()) {
    return invalidArgument("its body has too few outputs");
  }
  return outputs;
}

/// What a Scan gives: the last states, and the rows of all iterations, [length, ...].
struct Scanned {
  Values states, rows;
};

/// Nothing if that becomes too many ops.
Result<std::optional<Scanned>> unrolled(Composer& c, const ScanForm& form,
                                        UnrollBudget::Size size) {
  Scanned result{form.state, {}};
  std::vector<Values> rows(form.output_axes.size());
  if (form.length == 0 || form.length > kMostUnrolled) return std::optional<Scanned>();
  UnrollBudget budget(c.node(), size);
  for (int64_t i = 0; i < form.length; ++i) {
    if (!budget.hasRoom()) return std::optional<Scanned>();
    VTA_ASSIGN_OR_RETURN(const Values outputs, importBody(c, form, result.states, countOf(c, i)));
    const auto states_end = outputs.begin() + static_cast<int64_t>(form.states);
    result.states.assign(outputs.begin(), states_end);
    for (size_t k = 0; k < rows.size(); ++k) rows[k].push_back(outputs[form.states + k]);
  }
  for (const Values& values : rows) result.rows.push_back(stacked(c, values, 0));
  return std::optional<Scanned>(std::move(result));
}

/// A loop on the host; also where there is nothing to scan, and the body only says what a row is.
Result<Scanned> asLoop(Composer& c, const ScanForm& form) {
  Node& node = c.node();
  const mlir::Location loc = node.build().location();
  LoopParts loop;
  loop.body = &node.newBlock();
  loop.states = form.state;
  loop.most = countOf(c, form.length);
  loop.most_rows = form.length;
  loop.condition = c.number(1, node.ir().getI1Type());
  const Value at = loop.body->addArgument(loop.most.getType(), loc);
  Values states;
  for (const Value state : form.state) {
    states.push_back(loop.body->addArgument(state.getType(), loc));
  }
  {
    const mlir::OpBuilder::InsertionGuard guard(node.ir());
    node.ir().setInsertionPointToEnd(loop.body);
    VTA_ASSIGN_OR_RETURN(const Values outputs, importBody(c, form, states, at));
    loop.next_condition = c.number(1, node.ir().getI1Type());
    const auto rows_begin = outputs.begin() + static_cast<int64_t>(form.states);
    loop.next_states.assign(outputs.begin(), rows_begin);
    loop.rows.assign(rows_begin, rows_begin + static_cast<int64_t>(form.output_axes.size()));
    VTA_RETURN_IF_ERROR(c.status());
  }
  for (size_t i = 0; i < form.states; ++i) {
    if (loop.next_states[i].getType() == form.state[i].getType()) continue;
    return unsupported(fmt::format("its state {} changes its size", i));
  }
  const Values results = createLoop(node, loop);
  const auto rows_begin = results.begin() + 1 + static_cast<int64_t>(form.states);
  return Scanned{{results.begin() + 1, rows_begin}, {rows_begin, results.end()}};
}

Result<Scanned> scanned(Composer& c, const ScanForm& form) {
  VTA_ASSIGN_OR_RETURN(std::optional<Scanned> result,
                       unrolled(c, form, UnrollBudget::Size::kWorthwhile));
  if (result) return *std::move(result);
  Composer attempt(c.node());  // keeps its first error
  Result<Scanned> loop = asLoop(attempt, form);
  if (loop.ok()) return loop;
  // A body that changes the size of a value, for example, is no loop.
  VTA_ASSIGN_OR_RETURN(result, unrolled(c, form, UnrollBudget::Size::kPossible));
  if (result) return *std::move(result);
  return loop;
}

/// Rows in front as dimension `axis`.
Value moved(Composer& c, Value rows, int64_t axis) {
  Shape order;
  for (int64_t i = 1; i < c.rank(rows); ++i) order.push_back(i);
  order.insert(order.begin() + axis, 0);
  return c.transpose(rows, order);
}

}  // namespace

Status importScan(Node& node) {
  VTA_ASSIGN_OR_RETURN(const ScanForm form, readScan(node));
  Composer c(node);
  VTA_ASSIGN_OR_RETURN(const Scanned result, scanned(c, form));
  const bool is_old = node.opset() < 9;
  const auto finish = [&](Value value, size_t index) {
    return c.finish(is_old ? c.unsqueeze(value, 0) : value, index);
  };
  for (size_t i = 0; i < form.states; ++i) VTA_RETURN_IF_ERROR(finish(result.states[i], i));
  for (size_t k = 0; k < result.rows.size(); ++k) {
    Value rows = result.rows[k];
    if (form.output_backwards[k] != 0 && form.length > 0) rows = c.reversed(rows, 0);
    const int64_t axis = c.axis(form.output_axes[k], c.rank(rows));
    if (!c.ok()) return c.status();
    VTA_RETURN_IF_ERROR(finish(axis == 0 ? rows : moved(c, rows, axis), form.states + k));
  }
  return c.status();
}

}  // namespace vta::compiler
