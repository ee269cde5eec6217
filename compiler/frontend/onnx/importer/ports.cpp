#include "compiler/frontend/onnx/importer/ports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "base/closest_name.h"
#include "compiler/frontend/onnx/extents/needed_extents.h"

namespace vta::compiler {
namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

/// How exporters write "unknown": PaddlePaddle, TensorFlow, NumPy.
bool isAnonymous(std::string_view symbol) {
  constexpr std::string_view kNames[] = {"", "-1", "?", "None", "unk__0"};
  return std::ranges::find(kNames, symbol) != std::end(kNames);
}

/// "past", "length" and "1" of "past + length + 1".
std::vector<std::string> termsOf(std::string_view symbol) {
  std::vector<std::string> terms;
  while (true) {
    const size_t plus = symbol.find('+');
    std::string_view term = symbol.substr(0, plus);
    while (term.starts_with(' ')) term.remove_prefix(1);
    while (term.ends_with(' ')) term.remove_suffix(1);
    terms.emplace_back(term);
    if (plus == std::string_view::npos) return terms;
    symbol.remove_prefix(plus + 1);
  }
}

std::optional<int64_t> numberOf(std::string_view text) {
  int32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool is_number = !text.empty() && error == std::errc() && stop == end && number >= 0;
  return is_number ? std::optional<int64_t>(number) : std::nullopt;
}

/// The largest batch that data alone ask for.
constexpr int64_t kMostBatch = 64;

/// A symbolic dimension of an input.
struct Place {
  const onnx::ValueInfoProto& input;
  int index;

  std::string name() const { return fmt::format("{}.{}", input.name(), index); }
  std::string symbol() const {
    const std::string& given = input.type().tensor_type().shape().dim(index).dim_param();
    return isAnonymous(given) ? name() : given;
  }
};

/// Collects what all inputs have to say about dimensions, so that one message tells it all.
class Resolver {
 public:
  /// `inputs` is how many the model has.
  Resolver(const onnx::GraphProto& graph, const Bindings& bindings, size_t inputs)
      : graph_(graph), bindings_(bindings), inputs_(inputs) {}

  Status addInput(const onnx::ValueInfoProto& input);
  /// Gives every symbol its value, after all inputs were added.
  Status bind();
  /// An error if bind() left a symbol without a value.
  Status unboundError() const;
  /// Those that bind() finds no value for.
  std::vector<FreeDimension> free() const;
  Result<InputPort> resolve(const onnx::ValueInfoProto& input) const;

 private:
  struct Value {
    int64_t extent;
    std::string source;
  };
  Status set(const Place& place, int64_t extent, const std::string& source);
  Status bindByOption();
  Status bindByData();
  void bindByGraph();
  void bindBatch();
  void bindSums();
  bool isSum(const std::string& symbol) const;
  const graph::Shape* dataOf(const onnx::ValueInfoProto& input) const;
  std::optional<int64_t> dataExtent(const Place& place) const;

