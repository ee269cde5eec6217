#include "compiler/frontend/onnx/rewrites/kept_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "compiler/frontend/onnx/rewrites/find_caches.h"
#include "compiler/frontend/onnx/rewrites/last_scores.h"

namespace vta::compiler {
namespace {

using onnx::NodeProto;
using onnx::TensorProto;
using onnx::ValueInfoProto;

constexpr std::string_view kMask = "attention_mask";
/// Inputs that say where the new word stands.
constexpr std::string_view kPositions[] = {"position_ids", "cache_position"};

onnx::TensorShapeProto& shapeOf(ValueInfoProto& value) {
  return *value.mutable_type()->mutable_tensor_type()->mutable_shape();
}

/// Rewrites one graph; one use.
class TextKeeper {
 public:
  TextKeeper(onnx::GraphProto& graph, const TextRoom& room, std::vector<std::string>* notes)
      : graph_(graph), room_(room), notes_(notes) {
    for (const NodeProto& node : graph.node()) {
      names_.insert(node.output().begin(), node.output().end());
    }
    for (const auto& value : graph.input()) names_.insert(value.name());
    for (const auto& tensor : graph.initializer()) names_.insert(tensor.name());
  }

  Result<graph::KeptText> run() {
    VTA_ASSIGN_OR_RETURN(found_, findCaches(graph_));
    if (found_.empty()) {
      return invalidArgument(
          "--context-length: the model has no caches of keys and values, such as inputs "
          "'past_key_values.0.key' with outputs 'present.0.key'; leave the option out, or export "
          "the model with its cache");
    }
    if (room_.run_words > room_.words) {
      return invalidArgument(fmt::format("--prompt-chunk={}: a text has {} words, --context-length",
                                         room_.run_words, room_.words));
    }
    addLength();
    for (const FoundCache& cache : found_) VTA_RETURN_IF_ERROR(bindCache(cache));
    VTA_RETURN_IF_ERROR(replaceMask());
    VTA_RETURN_IF_ERROR(replacePositions());
    VTA_RETURN_IF_ERROR(bindWords());
    for (const FoundCache& cache : found_) giveRows(cache);
    // Last: what stands above points into the nodes.
    for (NodeProto& node : nodes_) *graph_.add_node() = std::move(node);
    return std::move(text_);
  }

