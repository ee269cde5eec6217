// Einsum: operands are contracted one after the other, each pair as one matrix product.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// Dimensions of an ellipsis are labelled '0', '1' ... from the last one on.
struct Operand {
  Value value;
  std::string labels;  // one for each dimension
};

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
  bool has_output = false;
};

Result<Equation> parse(std::string text) {
  std::erase_if(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
  Equation equation;
  std::string inputs = text;
  if (size_t arrow = text.find("->"); arrow != std::string::npos) {
    equation.has_output = true;
    equation.output = text.substr(arrow + 2);
    inputs = text.substr(0, arrow);
  }
  for (size_t start = 0; start <= inputs.size();) {
    size_t comma = std::min(inputs.find(',', start), inputs.size());
    equation.inputs.push_back(inputs.substr(start, comma - start));
    start = comma + 1;
  }
  return equation;
}

/// `term` with its ellipsis spelled out as `count` labels.
Result<std::string> spelledOut(const std::string& term, int64_t count) {
  std::string labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(term[i]))) {
      labels += term[i];
    } else if (term.compare(i, 3, "...") == 0) {
      for (int64_t d = count; d-- > 0;) labels += static_cast<char>('0' + d);
      i += 2;
    } else {
      return invalidArgument(fmt::format("'{}' is no legal term of an equation", term));
    }
  }
  return labels;
}

int64_t lettersOf(const std::string& term) {
  return std::ranges::count_if(term,
                               [](unsigned char letter) { return std::isalpha(letter) != 0; });
}

class Contraction {
 public:
  explicit Contraction(Node& node) : node_(node), c_(node) {}
  Status run();

 private:
  Status readOperands();
  void takeDiagonals(Operand& operand);
  void sumOver(Operand& operand, const std::string& wanted);
  void arrange(Operand& operand, const std::string& order);
  Operand product(Operand lhs, Operand rhs, const std::string& wanted);
  int64_t extentOf(const std::string& labels) const;
  Shape extentsOf(const std::string& labels) const;

  Node& node_;
  Composer c_;
  Equation equation_;
  std::vector<Operand> operands_;
  std::map<char, int64_t> extents_;
};

int64_t Contraction::extentOf(const std::string& labels) const {
  return graph::elementCount(extentsOf(labels));
}

Shape Contraction::extentsOf(const std::string& labels) const {
  Shape shape;
  for (char label : labels) shape.push_back(extents_.at(label));
  return shape;
}

Status Contraction::readOperands() {
  VTA_ASSIGN_OR_RETURN(equation_, parse(node_.text("equation", "")));
  VTA_ASSIGN_OR_RETURN(std::vector<Value> inputs, node_.allInputs());
  if (equation_.inputs.size() != inputs.size()) {
    return invalidArgument(fmt::format("the equation has {} terms for {} inputs",
                                       equation_.inputs.size(), inputs.size()));
  }
  int64_t most = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    int64_t rank = c_.rank(inputs[i]), hidden = rank - lettersOf(equation_.inputs[i]);
    VTA_ASSIGN_OR_RETURN(std::string labels, spelledOut(equation_.inputs[i], hidden));
    if (std::ssize(labels) != rank || hidden > 9) {
      return invalidArgument(
          fmt::format("the term '{}' does not fit a tensor of rank {}", equation_.inputs[i], rank));
    }
    most = std::max(most, hidden);
    Shape shape = c_.shape(inputs[i]);
    for (size_t d = 0; d < labels.size(); ++d) {
      int64_t& extent = extents_.try_emplace(labels[d], 1).first->second;
      if (extent != 1 && shape[d] != 1 && extent != shape[d]) {
        return invalidArgument(
            fmt::format("label '{}' stands for extents {} and {}", labels[d], extent, shape[d]));
      }
      extent = extent == 1 ? shape[d] : extent;
    }
    operands_.push_back({inputs[i], labels});
  }
  if (equation_.has_output) {
    VTA_ASSIGN_OR_RETURN(equation_.output, spelledOut(equation_.output, most));
    for (char label : equation_.output) {
      if (!extents_.contains(label) || std::ranges::count(equation_.output, label) > 1) {
        return invalidArgument(fmt::format("label '{}' of the result is in no term", label));
      }
    }
    return {};
  }
  // Without an arrow: the ellipsis, then the labels that occur once, in the order of the alphabet.
  std::string all;
  for (const Operand& operand : operands_) all += operand.labels;
  for (int64_t d = most; d-- > 0;) equation_.output += static_cast<char>('0' + d);
  for (const auto& [label, extent] : extents_) {
    bool is_letter = std::isalpha(static_cast<unsigned char>(label)) != 0;
    if (is_letter && std::ranges::count(all, label) == 1) equation_.output += label;
  }
  return {};
}

