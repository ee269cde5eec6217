// RNN, GRU and LSTM: one product for the inputs of all steps, and a loop over the steps on the
// host.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/control/graphs_inside.h"
#include "compiler/frontend/onnx/operators/layers.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::UnaryKind;
using mlir::Value;

/// An activation function with its parameters.
struct Activation {
  std::string name;
  std::optional<double> alpha, beta;
};

Value apply(Composer& c, const Activation& f, Value x) {
  const auto alpha = [&](double otherwise) { return f.alpha.value_or(otherwise); };
  const auto beta = [&](double otherwise) { return f.beta.value_or(otherwise); };
  if (f.name == "relu") return c.unary(UnaryKind::relu, x);
  if (f.name == "tanh") return c.unary(UnaryKind::tanh, x);
  if (f.name == "sigmoid") return c.unary(UnaryKind::sigmoid, x);
  if (f.name == "softsign") return c.unary(UnaryKind::softsign, x);
  if (f.name == "softplus") return c.unary(UnaryKind::softplus, x);
  if (f.name == "leakyrelu") return c.unary(UnaryKind::leaky_relu, x, alpha(0.01));
  if (f.name == "elu") return c.unary(UnaryKind::elu, x, alpha(1));
  if (f.name == "thresholdedrelu") return c.unary(UnaryKind::thresholded_relu, x, alpha(1));
  if (f.name == "hardsigmoid") return c.unary(UnaryKind::hard_sigmoid, x, alpha(0.2), beta(0.5));
  if (f.name == "scaledtanh") {
    return c.scale(c.unary(UnaryKind::tanh, c.scale(x, beta(1))), alpha(1));
  }
  if (f.name == "affine") {
    return c.add(c.scale(x, alpha(1)), c.numberLike(beta(0), x));
  }
  c.fail(invalidArgument(fmt::format("activation '{}' is unknown", f.name)));
  return {};
}

/// The operands of one direction; null where an optional input is absent.
struct Direction {
  bool backwards = false;
  std::vector<Activation> functions;
  Value weight, recurrence;            // [gates * hidden, input] and [gates * hidden, hidden]
  Value weight_bias, recurrence_bias;  // [gates * hidden]
  Value hidden, cell;                  // [batch, hidden]; no cell but in an LSTM
  Value peepholes;                     // [3 * hidden]
};

/// What a node of any of the three operators says.
struct Recurrent {
  int64_t gates = 1, hidden = 0, steps = 0, batch = 0, directions = 1;
  double clip = 0;
  bool has_cell = false, linear_before_reset = false, input_forget = false, batch_first = false;
  Value input;    // [steps, batch, input]
  Value lengths;  // [batch, 1] of i64, or null
};

struct State {
  Value hidden, cell;
};

Value clipped(Composer& c, const Recurrent& r, Value x) {
  if (r.clip <= 0) return x;
  return c.max(c.min(x, c.numberLike(r.clip, x)), c.numberLike(-r.clip, x));
}

/// `gates` of a step, [batch, gates * hidden], one by one.
Values gatesOf(Composer& c, const Recurrent& r, Value gates) { return c.split(gates, 1, r.gates); }

Value sumOf(Composer& c, Value lhs, Value rhs) { return rhs ? c.add(lhs, rhs) : lhs; }

State stepRnn(Composer& c, const Recurrent& r, const Direction& d, Value x, const State& state) {
  Value sum = c.add(x, c.matmul(state.hidden, d.recurrence));
  sum = sumOf(c, sum, d.recurrence_bias);
  return {apply(c, d.functions[0], clipped(c, r, sum)), {}};
}

State stepGru(Composer& c, const Recurrent& r, const Direction& d, Value x, const State& state) {
  const Values from_input = gatesOf(c, r, x);  // update, reset, hidden
  const int64_t h = r.hidden;
  const Value both = c.ok() ? c.slice(d.recurrence, 1, 0, 2 * h) : Value();
  const Value last = c.ok() ? c.slice(d.recurrence, 1, 2 * h, 3 * h) : Value();
  Value gates = c.matmul(state.hidden, both);
  Value bias_last;
  if (d.recurrence_bias) {
    gates = c.add(gates, c.slice(d.recurrence_bias, 0, 0, 2 * h));
    bias_last = c.slice(d.recurrence_bias, 0, 2 * h, 3 * h);
  }
  const Values from_state = c.split(gates, 1, 2);
  const auto gate = [&](int i) {
    return apply(c, d.functions[0], clipped(c, r, c.add(from_input[i], from_state[i])));
  };
  const Value update = gate(0), reset = gate(1);
  Value candidate;
  if (r.linear_before_reset) {
    candidate = c.mul(reset, sumOf(c, c.matmul(state.hidden, last), bias_last));
  } else {
    candidate = sumOf(c, c.matmul(c.mul(reset, state.hidden), last), bias_last);
  }
  candidate = apply(c, d.functions[1], clipped(c, r, c.add(from_input[2], candidate)));
  const Value kept = c.mul(update, state.hidden);
  return {c.add(c.mul(c.sub(c.numberLike(1, update), update), candidate), kept), {}};
}

