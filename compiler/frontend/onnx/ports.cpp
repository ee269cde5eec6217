#include "compiler/frontend/onnx/ports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>

namespace vta::compiler {
namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

/// Collects what all inputs have to say about dimensions, so that one message tells it all.
class Resolver {
 public:
  explicit Resolver(const std::map<std::string, int64_t>& dimensions) : dimensions_(dimensions) {}

  Result<InputPort> resolve(const onnx::ValueInfoProto& input);
  Status finish() const;

 private:
  int64_t extent(const std::string& name, const Dimension& dimension);

  const std::map<std::string, int64_t>& dimensions_;
  std::set<std::string> symbols_;
  std::vector<std::string> unbound_;
};

/// `name` is what an anonymous dimension is called.
int64_t Resolver::extent(const std::string& name, const Dimension& dimension) {
  if (dimension.has_dim_value()) return dimension.dim_value();
  const std::string& symbol = dimension.dim_param().empty() ? name : dimension.dim_param();
  bool is_new = symbols_.insert(symbol).second;
  auto value = dimensions_.find(symbol);
  if (value != dimensions_.end()) return value->second;
  if (is_new) unbound_.push_back(symbol);
  return 1;
}

Result<InputPort> Resolver::resolve(const onnx::ValueInfoProto& input) {
  if (!input.type().has_tensor_type()) {
    return unsupported(fmt::format("input '{}' is not a tensor", input.name()));
  }
  const auto& type = input.type().tensor_type();
  if (!type.has_shape()) {
    return unsupported(fmt::format("input '{}' has no declared shape", input.name()));
  }
  InputPort port{input.name(), type.elem_type(), {}};
  for (int i = 0; i < type.shape().dim_size(); ++i) {
    int64_t value = extent(fmt::format("{}.{}", input.name(), i), type.shape().dim(i));
    if (value <= 0) {
      return invalidArgument(fmt::format("dimension {} of input '{}' is {}; it has to be positive",
                                         i, input.name(), value));
    }
    port.shape.push_back(value);
  }
  if (int64_t count = graph::elementCount(port.shape); count < 0 || count > int64_t{1} << 32) {
    return unsupported(fmt::format("input '{}' of shape {} is too large", input.name(),
                                   graph::shapeText(port.shape)));
  }
  return port;
}

Status Resolver::finish() const {
  if (!unbound_.empty()) {
    std::vector<std::string> options;
    for (const std::string& name : unbound_)
      options.push_back(fmt::format("--shape {}=VALUE", name));
    return invalidArgument(fmt::format("the inputs have symbolic dimensions; bind them with {}",
                                       fmt::join(options, " ")));
  }
  for (const auto& [name, value] : dimensions_) {
    if (symbols_.contains(name)) continue;
    std::string known = symbols_.empty() ? "there is none"
                                         : fmt::format("there are: {}", fmt::join(symbols_, ", "));
    return invalidArgument(fmt::format(
        "--shape {}={}: no input has a symbolic dimension of this name; {}", name, value, known));
  }
  return {};
}

}  // namespace

Result<std::vector<InputPort>> resolveInputs(const onnx::GraphProto& graph,
                                             const std::map<std::string, int64_t>& dimensions) {
  std::set<std::string_view> initializers;
  for (const auto& tensor : graph.initializer()) initializers.insert(tensor.name());
  Resolver resolver(dimensions);
  std::vector<InputPort> ports;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (initializers.contains(input.name())) continue;
    VTA_ASSIGN_OR_RETURN(InputPort port, resolver.resolve(input));
    ports.push_back(std::move(port));
  }
  VTA_RETURN_IF_ERROR(resolver.finish());
  return ports;
}

int64_t fixedExtent(const Dimension& dimension, const std::map<std::string, int64_t>& dimensions) {
  if (dimension.has_dim_value()) return dimension.dim_value();
  auto value = dimensions.find(dimension.dim_param());
  return value == dimensions.end() ? -1 : value->second;
}

std::string declaredShapeText(const onnx::TensorShapeProto& shape) {
  std::vector<std::string> extents;
  for (const Dimension& dimension : shape.dim()) {
    bool is_symbol = !dimension.has_dim_value();
    std::string symbol = dimension.dim_param().empty() ? "?" : dimension.dim_param();
    extents.push_back(is_symbol ? symbol : std::to_string(dimension.dim_value()));
  }
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

}  // namespace vta::compiler
