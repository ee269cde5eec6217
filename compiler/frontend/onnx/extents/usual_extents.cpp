#include "compiler/frontend/onnx/extents/usual_extents.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <string_view>

namespace vta::compiler {
namespace {

constexpr int64_t kMostScanned = 640;      // extents up to this one are tried one by one
constexpr int64_t kMostOfGraph = 1 << 20;  // larger ones are no extent of an input
constexpr int kFewElements = 8;            // of a tensor that is a shape

constexpr int64_t kChannels[] = {3, 1};
constexpr int64_t kImageSides[] = {224, 256, 384, 192, 128, 320, 299, 336, 416, 448,
                                   512, 518, 640, 160, 96,  64,  48,  32,  28,  16};
constexpr int64_t kVolumeSides[] = {64, 32, 128, 96, 16, 48};
constexpr int64_t kLengths[] = {128, 256, 64, 512, 77, 32, 16, 384, 100, 8, 1024};

/// The usual extents of one kind of dimension, and which dimensions are of it.
struct UsualKind {
  std::span<const int64_t> extents;
  bool (*includes)(const FreeDimension& dimension);
};
// The first that includes a dimension is its kind.
constexpr UsualKind kKinds[] = {
    {kChannels, [](const FreeDimension& d) { return d.rank >= 4 && d.index == 1; }},
    {kImageSides, [](const FreeDimension& d) { return d.rank == 4; }},
    {kVolumeSides, [](const FreeDimension& d) { return d.rank > 4; }},
    {kLengths, [](const FreeDimension&) { return true; }},
};

size_t kindOf(const FreeDimension& dimension) {
  const auto* const found =
      std::ranges::find_if(kKinds, [&](const UsualKind& kind) { return kind.includes(dimension); });
  return static_cast<size_t>(found - std::begin(kKinds));
}

/// The elements of a small tensor of 64-bit integers.
std::vector<int64_t> smallIntegers(const onnx::TensorProto& tensor) {
  if (tensor.data_type() != onnx::TensorProto::INT64) return {};
  if (tensor.int64_data_size() > 0 && tensor.int64_data_size() <= kFewElements) {
    return {tensor.int64_data().begin(), tensor.int64_data().end()};
  }
  const std::string& bytes = tensor.raw_data();
  if (bytes.empty() || bytes.size() % sizeof(int64_t) != 0 ||
      bytes.size() > kFewElements * sizeof(int64_t)) {
    return {};
  }
  std::vector<int64_t> integers(bytes.size() / sizeof(int64_t));
  std::memcpy(integers.data(), bytes.data(), bytes.size());
  return integers;
}

/// Extents in constant shapes that nodes give to tensors, and how many elements those have.
std::vector<int64_t> extentsOfGraph(const onnx::GraphProto& graph) {
  std::map<std::string_view, const onnx::TensorProto*> constants;
  for (const auto& tensor : graph.initializer()) constants[tensor.name()] = &tensor;
  std::vector<int64_t> found;
  const auto add = [&](int64_t extent) {
    if (extent > 1 && extent <= kMostOfGraph) found.push_back(extent);
  };
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.op_type() == "Constant" && node.attribute_size() == 1 && node.output_size() == 1) {
      constants[node.output(0)] = &node.attribute(0).t();
    }
    const bool has_shape = node.op_type() == "Reshape" || node.op_type() == "Expand";
    if (!has_shape || node.input_size() < 2) continue;
    const auto shape = constants.find(node.input(1));
    if (shape == constants.end()) continue;
    int64_t elements = 1;
    for (const int64_t extent : smallIntegers(*shape->second)) {
      add(extent);
      const bool is_small = extent > 0 && extent <= kMostOfGraph && elements <= kMostOfGraph;
      elements *= is_small ? extent : 1;
    }
    add(elements);
  }
  return found;
}

}  // namespace

UsualExtents::UsualExtents(const onnx::GraphProto& graph, std::vector<FreeDimension> free) {
  std::vector<int64_t> scanned(kMostScanned);
  std::iota(scanned.begin(), scanned.end(), 1);
  const std::vector<int64_t> of_graph = extentsOfGraph(graph);
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    Kind kind;
    for (const FreeDimension& dimension : free) {
      if (kindOf(dimension) == i) kind.symbols.push_back(dimension.symbol);
    }
    if (kind.symbols.empty()) continue;
    std::set<int64_t> known;
    for (const std::span<const int64_t> list :
         {kKinds[i].extents, std::span(of_graph), std::span<const int64_t>(scanned)}) {
      std::ranges::copy_if(list, std::back_inserter(kind.extents),
                           [&](int64_t extent) { return known.insert(extent).second; });
    }
    kinds_.push_back(std::move(kind));
  }
  choice_.resize(kinds_.size());
}

/// To the next choice of the same distance, or the first of the next one; false behind the last.
bool UsualExtents::advance() {
  // All choices but the last are counted up; the last has what is left of the distance.
  const size_t last = choice_.size() - 1;
  size_t most = 0;
  for (const Kind& kind : kinds_) most += kind.extents.size() - 1;
  while (distance_ <= most) {
    size_t i = 0;
    while (i < last && ++choice_[i] == std::min(kinds_[i].extents.size(), distance_ + 1)) {
      choice_[i++] = 0;
    }
    if (i == last) ++distance_;
    const size_t others = std::accumulate(choice_.begin(), choice_.end() - 1, size_t{0});
    if (others > distance_ || distance_ - others >= kinds_[last].extents.size()) continue;
    choice_[last] = distance_ - others;
    return true;
  }
  return false;
}

std::optional<std::map<std::string, int64_t>> UsualExtents::next() {
  if (kinds_.empty() || (!is_first_ && !advance())) return std::nullopt;
  is_first_ = false;
  std::map<std::string, int64_t> extents;
  for (size_t i = 0; i < kinds_.size(); ++i) {
    for (const std::string& symbol : kinds_[i].symbols) {
      extents[symbol] = kinds_[i].extents[choice_[i]];
    }
  }
  return extents;
}

}  // namespace vta::compiler
