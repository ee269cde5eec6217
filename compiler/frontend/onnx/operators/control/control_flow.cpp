// If, Loop and Scan: everything is static, so loops are unrolled and conditions folded.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;
using Values = std::vector<Value>;

constexpr int64_t kMostIterations = 4096;

/// The value of a constant of one element; nothing if it is computed.
std::optional<int64_t> constantScalar(Value value) {
  const mlir::DenseElementsAttr attribute = graph::constantOf(value);
  if (!attribute || attribute.getNumElements() != 1) return std::nullopt;
  if (!attribute.getElementType().isIntOrIndex()) return std::nullopt;
  const auto element = *attribute.getValues<llvm::APInt>().begin();
  return element.getBitWidth() == 1 ? static_cast<int64_t>(element.getZExtValue())
                                    : element.getSExtValue();
}

Result<Values> importBranch(Node& node, const char* name) {
  VTA_ASSIGN_OR_RETURN(const onnx::GraphProto* branch, node.subgraph(name));
  return node.importSubgraph(*branch, {});
}

/// Both branches are computed and one is chosen: graph ops have no effects.
Status importChoice(Node& node, Value condition) {
  VTA_ASSIGN_OR_RETURN(const Values lhs, importBranch(node, "then_branch"));
  VTA_ASSIGN_OR_RETURN(const Values rhs, importBranch(node, "else_branch"));
  VTA_ASSIGN_OR_RETURN(condition, node.build().reshape(condition, Shape{}));
  for (size_t i = 0; i < std::min(lhs.size(), rhs.size()); ++i) {
    if (lhs[i].getType() != rhs[i].getType()) {
      return unsupported(fmt::format(
          "its condition depends on the model's inputs, and its branches give {} and {}; shapes "
          "have to be known",
          graph::shapeText(graph::shapeOf(lhs[i])), graph::shapeText(graph::shapeOf(rhs[i]))));
    }
    VTA_ASSIGN_OR_RETURN(Value chosen, node.build().where(condition, lhs[i], rhs[i]));
    node.setOutput(i, chosen);
  }
  return {};
}

Status importIf(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value condition, node.input(0, "cond"));
  if (graph::elementCount(graph::shapeOf(condition)) != 1) {
    return invalidArgument("'cond' needs one element");
  }
  const auto known = constantScalar(condition);
  if (!known) return importChoice(node, condition);
  VTA_ASSIGN_OR_RETURN(const Values values,
                       importBranch(node, *known != 0 ? "then_branch" : "else_branch"));
  for (size_t i = 0; i < values.size(); ++i) node.setOutput(i, values[i]);
  return {};
}

/// Values that every iteration adds, along a dimension of their own.
Value stacked(Composer& c, const Values& values, int64_t axis) {
  if (values.empty()) {
    c.fail(unsupported("without an iteration the shapes of its outputs are not known"));
    return {};
  }
  Values parts;
  for (Value value : values) parts.push_back(c.unsqueeze(value, axis));
  return c.concat(parts, axis);
}

/// How often a loop runs: its trip count, which has to be known.
Result<int64_t> tripCount(Node& node) {
  if (!node.hasInput(0)) return kMostIterations + 1;
  VTA_ASSIGN_OR_RETURN(const Shape count, node.integers(0, "M"));
  if (count.size() != 1) return invalidArgument("'M' needs one element");
  if (count[0] > kMostIterations && !node.hasInput(1)) {
    return unsupported(fmt::format("{} iterations are more than the {} that are unrolled", count[0],
                                   kMostIterations));
  }
  return std::clamp<int64_t>(count[0], 0, kMostIterations + 1);
}

/// Whether the loop goes on; an error where that depends on data.
Result<bool> goesOn(Value condition) {
  const auto known = constantScalar(condition);
  if (known) return *known != 0;
  return unsupported(
      "its condition depends on the model's inputs; only loops that run equally often for all "
      "inputs can be unrolled");
}