  const onnx::GraphProto& graph_;
  const Bindings& bindings_;
  size_t inputs_;
  std::vector<Place> places_;
  std::map<std::string, Value> values_;  // of symbols
};

Status Resolver::addInput(const onnx::ValueInfoProto& input) {
  if (!input.type().has_tensor_type()) {
    return unsupported(
        fmt::format("input '{}' is not a tensor; only tensors can be inputs", input.name()));
  }
  const auto& type = input.type().tensor_type();
  if (!type.has_shape()) {
    if (dataOf(input) != nullptr) return {};
    return unsupported(
        fmt::format("input '{}' has no declared shape; give data for it with --input, or declare a "
                    "shape with onnx.tools.update_model_dims",
                    input.name()));
  }
  for (int i = 0; i < type.shape().dim_size(); ++i) {
    if (fixedExtent(type.shape().dim(i)) < 0) places_.push_back({input, i});
  }
  return {};
}

Status Resolver::set(const Place& place, int64_t extent, const std::string& source) {
  const auto [value, is_new] = values_.emplace(place.symbol(), Value{extent, source});
  if (is_new || value->second.extent == extent) return {};
  return invalidArgument(fmt::format("dimension '{}' is {} by {}, but {} by {}", place.symbol(),
                                     value->second.extent, value->second.source, extent, source));
}

Status Resolver::bindByOption() {
  std::set<std::string> used, known;
  for (const Place& place : places_) {
    known.insert(place.symbol());
    for (const std::string& name : {place.symbol(), place.name()}) {
      const auto given = bindings_.dimensions.find(name);
      if (given == bindings_.dimensions.end()) continue;
      used.insert(name);
      VTA_RETURN_IF_ERROR(
          set(place, given->second, fmt::format("--shape {}={}", name, given->second)));
    }
  }
  for (const auto& [name, value] : bindings_.dimensions) {
    if (used.contains(name)) continue;
    const std::string there =
        known.empty() ? "there is none" : fmt::format("there are: {}", fmt::join(known, ", "));
    return invalidArgument(
        fmt::format("--shape {}={}: no input has a symbolic dimension of this name; {}{}", name,
                    value, there, suggestion(name, namesOf(known))));
  }
  return {};
}

/// The shape of the data of an input, or null.
const graph::Shape* Resolver::dataOf(const onnx::ValueInfoProto& input) const {
  auto found = bindings_.input_shapes.find(input.name());
  if (found == bindings_.input_shapes.end() && inputs_ == 1)
    found = bindings_.input_shapes.find("");
  return found == bindings_.input_shapes.end() ? nullptr : &found->second;
}

/// What the data of an input say about one of its dimensions.
std::optional<int64_t> Resolver::dataExtent(const Place& place) const {
  const graph::Shape* found = dataOf(place.input);
  if (found == nullptr) return std::nullopt;
  graph::Shape shape = *found;
  const auto& declared = place.input.type().tensor_type().shape();
  if (static_cast<int>(shape.size()) + 1 == declared.dim_size()) shape.insert(shape.begin(), 1);
  if (static_cast<int>(shape.size()) != declared.dim_size()) return std::nullopt;
  for (int i = 0; i < declared.dim_size(); ++i) {
    const int64_t extent = fixedExtent(declared.dim(i));
    // Several samples in one array have a larger first extent.
    if (i > 0 && extent >= 0 && extent != shape[i]) return std::nullopt;
  }
  // A whole set of images in one array runs one by one.
  const bool is_set = place.index == 0 && shape.size() >= 4 && shape[0] > kMostBatch;
  return is_set ? std::nullopt : std::optional(shape[place.index]);
}

Status Resolver::bindByData() {
  std::map<std::string, Value> given;
  std::swap(given, values_);
  for (const Place& place : places_) {
    const std::optional<int64_t> extent = dataExtent(place);
    if (!extent || given.contains(place.symbol())) continue;
    VTA_RETURN_IF_ERROR(
        set(place, *extent, fmt::format("the data for input '{}'", place.input.name())));
  }
  values_.merge(given);
  return {};
}

/// Dimensions that nodes need to have an extent, because of constants that they read beside them.
void Resolver::bindByGraph() {
  for (const Place& place : places_) {
    if (values_.contains(place.symbol())) continue;
    const int rank = place.input.type().tensor_type().shape().dim_size();
    const auto needed = neededExtents(graph_, place.input.name(), rank);
    const auto found = needed.find(place.index);
    if (found == needed.end()) continue;
    const auto& [extent, node] = found->second;
    values_[place.symbol()] = {extent, node};
    if (bindings_.notes == nullptr) continue;
    bindings_.notes->push_back(
        fmt::format("dimension '{0}' of input '{1}' is taken to be {2}, as {3} needs it; --shape "
                    "{0}=VALUE sets another",
                    place.symbol(), place.input.name(), extent, node));
  }
}

/// A first dimension without a value is a batch of 1.
void Resolver::bindBatch() {
  for (const Place& place : places_) {
    if (place.index != 0 || values_.contains(place.symbol()) || isSum(place.symbol())) continue;
    values_[place.symbol()] = {1, "default"};
    if (bindings_.notes == nullptr) continue;
    bindings_.notes->push_back(
        fmt::format("dimension '{0}', the first of input '{1}', is taken to be 1; --shape "
                    "{0}=VALUE sets another",
                    place.symbol(), place.input.name()));
  }
}

/// Whether a symbol is a sum of other symbols and numbers.
bool Resolver::isSum(const std::string& symbol) const {
  const std::vector<std::string> terms = termsOf(symbol);
  return terms.size() > 1 && std::ranges::all_of(terms, [&](const std::string& term) {
           return numberOf(term) || std::ranges::any_of(places_, [&](const Place& place) {
                    return place.symbol() == term;
                  });
         });
}

/// Symbols such as "past_length + length" have the sum of what those have.
void Resolver::bindSums() {
  for (const Place& place : places_) {
    const std::string symbol = place.symbol();
    if (values_.contains(symbol) || !isSum(symbol)) continue;
    int64_t sum = 0;
    bool is_known = true;
    for (const std::string& term : termsOf(symbol)) {
      const auto known = values_.find(term);
      is_known = is_known && (known != values_.end() || numberOf(term));
      if (is_known) sum += known != values_.end() ? known->second.extent : *numberOf(term);
    }
    if (is_known) values_[symbol] = {sum, "its name"};
  }
}

std::vector<FreeDimension> Resolver::free() const {
  std::vector<FreeDimension> dimensions;
  for (const Place& place : places_) {
    const std::string symbol = place.symbol();
    if (values_.contains(symbol) || isSum(symbol)) continue;
    if (std::ranges::find(dimensions, symbol, &FreeDimension::symbol) != dimensions.end()) continue;
    const int rank = place.input.type().tensor_type().shape().dim_size();
    dimensions.push_back({symbol, place.input.name(), place.index, rank});
  }
  return dimensions;
}

Status Resolver::unboundError() const {
  std::vector<std::string> options;
  for (const Place& place : places_) {
    std::string option = fmt::format("--shape {}=VALUE", place.symbol());
    const bool is_new = std::ranges::find(options, option) == options.end();
    if (!values_.contains(place.symbol()) && is_new) options.push_back(std::move(option));
  }
  if (options.empty()) return {};
  return invalidArgument(fmt::format("the inputs have symbolic dimensions; bind them with {}",
                                     fmt::join(options, " ")));
}

Status Resolver::bind() {
  VTA_RETURN_IF_ERROR(bindByOption());
  VTA_RETURN_IF_ERROR(bindByData());
  bindByGraph();
  bindBatch();
  bindSums();
  return {};
}

Result<InputPort> Resolver::resolve(const onnx::ValueInfoProto& input) const {
  const auto& type = input.type().tensor_type();
  InputPort port{input.name(), type.elem_type(), {}};
  if (!type.has_shape()) port.shape = *dataOf(input);
  for (int i = 0; i < type.shape().dim_size(); ++i) {
    int64_t extent = fixedExtent(type.shape().dim(i));
    if (extent < 0) extent = values_.at(Place{input, i}.symbol()).extent;
    if (extent <= 0) {
      return invalidArgument(fmt::format("dimension {} of input '{}' is {}; it has to be positive",
                                         i, input.name(), extent));
    }
    port.shape.push_back(extent);
  }
  if (int64_t count = graph::elementCount(port.shape); count < 0 || count > int64_t{1} << 32) {
    return unsupported(fmt::format("input '{}' of shape {} is too large", input.name(),
                                   graph::shapeText(port.shape)));
  }
  return port;
}

/// The inputs that are not initializers.
std::vector<const onnx::ValueInfoProto*> inputsOf(const onnx::GraphProto& graph) {
  std::set<std::string_view> initializers;
  for (const auto& tensor : graph.initializer()) initializers.insert(tensor.name());
  std::vector<const onnx::ValueInfoProto*> inputs;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!initializers.contains(input.name())) inputs.push_back(&input);
  }
  return inputs;
}

}  // namespace