 private:
  std::string newName(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  std::string constant(const std::string& wanted, const std::vector<int64_t>& shape,
                       const std::vector<int64_t>& values) {
    TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(newName(wanted));
    tensor.set_data_type(TensorProto::INT64);
    for (const int64_t extent : shape) tensor.add_dims(extent);
    for (const int64_t value : values) tensor.add_int64_data(value);
    return tensor.name();
  }

  /// A node whose result is `output`.
  NodeProto& node(const char* kind, const std::vector<std::string>& inputs,
                  const std::string& output) {
    NodeProto& node = nodes_.emplace_back();
    node.set_op_type(kind);
    node.set_name(output);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
  }

  void setInteger(NodeProto& node, const char* name, int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  void replaceInteger(NodeProto& node, const char* name, int64_t value) {
    auto& attributes = *node.mutable_attribute();
    const auto known = std::ranges::find(attributes, name, &onnx::AttributeProto::name);
    if (known != attributes.end()) attributes.erase(known);
    setInteger(node, name, value);
  }

  void addLength() {
    text_.capacity = allRows();
    text_.run_words = room_.run_words;
    text_.length = newName("text_length");
    ValueInfoProto& input = *graph_.add_input();
    input.set_name(text_.length);
    input.mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT64);
    shapeOf(input).add_dim()->set_dim_value(1);
  }

  int64_t earlierRows() const { return room_.words - 1; }
  int64_t allRows() const { return earlierRows() + room_.run_words; }
  bool hasChunks() const { return room_.run_words > 1; }

  /// Numbers of the run's words, the first of which has number `first`.
  std::vector<int64_t> runWords(int64_t first) const {
    std::vector<int64_t> numbers(static_cast<size_t>(room_.run_words));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
  }

  ValueInfoProto* findInput(std::string_view name) {
    const auto found = std::ranges::find_if(
        *graph_.mutable_input(), [&](const ValueInfoProto& value) { return value.name() == name; });
    return found == graph_.mutable_input()->end() ? nullptr : &*found;
  }

  Status bindCache(const FoundCache& cache) {
    ValueInfoProto& input = *findInput(cache.past);
    const int64_t rows = earlierRows();
    if (shapeOf(input).dim_size() <= cache.axis) {
      return unsupported(
          fmt::format("--context-length: input '{}' has {} dimensions, and its rows "
                      "lie along number {}",
                      cache.past, shapeOf(input).dim_size(), cache.axis));
    }
    auto& extent = *shapeOf(input).mutable_dim(static_cast<int>(cache.axis));
    if (extent.has_dim_value() && extent.dim_value() != rows) {
      return invalidArgument(
          fmt::format("--context-length={}: input '{}' has {} rows; its model is for "
                      "--context-length={}, or export it with a symbolic length",
                      room_.words, cache.past, extent.dim_value(), extent.dim_value() + 1));
    }
    extent.set_dim_value(rows);
    if (cache.axis > 0) bindBatch(input);
    text_.caches.push_back({cache.past, "", cache.axis});
    return {};
  }

  static void bindBatch(ValueInfoProto& input) {
    auto& extent = *shapeOf(input).mutable_dim(0);
    if (!extent.has_dim_value()) extent.set_dim_value(1);
  }

  /// [1, rows]: whether a row is one of an earlier word, or of the run's, the last ones.
  const std::string& validRows() {
    if (!valid_.empty()) return valid_;
    std::vector<int64_t> numbers(static_cast<size_t>(allRows()), -1);  // no length is smaller
    std::iota(numbers.begin(), numbers.begin() + earlierRows(), int64_t{0});
    const std::string rows = constant("text_rows", {1, allRows()}, numbers);
    valid_ = newName("text_valid");
    node("Less", {rows, text_.length}, valid_);
    return valid_;
  }

  /// [words of a run, rows]: whether the run's word sees a row: not those of words behind it.
  const std::string& seenRows() {
    if (!hasChunks()) return validRows();
    if (!seen_.empty()) return seen_;
    std::vector<int64_t> numbers;
    for (int64_t word = 0; word < room_.run_words; ++word) {
      for (int64_t row = 0; row < allRows(); ++row) {
        const int64_t new_row = row - earlierRows();
        const int64_t of_new = new_row <= word ? -1 : std::numeric_limits<int64_t>::max();
        numbers.push_back(new_row < 0 ? row : of_new);
      }
    }
    const std::string rows = constant("text_rows", {room_.run_words, allRows()}, numbers);
    seen_ = newName("text_seen");
    node("Less", {rows, text_.length}, seen_);
    return seen_;
  }

  /// Takes an input away, so that a node can make it; its type of elements.
  int32_t takeInput(const ValueInfoProto& input) {
    const int32_t type = input.type().tensor_type().elem_type();
    auto& inputs = *graph_.mutable_input();
    const auto at =
        std::ranges::find_if(inputs, [&](const ValueInfoProto& value) { return &value == &input; });
    inputs.erase(at);
    return type;
  }

  Status replaceMask() {
    const ValueInfoProto* mask = findInput(kMask);
    if (mask == nullptr) return addMasks();
    const int rank = mask->type().tensor_type().shape().dim_size();
    if (rank != 2) {
      return unsupported(fmt::format(
          "--context-length: input '{}' has {} dimensions; supported are 2, batch and words", kMask,
          rank));
    }
    const int32_t type = takeInput(*mask);
    setInteger(node("Cast", {validRows()}, std::string(kMask)), "to", type);
    // Attention that leaves the mask to whoever gives it the cache.
    for (const FoundCache& cache : found_) {
      if (cache.kind == CacheKind::kAttention)
        VTA_RETURN_IF_ERROR(maskAttention(*cache.node, true));
    }
    return hasChunks() ? hideLaterWords() : Status();
  }

  /// For models whose mask is for one word, which sees everything. GroupQueryAttention looks back
  /// by itself.
  Status hideLaterWords() {
    const bool is_grouped = std::ranges::all_of(
        found_, [](const FoundCache& cache) { return cache.kind == CacheKind::kGrouped; });
    return is_grouped || 2 * maskScores() >= std::ssize(found_) ? Status() : noScores();
  }

  /// For models that count on caches without rows that are not valid.
  Status addMasks() {
    for (const FoundCache& cache : found_) {
      if (cache.kind == CacheKind::kGrouped) {
        return unsupported(
            fmt::format("--context-length: node '{}' takes lengths from something else than an "
                        "input '{}'",
                        cache.node->name(), kMask));
      }
      if (cache.kind == CacheKind::kAttention)
        VTA_RETURN_IF_ERROR(maskAttention(*cache.node, false));
    }
    // Of two caches, keys and values, one has scores.
    if (2 * maskScores() >= std::ssize(found_)) return {};
    return unsupported(fmt::format(
        "--context-length: the model has no input '{}', and the scores of its attention are not "
        "found; export it with such an input",
        kMask));
  }

  /// Leaves out what a word does not see wherever scores are found; of how many caches that is.
  int64_t maskScores() {
    int64_t masked = 0;
    std::set<const NodeProto*> known;
    for (const FoundCache& cache : found_) {
      if (cache.kind == CacheKind::kAttention) ++masked;
      if (cache.kind != CacheKind::kConcat) continue;
      NodeProto* softmax = scoresOf(graph_, cache.node->output(0));
      if (softmax == nullptr || !known.insert(softmax).second) continue;
      const std::string scores = newName(softmax->name() + "_masked");
      node("Where", {seenRows(), softmax->input(0), never()}, scores);
      softmax->set_input(0, scores);
      ++masked;
    }
    return masked;
  }

  static Status noScores() {
    return unsupported(
        "--prompt-chunk: the scores of the model's attention are not found, so words of one run "
        "cannot be hidden from those in front of them; leave the option out");
  }

  Status maskAttention(NodeProto& attention, bool may_have_mask) {
    constexpr int kMaskInput = 3;
    if (hasChunks()) replaceInteger(attention, "is_causal", 1);
    if (!attention.input(kMaskInput).empty()) {
      if (may_have_mask || attention.input(kMaskInput) == validRows()) return {};
      return unsupported(
          fmt::format("--context-length: node '{}' has a mask that does not come from an input "
                      "'{}'",
                      attention.name(), kMask));
    }
    attention.set_input(kMaskInput, validRows());
    return {};
  }

  /// A score that leaves nothing of its value.
  const std::string& never() {
    if (!never_.empty()) return never_;
    TensorProto& tensor = *graph_.add_initializer();
    never_ = newName("text_never");
    tensor.set_name(never_);
    tensor.set_data_type(TensorProto::FLOAT);
    tensor.add_float_data(-1e30F);
    return never_;
  }

  Status replacePositions() {
    bool has_positions = found_.front().kind == CacheKind::kGrouped;  // it turns rows itself
    for (const std::string_view name : kPositions) {
      const ValueInfoProto* input = findInput(name);
      if (input == nullptr) continue;
      has_positions = true;
      const int rank = input->type().tensor_type().shape().dim_size();
      if (rank < 1 || rank > 2) {
        return unsupported(fmt::format(
            "--context-length: input '{}' has {} dimensions; supported are 1 and 2", name, rank));
      }
      const int32_t type = takeInput(*input);
      std::vector<int64_t> shape(static_cast<size_t>(rank), 1);
      shape.back() = room_.run_words;
      setInteger(node("Cast", {positions(shape)}, std::string(name)), "to", type);
    }
    if (!has_positions && notes_ != nullptr) {
      notes_->push_back(
          "the model has no input 'position_ids': if it takes the position of a word from the size "
          "of its caches, its texts are wrong; export it with such an input");
    }
    return {};
  }

  /// Where the run's words stand in the text. Words that only fill a run up stand where the text
  /// ends: a model need not know places behind it.
  std::string positions(const std::vector<int64_t>& shape) {
    std::string position = newName("text_position");
    node("Add", {text_.length, constant("text_words", shape, runWords(0))}, position);
    if (!hasChunks()) return position;
    std::string inside = newName("text_position");
    node("Min", {position, constant("text_last_position", {1}, {room_.words - 1})}, inside);
    return inside;
  }

  /// The input of words is for those of a run.
  Status bindWords() {
    ValueInfoProto* words = findInput("input_ids");
    if (words == nullptr) words = findInput("inputs_embeds");
    if (words == nullptr || shapeOf(*words).dim_size() < 2) {
      if (!hasChunks()) return {};
      return unsupported(
          "--prompt-chunk: the model has no input 'input_ids' or 'inputs_embeds' of batch and "
          "words; leave the option out");
    }
    bindBatch(*words);
    auto& extent = *shapeOf(*words).mutable_dim(1);
    if (!extent.has_dim_value()) extent.set_dim_value(room_.run_words);
    if (!hasChunks()) return {};
    if (extent.dim_value() != room_.run_words) {
      return invalidArgument(
          fmt::format("--prompt-chunk={}: input '{}' is for {} words; leave the option out, or "
                      "export the model with a symbolic length",
                      room_.run_words, words->name(), extent.dim_value()));
    }
    return checkOnlyWords(*words);
  }

  /// Only where the words lie is known, so nothing else may come with them.
  Status checkOnlyWords(const ValueInfoProto& words) const {
    std::set<std::string_view> constants;
    for (const auto& tensor : graph_.initializer()) constants.insert(tensor.name());
    for (const ValueInfoProto& input : graph_.input()) {
      if (&input == &words || constants.contains(input.name()) || text_.isKeptInput(input.name())) {
        continue;
      }
      return unsupported(fmt::format(
          "--prompt-chunk: the model takes input '{}' beside '{}'; leave the option out",
          input.name(), words.name()));
    }
    return {};
  }

  /// Makes the row of the new word the output, in place of all rows.
  void giveRows(const FoundCache& cache) {
    const std::string rows = newName(cache.present + ".row");
    if (!cache.fresh.empty()) {
      node("Identity", {cache.fresh}, rows);
    } else if (cache.kind == CacheKind::kGrouped) {
      const std::string places = newName("text_places");
      node("Add", {text_.length, constant("text_words", {room_.run_words}, runWords(0))}, places);
      setInteger(node("Gather", {cache.present, places}, rows), "axis", cache.axis);
    } else {
      const std::string last = constant("text_last", {room_.run_words}, runWords(earlierRows()));
      setInteger(node("Gather", {cache.present, last}, rows), "axis", cache.axis);
    }
    auto& outputs = *graph_.mutable_output();
    const auto output = std::ranges::find_if(
        outputs, [&](const ValueInfoProto& value) { return value.name() == cache.present; });
    output->set_name(rows);
    output->mutable_type()->mutable_tensor_type()->clear_shape();
    const auto kept = std::ranges::find(text_.caches, cache.past, &graph::KeptCache::input);
    kept->output = rows;
  }

  onnx::GraphProto& graph_;
  TextRoom room_;
  std::vector<std::string>* notes_;
  std::set<std::string> names_;
  std::vector<FoundCache> found_;
  std::vector<NodeProto> nodes_;  // new ones
  std::string valid_, seen_, never_;
  graph::KeptText text_;
};

}  // namespace

Result<graph::KeptText> keepText(onnx::GraphProto& graph, const TextRoom& room,
                                 std::vector<std::string>* notes) {
  auto text = TextKeeper(graph, room, notes).run();
  const bool wants_last = text.ok() && room.last_scores && room.run_words > 1;
  if (wants_last && !scoreLastWord(graph, "input_ids") && notes != nullptr) {
    notes->push_back(
        "all words of a run are scored, not the last one alone: the product that makes the scores "
        "of 'input_ids' is not found");
  }
  return text;
}

}  // namespace vta::compiler