State stepLstm(Composer& c, const Recurrent& r, const Direction& d, Value x, const State& state) {
  Value sum = c.add(x, c.matmul(state.hidden, d.recurrence));
  sum = sumOf(c, sum, d.recurrence_bias);
  const Values gates = gatesOf(c, r, sum);  // input, output, forget, cell
  Values peepholes(3);                      // input, output, forget
  if (d.peepholes) peepholes = c.split(d.peepholes, 0, 3);
  const auto gate = [&](int i, Value cell) {
    Value value = gates[i];
    if (d.peepholes) value = c.add(value, c.mul(peepholes[i], cell));
    return apply(c, d.functions[0], clipped(c, r, value));
  };
  const Value in = gate(0, state.cell);
  const Value forget = r.input_forget ? c.sub(c.numberLike(1, in), in) : gate(2, state.cell);
  const Value candidate = apply(c, d.functions[1], clipped(c, r, gates[3]));
  const Value cell = c.add(c.mul(forget, state.cell), c.mul(in, candidate));
  const Value out = gate(1, cell);
  return {c.mul(out, apply(c, d.functions[2], cell)), cell};
}

using Step = State (*)(Composer&, const Recurrent&, const Direction&, Value, const State&);

/// Part `index` of the first dimension, without it; null for null.
Value partOf(Composer& c, Value value, int64_t index) {
  if (!value) return {};
  return c.squeeze(c.slice(value, 0, index, index + 1), 0);
}

Direction readDirection(Composer& c, const Recurrent& r, const Value (&inputs)[8], int64_t index) {
  Direction d;
  d.weight = partOf(c, inputs[1], index);
  d.recurrence = c.transpose(partOf(c, inputs[2], index), {1, 0});
  if (Value bias = partOf(c, inputs[3], index)) {
    const Values halves = c.split(bias, 0, 2);
    d.weight_bias = halves[0];
    d.recurrence_bias = halves[1];
  }
  const Shape shape = {r.batch, r.hidden};
  d.hidden =
      inputs[5] ? partOf(c, inputs[5], index) : c.filled(shape, 0, graph::elementTypeOf(r.input));
  if (r.has_cell) {
    d.cell =
        inputs[6] ? partOf(c, inputs[6], index) : c.filled(shape, 0, graph::elementTypeOf(r.input));
  }
  d.peepholes = partOf(c, inputs[7], index);
  return d;
}

struct Run {
  Value outputs;  // of all steps, [steps, batch, hidden]
  State last;
};

/// What one step gives, [batch, hidden], and the state behind it.
struct StepResult {
  Value output;
  State next;
};

/// The step at time `at`, a number (0-D i64). Past a sequence's length it keeps the state and gives
/// 0.
StepResult stepAt(Composer& c, const Recurrent& r, const Direction& d, Step step, Value x, Value at,
                  const State& state) {
  State next = step(c, r, d, x, state);
  if (!r.lengths) return {next.hidden, next};
  const Value inside = c.less(at, r.lengths);
  const Value output = c.keep(inside, next.hidden);
  next.hidden = c.where(inside, next.hidden, state.hidden);
  if (next.cell) next.cell = c.where(inside, next.cell, state.cell);
  return {output, next};
}

