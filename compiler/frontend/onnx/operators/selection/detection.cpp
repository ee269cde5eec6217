// NonMaxSuppression: what detectors end in.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::Shape;
using mlir::Value;

/// Larger results would not fit the memory that their parts take.
constexpr int64_t kMostSelected = int64_t{1} << 26;

/// An optional input of one element, as a 0-D tensor of `type`; null if absent.
Value scalarInput(Composer& c, size_t index, std::string_view name, mlir::Type type) {
  if (!c.ok() || !c.node().hasInput(index)) return {};
  const Value value = c.input(index, name);
  if (c.ok() && graph::elementCount(c.shape(value)) != 1) {
    c.fail(invalidArgument(fmt::format("'{}' needs one element", name)));
  }
  return c.reshape(c.cast(value, type), {});
}

struct Detector {
  Value boxes, scores;           // [B, N, 4], [B, C, N]
  Value limit, iou_threshold;    // for each class of each image
  Value score_threshold, count;  // may be null
  int64_t most = 0;              // of `limit`
  bool center = false;
};

/// The number of boxes that take part, if that depends on data; null if all do.
Result<Value> countBoxes(Node& node, Value boxes, Value scores) {
  const RowCount* of_boxes = node.rowCount(boxes);
  const RowCount* of_scores = node.rowCount(scores);
  if (of_boxes == nullptr && of_scores == nullptr) return Value();
  const bool fits = (of_boxes == nullptr || of_boxes->axis == 1) &&
                    (of_scores == nullptr || of_scores->axis == 2) &&
                    (of_boxes == nullptr || of_scores == nullptr ||
                     isSameCount(of_boxes->count, of_scores->count));
  if (fits) return of_boxes != nullptr ? of_boxes->count : of_scores->count;
  return unsupported(
      "only the number of its boxes may depend on data, and it has to be the same in "
      "'boxes' and 'scores'");
}

Result<Detector> readDetector(Composer& c) {
  Node& node = c.node();
  const mlir::Type f32 = node.ir().getF32Type(), i64 = node.ir().getI64Type();
  Detector detector;
  const Value boxes = c.input(0, "boxes"), scores = c.input(1, "scores");
  detector.boxes = c.cast(boxes, f32);
  detector.scores = c.cast(scores, f32);
  if (!c.ok()) return c.status();
  const Shape from = c.shape(boxes), by = c.shape(scores);
  const bool fits =
      from.size() == 3 && by.size() == 3 && from[0] == by[0] && from[2] == 4 && from[1] == by[2];
  if (!fits) {
    return invalidArgument(fmt::format(
        "expects boxes [batches, boxes, 4] and scores [batches, classes, boxes], got {} and {}",
        graph::shapeText(from), graph::shapeText(by)));
  }
  VTA_ASSIGN_OR_RETURN(detector.count, countBoxes(node, boxes, scores));
  const int64_t center = node.integer("center_point_box", 0);
  if (center != 0 && center != 1) return invalidArgument("'center_point_box' is neither 0 nor 1");
  detector.center = center == 1;
  // Without a limit, nothing is selected.
  detector.limit = scalarInput(c, 2, "max_output_boxes_per_class", i64);
  if (!detector.limit) detector.limit = countOf(c, 0);
  if (!c.ok()) return c.status();
  const std::vector<Range> limit = node.rangesOf(detector.limit);
  detector.most = std::clamp<int64_t>(limit.empty() ? by[2] : limit[0].high, 0, by[2]);
  detector.iou_threshold = scalarInput(c, 3, "iou_threshold", f32);
  if (!detector.iou_threshold) detector.iou_threshold = c.number(0, f32);
  if (!c.ok()) return c.status();
  if (const mlir::DenseElementsAttr known = graph::constantOf(detector.iou_threshold)) {
    const double value = (*known.getValues<llvm::APFloat>().begin()).convertToDouble();
    if (!(value >= 0 && value <= 1)) {
      return invalidArgument(fmt::format("'iou_threshold' is {}, not a number from 0 to 1", value));
    }
  }
  detector.score_threshold = scalarInput(c, 4, "score_threshold", f32);
  if (!c.ok()) return c.status();
  return detector;
}

Status importNonMaxSuppression(Node& node) {
  Composer c(node);
  VTA_ASSIGN_OR_RETURN(const Detector detector, readDetector(c));
  const Shape by = c.shape(detector.scores);
  const mlir::Type i64 = node.ir().getI64Type();
  const int64_t total = by[0] * by[1] * detector.most;
  if (total == 0) return c.finish(c.integers({0, 3}, {}, i64));
  if (total > kMostSelected) {
    return unsupported(fmt::format(
        "{} batches and {} classes may give up to {} boxes; 'max_output_boxes_per_class' has to be "
        "a smaller constant",
        by[0], by[1], total));
  }
  const Value selected = c.take(node.build().suppress(
      detector.boxes, detector.scores, detector.limit, detector.iou_threshold,
      detector.score_threshold, detector.count, detector.most, detector.center));
  // The selected boxes one behind the other, each with its batch and class.
  const Value flat = c.reshape(selected, {total});
  const Value mask = c.binary(BinaryKind::greater_equal, flat, c.numberLike(0, flat));
  const Value count = countTrue(c, mask);
  if (!c.ok()) return c.status();
  const Value places = c.take(node.build().compact(mask));
  const Value batch = c.div(places, countOf(c, by[1] * detector.most));
  const Value group =
      c.binary(BinaryKind::mod, c.div(places, countOf(c, detector.most)), countOf(c, by[1]));
  const Value box = c.max(c.gather(flat, places, 0), countOf(c, 0));
  const Value rows =
      c.concat({c.unsqueeze(batch, 1), c.unsqueeze(group, 1), c.unsqueeze(box, 1)}, 1);
  return finishCounted(c, rows, {0, count});
}

}  // namespace

std::span<const OpEntry> detectionOps() {
  static constexpr OpEntry kOps[] = {
      {"NonMaxSuppression", 10, kLatest, importNonMaxSuppression},
  };
  return kOps;
}

}  // namespace vta::compiler