Result<std::vector<FreeDimension>> freeDimensions(const onnx::GraphProto& graph,
                                                  const Bindings& bindings) {
  const std::vector<const onnx::ValueInfoProto*> inputs = inputsOf(graph);
  const Bindings quiet = {bindings.dimensions, bindings.input_shapes, nullptr};
  Resolver resolver(graph, quiet, inputs.size());
  for (const auto* input : inputs) VTA_RETURN_IF_ERROR(resolver.addInput(*input));
  VTA_RETURN_IF_ERROR(resolver.bind());
  return resolver.free();
}

Result<std::vector<InputPort>> resolveInputs(const onnx::GraphProto& graph,
                                             const Bindings& bindings) {
  const std::vector<const onnx::ValueInfoProto*> inputs = inputsOf(graph);
  Resolver resolver(graph, bindings, inputs.size());
  for (const auto* input : inputs) VTA_RETURN_IF_ERROR(resolver.addInput(*input));
  VTA_RETURN_IF_ERROR(resolver.bind());
  VTA_RETURN_IF_ERROR(resolver.unboundError());
  std::vector<InputPort> ports;
  for (const auto* input : inputs) {
    VTA_ASSIGN_OR_RETURN(InputPort port, resolver.resolve(*input));
    ports.push_back(std::move(port));
  }
  return ports;
}

int64_t fixedExtent(const Dimension& dimension) {
  return dimension.has_dim_value() && dimension.dim_value() >= 0 ? dimension.dim_value() : -1;
}

std::string declaredShapeText(const onnx::TensorShapeProto& shape) {
  std::vector<std::string> extents;
  for (const Dimension& dimension : shape.dim()) {
    const bool is_symbol = fixedExtent(dimension) < 0;
    const std::string symbol = dimension.dim_param().empty() ? "?" : dimension.dim_param();
    extents.push_back(is_symbol ? symbol : std::to_string(dimension.dim_value()));
  }
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

}  // namespace vta::compiler