/// A loop over the steps, which the host runs. The time to compile it does not depend on their
/// number.
Run runLoop(Composer& c, const Recurrent& r, const Direction& d, Step step, Value projected) {
  Node& node = c.node();
  LoopParts loop;
  loop.body = &node.newBlock();
  loop.most = countOf(c, r.steps);
  loop.most_rows = r.steps;
  loop.condition = c.number(1, node.ir().getI1Type());
  loop.states = {d.hidden};
  if (d.cell) loop.states.push_back(d.cell);
  if (!c.ok()) return {};
  const mlir::Location loc = node.build().location();
  Value at = loop.body->addArgument(loop.most.getType(), loc);
  State state;
  state.hidden = loop.body->addArgument(d.hidden.getType(), loc);
  if (d.cell) state.cell = loop.body->addArgument(d.cell.getType(), loc);
  {
    const mlir::OpBuilder::InsertionGuard guard(node.ir());
    node.ir().setInsertionPointToEnd(loop.body);
    if (d.backwards) at = c.sub(countOf(c, r.steps - 1), at);
    const StepResult result = stepAt(c, r, d, step, c.gather(projected, at, 0), at, state);
    loop.next_condition = c.number(1, node.ir().getI1Type());
    loop.next_states = {result.next.hidden};
    if (d.cell) loop.next_states.push_back(result.next.cell);
    loop.rows = {result.output};
    if (!c.ok()) return {};
  }
  const Values results = createLoop(node, loop);  // count, states, rows
  const State last = {results[1], d.cell ? results[2] : Value()};
  return {d.backwards ? c.reversed(results.back(), 0) : results.back(), last};
}

/// All steps in one direction.
Run runDirection(Composer& c, const Recurrent& r, const Direction& d, Step step) {
  // One product for all steps: [steps, batch, gates * hidden].
  Value projected = c.matmul(r.input, c.transpose(d.weight, {1, 0}));
  projected = sumOf(c, projected, d.weight_bias);
  if (!c.ok()) return {};
  if (r.steps > 1) return runLoop(c, r, d, step, projected);
  const State first = {d.hidden, d.cell};
  if (r.steps == 0) {
    return {c.numbers({0, r.batch, r.hidden}, {}, graph::elementTypeOf(r.input)), first};
  }
  const Value at = countOf(c, 0);
  const StepResult result = stepAt(c, r, d, step, partOf(c, projected, 0), at, first);
  return {c.unsqueeze(result.output, 0), result.next};
}

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char ch) { return std::tolower(ch); });
  return text;
}

/// The functions of all directions, one after the other.
Result<std::vector<Activation>> readActivations(Node& node, const std::vector<std::string>& usual,
                                                int64_t directions) {
  std::vector<std::string> names = node.textList("activations");
  const size_t wanted = usual.size() * static_cast<size_t>(directions);
  for (size_t i = 0; names.size() < wanted; ++i) names.push_back(usual[i % usual.size()]);
  if (names.size() != wanted) {
    return invalidArgument(fmt::format("{} activations, expected {}", names.size(), wanted));
  }
  // Parameters are listed for the functions that have them.
  const auto alphas = node.numberList("activation_alpha").value_or(std::vector<double>());
  const auto betas = node.numberList("activation_beta").value_or(std::vector<double>());
  size_t alpha = 0, beta = 0;
  std::vector<Activation> functions;
  for (const std::string& name : names) {
    Activation f{lowered(name), {}, {}};
    const bool has_beta = f.name == "hardsigmoid" || f.name == "scaledtanh" || f.name == "affine";
    const bool has_alpha =
        has_beta || f.name == "leakyrelu" || f.name == "elu" || f.name == "thresholdedrelu";
    if (has_alpha && alpha < alphas.size()) f.alpha = alphas[alpha++];
    if (has_beta && beta < betas.size()) f.beta = betas[beta++];
    functions.push_back(f);
  }
  return functions;
}

Status checkShape(Composer& c, Value value, const Shape& expected, const char* name) {
  if (!c.ok() || !value || c.shape(value) == expected) return c.status();
  return invalidArgument(fmt::format("input '{}' has the shape {}, expected {}", name,
                                     graph::shapeText(c.shape(value)), graph::shapeText(expected)));
}

