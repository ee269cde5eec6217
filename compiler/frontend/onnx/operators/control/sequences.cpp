// Sequences of tensors. Their lengths and the positions in them are known, so that a sequence is
// the list of its elements and leaves nothing in the graph.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// More would not compile in a reasonable time.
constexpr int64_t kMostElements = 4096;

/// Input `index` as a position, counted from the front, below `count`; `otherwise` without it.
Result<int64_t> readPosition(Node& node, size_t index, int64_t count, int64_t otherwise) {
  if (!node.hasInput(index)) return otherwise;
  VTA_ASSIGN_OR_RETURN(const Shape position, node.integers(index, "position"));
  if (position.size() != 1) return invalidArgument("'position' needs one element");
  if (position[0] >= -count && position[0] < count) {
    return position[0] < 0 ? position[0] + count : position[0];
  }
  return invalidArgument(
      fmt::format("position {} is outside [{}, {})", position[0], -count, count));
}

/// The elements of a sequence have one type.
Status checkTypes(const Sequence& sequence) {
  for (Value value : sequence) {
    if (graph::elementTypeOf(value) == graph::elementTypeOf(sequence[0])) continue;
    return invalidArgument("the tensors of a sequence need one element type");
  }
  return {};
}

Status importEmpty(Node& node) {
  node.setSequence(0, {});
  return {};
}

Status importConstruct(Node& node) {
  VTA_ASSIGN_OR_RETURN(Sequence sequence, node.allInputs());
  VTA_RETURN_IF_ERROR(checkTypes(sequence));
  node.setSequence(0, std::move(sequence));
  return {};
}

Status importInsert(Node& node) {
  VTA_ASSIGN_OR_RETURN(Sequence sequence, node.sequence(0, "input_sequence"));
  VTA_ASSIGN_OR_RETURN(const Value tensor, node.input(1, "tensor"));
  // An element may also become the last one, at the position behind all.
  const int64_t count = std::ssize(sequence);
  int64_t position = count;
  if (node.hasInput(2)) {
    VTA_ASSIGN_OR_RETURN(const Shape given, node.integers(2, "position"));
    if (given.size() != 1) return invalidArgument("'position' needs one element");
    position = given[0] < 0 ? given[0] + count : given[0];
    if (position < 0 || position > count) {
      return invalidArgument(
          fmt::format("position {} is outside [{}, {}]", given[0], -count, count));
    }
  }
  sequence.insert(sequence.begin() + position, tensor);
  VTA_RETURN_IF_ERROR(checkTypes(sequence));
  node.setSequence(0, std::move(sequence));
  return {};
}

Status importErase(Node& node) {
  VTA_ASSIGN_OR_RETURN(Sequence sequence, node.sequence(0, "input_sequence"));
  const int64_t count = std::ssize(sequence);
  if (count == 0) return invalidArgument("the sequence is empty");
  VTA_ASSIGN_OR_RETURN(const int64_t position, readPosition(node, 1, count, count - 1));
  sequence.erase(sequence.begin() + position);
  node.setSequence(0, std::move(sequence));
  return {};
}

Status importAt(Node& node) {
  VTA_ASSIGN_OR_RETURN(const Sequence sequence, node.sequence(0, "input_sequence"));
  if (!node.hasInput(1)) return invalidArgument("input 1 ('position') is missing");
  VTA_ASSIGN_OR_RETURN(const int64_t position, readPosition(node, 1, std::ssize(sequence), 0));
  node.setOutput(0, sequence[position]);
  return {};
}

Status importLength(Node& node) {
  VTA_ASSIGN_OR_RETURN(const Sequence sequence, node.sequence(0, "input_sequence"));
  Composer c(node);
  return c.finish(c.number(static_cast<double>(sequence.size()), node.ir().getI64Type()));
}

Status importConcatFromSequence(Node& node) {
  VTA_ASSIGN_OR_RETURN(const Sequence sequence, node.sequence(0, "input_sequence"));
  if (sequence.empty()) return invalidArgument("the sequence is empty");
  if (!node.hasAttribute("axis")) return invalidArgument("attribute 'axis' is missing");
  Composer c(node);
  const bool is_new = node.integer("new_axis", 0) != 0;
  const int64_t rank = c.rank(sequence[0]) + (is_new ? 1 : 0);
  const int64_t axis = c.axis(node.integer("axis", 0), rank);
  std::vector<Value> parts;
  for (Value value : sequence) parts.push_back(is_new ? c.unsqueeze(value, axis) : value);
  return c.finish(c.concat(parts, axis));
}

/// The extents of the parts of SplitToSequence: a list of them, or parts of one extent, of which
/// the last may be smaller.
Result<Shape> partExtents(Node& node, int64_t extent) {
  int64_t each = 1;
  if (node.hasInput(1)) {
    VTA_ASSIGN_OR_RETURN(const Value split, node.input(1, "split"));
    VTA_ASSIGN_OR_RETURN(const Shape given, node.integers(1, "split"));
    const bool is_list = !graph::shapeOf(split).empty();
    if (is_list) return given;
    each = given[0];
  }
  if (each < 1) return invalidArgument(fmt::format("'split' is {}, not positive", each));
  if (extent / each >= kMostElements) {
    return unsupported(fmt::format("more than {} parts are not supported", kMostElements));
  }
  Shape parts;
  for (int64_t start = 0; start < extent; start += each) {
    parts.push_back(std::min(each, extent - start));
  }
  return parts;
}

Status wrongParts(const Shape& parts, int64_t axis, const Shape& shape) {
  return invalidArgument(fmt::format("parts {} do not add up to dimension {} of {}",
                                     graph::shapeText(parts), axis, graph::shapeText(shape)));
}

Status importSplitToSequence(Node& node) {
  VTA_ASSIGN_OR_RETURN(const Value input, node.input(0, "input"));
  Composer c(node);
  const int64_t axis = c.axis(node.integer("axis", 0), c.rank(input));
  if (!c.ok()) return c.status();
  const int64_t extent = c.shape(input)[axis];
  VTA_ASSIGN_OR_RETURN(const Shape parts, partExtents(node, extent));
  // Only parts of one element that nobody asked for lose their dimension.
  const bool drops = !node.hasInput(1) && node.integer("keepdims", 1) == 0;
  Sequence sequence;
  int64_t start = 0;
  for (const int64_t part : parts) {
    if (part < 0 || part > extent - start) return wrongParts(parts, axis, c.shape(input));
    const Value value = c.slice(input, axis, start, start + part);
    sequence.push_back(drops ? c.squeeze(value, axis) : value);
    start += part;
  }
  if (start != extent) return wrongParts(parts, axis, c.shape(input));
  node.setSequence(0, std::move(sequence));
  return c.status();
}

}  // namespace

std::span<const OpEntry> sequenceOps() {
  static constexpr OpEntry kOps[] = {
      {"ConcatFromSequence", 11, kLatest, importConcatFromSequence},
      {"SequenceAt", 11, kLatest, importAt},
      {"SequenceConstruct", 11, kLatest, importConstruct},
      {"SequenceEmpty", 11, kLatest, importEmpty},
      {"SequenceErase", 11, kLatest, importErase},
      {"SequenceInsert", 11, kLatest, importInsert},
      {"SequenceLength", 11, kLatest, importLength},
      {"SplitToSequence", 11, kLatest, importSplitToSequence},
  };
  return kOps;
}

}  // namespace vta::compiler