Status importLoop(Node& node) {
  VTA_ASSIGN_OR_RETURN(const onnx::GraphProto* body, node.subgraph("body"));
  VTA_ASSIGN_OR_RETURN(const int64_t count, tripCount(node));
  Composer c(node);
  const mlir::Type i64 = node.ir().getI64Type(), i1 = node.ir().getI1Type();
  Value condition = c.number(1, i1);
  if (node.hasInput(1)) {
    VTA_RETURN_IF_ERROR(node.constant(1, "cond").status());
    condition = node.optionalInput(1);
  }
  Values carried;
  for (size_t i = 2; i < node.inputCount(); ++i) carried.push_back(c.input(i, "v_initial"));
  if (!c.ok()) return c.status();
  const size_t state = carried.size();
  std::vector<Values> scans(node.outputCount() > state ? node.outputCount() - state : 0);
  for (int64_t i = 0; i < count; ++i) {
    VTA_ASSIGN_OR_RETURN(const bool more, goesOn(condition));
    if (!more) break;
    if (i == kMostIterations) {
      return unsupported(fmt::format("more than {} iterations are not unrolled", kMostIterations));
    }
    Values inputs = {c.number(static_cast<double>(i), i64), condition};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    VTA_ASSIGN_OR_RETURN(const Values outputs, node.importSubgraph(*body, inputs));
    if (outputs.size() < 1 + state + scans.size()) {
      return invalidArgument("its body has too few outputs");
    }
    condition = outputs[0];
    carried.assign(outputs.begin() + 1, outputs.begin() + 1 + static_cast<int64_t>(state));
    for (size_t k = 0; k < scans.size(); ++k) scans[k].push_back(outputs[1 + state + k]);
  }
  for (size_t i = 0; i < state; ++i) node.setOutput(i, carried[i]);
  for (size_t k = 0; k < scans.size(); ++k) {
    if (!node.isOutputUsed(state + k)) continue;
    VTA_RETURN_IF_ERROR(c.finish(stacked(c, scans[k], 0), state + k));
  }
  return c.status();
}

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
  if (form.length <= kMostIterations) return form;
  return unsupported(fmt::format("{} iterations are more than the {} that are unrolled",
                                 form.length, kMostIterations));
}

Status importScan(Node& node) {
  VTA_ASSIGN_OR_RETURN(ScanForm form, readScan(node));
  Composer c(node);
  std::vector<Values> scans(form.output_axes.size());
  for (int64_t i = 0; i < form.length; ++i) {
    Values inputs = form.state;
    for (size_t k = 0; k < form.scanned.size(); ++k) {
      const int64_t axis = form.input_axes[k];
      const int64_t at = form.input_backwards[k] != 0 ? form.length - 1 - i : i;
      inputs.push_back(c.squeeze(c.slice(form.scanned[k], axis, at, at + 1), axis));
    }
    if (!c.ok()) return c.status();
    VTA_ASSIGN_OR_RETURN(const Values outputs, node.importSubgraph(*form.body, inputs));
    if (outputs.size() < form.states + scans.size()) {
      return invalidArgument("its body has too few outputs");
    }
    form.state.assign(outputs.begin(), outputs.begin() + static_cast<int64_t>(form.states));
    for (size_t k = 0; k < scans.size(); ++k) scans[k].push_back(outputs[form.states + k]);
  }
  const bool is_old = node.opset() < 9;
  const auto finish = [&](Value value, size_t index) {
    return c.finish(is_old ? c.unsqueeze(value, 0) : value, index);
  };
  for (size_t i = 0; i < form.states; ++i) VTA_RETURN_IF_ERROR(finish(form.state[i], i));
  for (size_t k = 0; k < scans.size(); ++k) {
    if (scans[k].empty()) return unsupported("a scan of nothing is not supported");
    if (form.output_backwards[k] != 0) std::ranges::reverse(scans[k]);
    const int64_t axis = c.axis(form.output_axes[k], c.rank(scans[k][0]) + 1);
    VTA_RETURN_IF_ERROR(finish(stacked(c, scans[k], axis), form.states + k));
  }
  return c.status();
}

}  // namespace

std::span<const OpEntry> controlFlowOps() {
  static constexpr OpEntry kOps[] = {
      {"If", 1, kLatest, importIf},
      {"Loop", 1, kLatest, importLoop},
      {"Scan", 8, kLatest, importScan},
  };
  return kOps;
}

}  // namespace vta::compiler