Result<Recurrent> readRecurrent(Composer& c, Node& node, int64_t gates, Value (&inputs)[8]) {
  Recurrent r;
  r.gates = gates;
  r.has_cell = gates == 4;
  r.batch_first = node.integer("layout", 0) != 0;
  r.clip = node.number("clip", 0);
  r.linear_before_reset = node.integer("linear_before_reset", 0) != 0;
  r.input_forget = node.integer("input_forget", 0) != 0;
  for (size_t i = 0; i < 8; ++i) inputs[i] = c.optional(i);
  r.input = c.input(0, "X");
  if (c.ok() && r.batch_first) {
    r.input = c.transpose(r.input, {1, 0, 2});
    for (size_t i : {5, 6}) inputs[i] = inputs[i] ? c.transpose(inputs[i], {1, 0, 2}) : Value();
  }
  if (!c.ok() || c.rank(r.input) != 3) return invalidArgument("'X' needs three dimensions");
  const Shape shape = c.shape(r.input), weight = c.shape(c.input(1, "W"));
  if (!c.ok()) return c.status();
  if (weight.size() != 3 || weight[1] % gates != 0) return invalidArgument("'W' does not fit");
  r.steps = shape[0];
  r.batch = shape[1];
  r.directions = weight[0];
  r.hidden = node.integer("hidden_size", weight[1] / gates);
  const int64_t d = r.directions, h = r.hidden, g = gates;
  VTA_RETURN_IF_ERROR(checkShape(c, inputs[1], {d, g * h, shape[2]}, "W"));
  VTA_RETURN_IF_ERROR(checkShape(c, c.input(2, "R"), {d, g * h, h}, "R"));
  VTA_RETURN_IF_ERROR(checkShape(c, inputs[3], {d, 2 * g * h}, "B"));
  VTA_RETURN_IF_ERROR(checkShape(c, inputs[4], {r.batch}, "sequence_lens"));
  VTA_RETURN_IF_ERROR(checkShape(c, inputs[5], {d, r.batch, h}, "initial_h"));
  VTA_RETURN_IF_ERROR(checkShape(c, inputs[6], {d, r.batch, h}, "initial_c"));
  VTA_RETURN_IF_ERROR(checkShape(c, inputs[7], {d, 3 * h}, "P"));
  if (inputs[4]) r.lengths = c.unsqueeze(c.cast(inputs[4], node.ir().getI64Type()), 1);
  return r;
}

Status importRecurrent(Node& node, int64_t gates, const std::vector<std::string>& usual,
                       Step step) {
  Composer c(node);
  Value inputs[8];
  VTA_ASSIGN_OR_RETURN(const Recurrent r, readRecurrent(c, node, gates, inputs));
  const std::string direction = lowered(node.text("direction", "forward"));
  if (r.directions != (direction == "bidirectional" ? 2 : 1)) {
    return invalidArgument(
        fmt::format("direction '{}' does not fit weights for {}", direction, r.directions));
  }
  VTA_ASSIGN_OR_RETURN(const auto functions, readActivations(node, usual, r.directions));
  std::vector<Run> runs;
  for (int64_t i = 0; i < r.directions && c.ok(); ++i) {
    Direction d = readDirection(c, r, inputs, i);
    const auto first = functions.begin() + i * std::ssize(usual);
    d.functions.assign(first, first + std::ssize(usual));
    d.backwards = direction == "reverse" || i == 1;
    runs.push_back(runDirection(c, r, d, step));
  }
  if (!c.ok()) return c.status();
  Values all, hidden, cell;
  for (const Run& run : runs) {
    all.push_back(r.batch_first ? c.transpose(run.outputs, {1, 0, 2}) : run.outputs);
    hidden.push_back(run.last.hidden);
    cell.push_back(run.last.cell);
  }
  // Y is [steps, directions, batch, hidden], or [batch, steps, directions, hidden].
  if (node.isOutputUsed(0)) {
    VTA_RETURN_IF_ERROR(c.finish(stacked(c, all, r.batch_first ? 2 : 1), 0));
  }
  const int64_t state_axis = r.batch_first ? 1 : 0;
  VTA_RETURN_IF_ERROR(c.finish(stacked(c, hidden, state_axis), 1));
  if (!node.isOutputUsed(2)) return c.status();
  return c.finish(stacked(c, cell, state_axis), 2);
}

Status importRnn(Node& node) { return importRecurrent(node, 1, {"Tanh"}, stepRnn); }
Status importGru(Node& node) { return importRecurrent(node, 3, {"Sigmoid", "Tanh"}, stepGru); }

}  // namespace

Status importLstm(Node& node) {
  return importRecurrent(node, 4, {"Sigmoid", "Tanh", "Tanh"}, stepLstm);
}

std::span<const OpEntry> recurrentOps() {
  static constexpr OpEntry kOps[] = {
      {"GRU", 1, kLatest, importGru},
      {"LSTM", 1, kLatest, importLstm},
      {"RNN", 1, kLatest, importRnn},
  };
  return kOps;
}

}  // namespace vta::compiler
