#include "compiler/frontend/onnx/importer/refusals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "compiler/frontend/onnx/model_file.h"

namespace vta::compiler {
namespace {

/// More would hide the message.
constexpr size_t kNamedNodes = 4;

/// "node 'a' (Conv), node 'b' (Conv) and 3 more"
std::string labels(const std::vector<std::string>& nodes) {
  const size_t shown = std::min(nodes.size(), kNamedNodes);
  std::string text = fmt::format("{}", fmt::join(std::span(nodes).first(shown), ", "));
  if (shown < nodes.size()) text += fmt::format(" and {} more", nodes.size() - shown);
  return text;
}

struct Remedy {
  std::string_view operators;  // separated by spaces
  std::string_view text;
};

constexpr Remedy kRemedies[] = {
    {"RandomNormal RandomNormalLike RandomUniform RandomUniformLike Bernoulli Multinomial",
     "random numbers are made outside of the model: make the operators' outputs inputs of it"},
    {"Adagrad Adam Gradient Momentum", "they train: export the model for inference"},
    {"StringNormalizer StringConcat StringSplit RegexFullMatch TfIdfVectorizer",
     "text is handled outside of the model: make the operators' outputs inputs of it"},
};

constexpr std::string_view kOtherRemedy =
    "simplify the model with onnxsim, cut it in front of them with onnx.utils.extract_model, or "
    "bring a library that computes them with --operators (docs/own-operators.md)";

constexpr std::string_view kQonnxRemedy =
    "export the model with QuantizeLinear, Clip and DequantizeLinear: export_onnx_qcdq of "
    "brevitas.export";
constexpr std::string_view kQuarkRemedy =
    "quantise the model with integers of 8 or 16 bits, in the format QuantFormat.QDQ";

bool lists(std::string_view operators, std::string_view name) {
  const auto words = fmt::format(" {} ", operators);
  return words.find(fmt::format(" {} ", name)) != std::string::npos;
}

/// For operators of domains that begin so.
constexpr Remedy kDomainRemedies[] = {
    {"ai.onnx.ml.",
     "of ai.onnx.ml, trees, linear models and what scales features are supported: cut the model in "
     "front of others with onnx.utils.extract_model, and compute them where the results are used, "
     "with scikit-learn or "
     "the library that the model was exported from"},
    {"com.microsoft.nchwc.",
     "ONNX Runtime wrote this model for one processor: save it with the optimisation level "
     "ORT_ENABLE_EXTENDED or a lower one, or give the model from before"},
    {"com.microsoft.",
     "give the model as it was before ONNX Runtime optimised it, or save it with the optimisation "
     "level ORT_ENABLE_BASIC"},
    {"com.ms.internal.nhwc.", "give the model as it was before ONNX Runtime optimised it"},
    {"qonnx.custom_op.general.", kQonnxRemedy},
    {"onnx.brevitas.", kQonnxRemedy},
    {"finn.custom_op.", kQonnxRemedy},
    {"com.amd.quark.", kQuarkRemedy},
    {"com.vai.quantize.", kQuarkRemedy},
    {"vai.quantize.", kQuarkRemedy},
    {"vta.kernels.",
     "add a function of that domain and name to the model, which computes what the kernel does "
     "(docs/tile-kernels.md)"},
};

/// What helps where an operator, or one of its forms, is not supported.
std::string_view remedyFor(std::string_view operator_name) {
  for (const Remedy& remedy : kDomainRemedies) {
    if (operator_name.starts_with(remedy.operators)) return remedy.text;
  }
  const std::string_view name = operator_name.substr(operator_name.rfind('.') + 1);
  for (const Remedy& remedy : kRemedies) {
    if (lists(remedy.operators, name)) return remedy.text;
  }
  return kOtherRemedy;
}

size_t totalOf(const auto& groups) {
  size_t total = 0;
  for (const auto& [key, nodes] : groups) total += nodes.size();
  return total;
}

const char* nodesWord(size_t count) { return count == 1 ? "node" : "nodes"; }

}  // namespace

std::string operatorName(const onnx::NodeProto& node) {
  const bool is_default = node.domain().empty() || node.domain() == "ai.onnx";
  return is_default ? node.op_type() : fmt::format("{}.{}", node.domain(), node.op_type());
}

void Refusals::addOperator(const onnx::NodeProto& node, int64_t opset) {
  operators_[{operatorName(node), opset}].push_back(nodeLabel(node));
  ++count_;
}

void Refusals::addUse(const onnx::NodeProto& node, const std::string& reason) {
  uses_[{operatorName(node), reason}].push_back(nodeLabel(node));
  ++count_;
}

Status Refusals::status() const {
  if (count_ == 0) return {};
  std::vector<std::string> parts;
  if (!operators_.empty()) {
    std::vector<std::string> groups;
    std::map<std::string_view, std::vector<std::string_view>> remedies;
    for (const auto& [key, nodes] : operators_) {
      const auto& [name, opset] = key;
      groups.push_back(
          fmt::format("{} x {} (opset {}; {})", name, nodes.size(), opset, labels(nodes)));
      remedies[remedyFor(name)].push_back(name);
    }
    const size_t total = totalOf(operators_);
    std::string part = fmt::format("{} {} with an unsupported operator: {}", total,
                                   nodesWord(total), fmt::join(groups, ", "));
    for (const auto& [remedy, names] : remedies) {
      part += fmt::format("; for {}: {}", fmt::join(names, ", "), remedy);
    }
    parts.push_back(std::move(part));
  }
  if (!uses_.empty()) {
    std::vector<std::string> groups;
    std::map<std::string_view, std::vector<std::string_view>> remedies;
    for (const auto& [key, nodes] : uses_) {
      const auto& [name, reason] = key;
      groups.push_back(fmt::format("{} x {}: {} ({})", name, nodes.size(), reason, labels(nodes)));
      remedies[remedyFor(name)].push_back(name);
    }
    const size_t total = totalOf(uses_);
    std::string part = fmt::format("{} {} used in an unsupported way: {}", total, nodesWord(total),
                                   fmt::join(groups, "; "));
    for (const auto& [remedy, names] : remedies) {
      part += remedies.size() == 1 ? fmt::format("; {}", remedy)
                                   : fmt::format("; for {}: {}", fmt::join(names, ", "), remedy);
    }
    parts.push_back(std::move(part));
  }
  return unsupported(fmt::format("{}", fmt::join(parts, ". ")));
}

}  // namespace vta::compiler