/// Labels that an operand repeats select its diagonal.
void Contraction::takeDiagonals(Operand& operand) {
  std::string unique;
  for (char label : operand.labels) {
    if (unique.find(label) == std::string::npos) unique += label;
  }
  if (unique.size() == operand.labels.size()) return;
  Shape shape = c_.shape(operand.value), extents = extentsOf(unique);
  int64_t count = graph::elementCount(extents);
  std::vector<int64_t> positions(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, stride = 1;
    std::map<char, int64_t> index;
    for (size_t d = unique.size(); d-- > 0; rest /= extents[d])
      index[unique[d]] = rest % extents[d];
    for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
      positions[i] += std::min(index[operand.labels[d]], shape[d] - 1) * stride;
    }
  }
  Value flat = c_.reshape(operand.value, {graph::elementCount(shape)});
  operand = {c_.gather(flat, c_.integers(extents, positions, node_.ir().getI64Type()), 0), unique};
}

/// Sums over the labels that are not among `wanted`.
void Contraction::sumOver(Operand& operand, const std::string& wanted) {
  Shape axes;
  std::string kept;
  for (size_t d = 0; d < operand.labels.size(); ++d) {
    if (wanted.find(operand.labels[d]) == std::string::npos) {
      axes.push_back(static_cast<int64_t>(d));
    } else {
      kept += operand.labels[d];
    }
  }
  if (axes.empty()) return;
  operand.value = c_.expand(operand.value, extentsOf(operand.labels));
  operand = {c_.sum(operand.value, axes), kept};
}

/// Dimensions in the order of `order`, which holds the same labels, at their full extents.
void Contraction::arrange(Operand& operand, const std::string& order) {
  Shape permutation;
  for (char label : order) {
    permutation.push_back(static_cast<int64_t>(operand.labels.find(label)));
  }
  operand.value = c_.expand(c_.transpose(operand.value, permutation), extentsOf(order));
  operand.labels = order;
}

/// The product of two operands, summed over the labels that are not `wanted` any more.
Operand Contraction::product(Operand lhs, Operand rhs, const std::string& wanted) {
  sumOver(lhs, wanted + rhs.labels);
  sumOver(rhs, wanted + lhs.labels);
  std::string batch, left, right, summed;
  for (char label : lhs.labels) {
    bool is_shared = rhs.labels.find(label) != std::string::npos;
    bool is_wanted = wanted.find(label) != std::string::npos;
    (!is_shared ? left : is_wanted ? batch : summed) += label;
  }
  for (char label : rhs.labels) {
    if (lhs.labels.find(label) == std::string::npos) right += label;
  }
  arrange(lhs, batch + left + summed);
  arrange(rhs, batch + summed + right);
  int64_t b = extentOf(batch), m = extentOf(left), k = extentOf(summed), n = extentOf(right);
  Value result;
  if (c_.ok() && graph::elementTypeOf(lhs.value).isF32()) {
    result = c_.matmul(c_.reshape(lhs.value, {b, m, k}), c_.reshape(rhs.value, {b, k, n}));
  } else {
    Value terms = c_.mul(c_.reshape(lhs.value, {b, m, k, 1}), c_.reshape(rhs.value, {b, 1, k, n}));
    result = c_.sum(terms, {2});
  }
  return {c_.reshape(result, extentsOf(batch + left + right)), batch + left + right};
}

Status Contraction::run() {
  VTA_RETURN_IF_ERROR(readOperands());
  for (Operand& operand : operands_) takeDiagonals(operand);
  Operand result = operands_[0];
  for (size_t i = 1; i < operands_.size() && c_.ok(); ++i) {
    std::string wanted = equation_.output;
    for (size_t later = i + 1; later < operands_.size(); ++later) {
      wanted += operands_[later].labels;
    }
    result = product(result, operands_[i], wanted);
  }
  sumOver(result, equation_.output);
  if (c_.ok()) arrange(result, equation_.output);
  return c_.finish(result.value);
}

Status importEinsum(Node& node) { return Contraction(node).run(); }

}  // namespace

std::span<const OpEntry> einsumOps() {
  static constexpr OpEntry kOps[] = {{"Einsum", 12, kLatest, importEinsum}};
  return kOps;
}

}  // namespace vta::compiler
