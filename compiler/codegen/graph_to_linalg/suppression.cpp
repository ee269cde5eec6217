// graph.suppress: non-maximum suppression, with the comparisons of ONNX Runtime.
#include "compiler/codegen/graph_to_linalg/loops.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;

/// A box as its least and largest coordinates.
struct Corners {
  Value low[2], high[2];
};

Value smaller(Builder& b, Value x, Value y) {
  return b.create<arith::SelectOp>(b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, y), x, y);
}
Value larger(Builder& b, Value x, Value y) {
  return b.create<arith::SelectOp>(b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, y), x, y);
}
Value isPositive(Builder& b, Value x) {
  return b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, constant(b, x.getType(), 0));
}

Corners readBox(Builder& b, Value boxes, Value batch, Value box, bool center) {
  Corners corners;
  for (int64_t d = 0; d < 2; ++d) {
    const Value first = load(b, boxes, {batch, box, index(b, d)});
    const Value second = load(b, boxes, {batch, box, index(b, d + 2)});
    if (center) {
      const Value half = b.create<arith::DivFOp>(second, constant(b, second.getType(), 2));
      corners.low[d] = b.create<arith::SubFOp>(first, half);
      corners.high[d] = b.create<arith::AddFOp>(first, half);
    } else {
      corners.low[d] = smaller(b, first, second);
      corners.high[d] = larger(b, first, second);
    }
  }
  return corners;
}

Value areaOf(Builder& b, const Corners& box) {
  const Value rows = b.create<arith::SubFOp>(box.high[0], box.low[0]);
  const Value columns = b.create<arith::SubFOp>(box.high[1], box.low[1]);
  return b.create<arith::MulFOp>(rows, columns);
}

/// Whether the intersection of the boxes over their union is above `threshold`. Boxes without an
/// area overlap nothing.
Value overlaps(Builder& b, const Corners& x, const Corners& y, Value threshold) {
  Corners shared;
  Value does;
  for (int d = 0; d < 2; ++d) {
    shared.low[d] = larger(b, x.low[d], y.low[d]);
    shared.high[d] = smaller(b, x.high[d], y.high[d]);
    const Value is_long =
        b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, shared.high[d], shared.low[d]);
    does = d == 0 ? is_long : both(b, does, is_long);
  }
  const Value area_x = areaOf(b, x), area_y = areaOf(b, y), intersection = areaOf(b, shared);
  Value whole = b.create<arith::AddFOp>(area_x, area_y);
  whole = b.create<arith::SubFOp>(whole, intersection);
  for (const Value area : {intersection, area_x, area_y, whole}) {
    does = both(b, does, isPositive(b, area));
  }
  const Value ratio = b.create<arith::DivFOp>(intersection, whole);
  return both(b, does, b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, ratio, threshold));
}

/// `value`, a 0-D i64 tensor, as an index in [0, most].
Value clampedIndex(Builder& b, Value tensor, int64_t most) {
  Value value = load(b, readBuffer(b, tensor), {});
  value = b.create<arith::MaxSIOp>(value, constantInt(b, value.getType(), 0));
  value = b.create<arith::MinSIOp>(value, constantInt(b, value.getType(), most));
  return b.create<arith::IndexCastOp>(b.getIndexType(), value);
}

class Suppression {
 public:
  Suppression(Builder& b, graph::SuppressOp op,
              OpConversionPattern<graph::SuppressOp>::OpAdaptor adaptor)
      : shape_(op.getType().getShape()),
        center_(op.getCenter()),
        boxes_(readBuffer(b, adaptor.getBoxes())),
        scores_(readBuffer(b, adaptor.getScores())),
        output_(newBuffer(b, shape_, b.getI64Type())) {
    const int64_t extent = tensorType(adaptor.getScores()).getDimSize(2);
    numbers_ = newBuffer(b, {extent}, b.getI32Type());
    limit_ = clampedIndex(b, adaptor.getLimit(), shape_[2]);
    count_ = adaptor.getCount() ? clampedIndex(b, adaptor.getCount(), extent) : index(b, extent);
    iou_threshold_ = load(b, readBuffer(b, adaptor.getIouThreshold()), {});
    if (adaptor.getScoreThreshold()) {
      score_threshold_ = load(b, readBuffer(b, adaptor.getScoreThreshold()), {});
    }
  }

  Value emit(Builder& b) {
    forEach(b, index(b, 0), index(b, shape_[0]), [&](Builder& b, Value batch) {
      forEach(b, index(b, 0), index(b, shape_[1]),
              [&](Builder& b, Value group) { emitClass(b, batch, group); });
    });
    return asTensor(b, output_);
  }

 private:
  Value takesPart(Builder& b, Value score) {
    if (score_threshold_) {
      return b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, score, score_threshold_);
    }
    return b.create<arith::CmpFOp>(arith::CmpFPredicate::ORD, score, score);
  }

  /// Selects among the boxes of one class, from the best score down.
  void emitClass(Builder& b, Value batch, Value group) {
    const Value zero = index(b, 0), one = index(b, 1);
    const auto scoreOf = [&](Builder& b, Value box) {
      return load(b, scores_, {batch, group, box});
    };
    const auto isBetter = [&](Builder& b, Value x, Value y) {
      return comesFirst(b, x, scoreOf(b, x), y, scoreOf(b, y), true, false);
    };
    Heap heap(numbers_, isBetter);
    const Value candidates = forEach(b, zero, count_, zero, [&](Builder& b, Value i, Value found) {
      heap.set(b, found, i);
      const Value takes_part = takesPart(b, scoreOf(b, i));
      return add(b, found, b.create<arith::IndexCastUIOp>(b.getIndexType(), takes_part));
    });
    heap.build(b, candidates);
    const SmallVector<Value> ended = whileTrue(
        b, {candidates, zero},
        [&](Builder& b, ValueRange v) {
          return both(b, isLess(b, zero, v[0]), isLess(b, v[1], limit_));
        },
        [&](Builder& b, ValueRange v) -> SmallVector<Value> {
          const Value box = heap.pop(b, v[0]);
          store(b, b.create<arith::IndexCastOp>(b.getI64Type(), box), output_,
                {batch, group, v[1]});
          return {sub(b, v[0], one), add(b, v[1], isFree(b, batch, group, box, v[1]))};
        });
    forEach(b, ended[1], index(b, shape_[2]), [&](Builder& b, Value i) {
      store(b, constantInt(b, b.getI64Type(), -1), output_, {batch, group, i});
    });
  }

  /// 1 if `box` overlaps none of the first `selected` boxes of its class, else 0.
  Value isFree(Builder& b, Value batch, Value group, Value box, Value selected) {
    const Corners mine = readBox(b, boxes_, batch, box, center_);
    // Ends at the first one that it overlaps.
    const SmallVector<Value> ended = whileTrue(
        b, {index(b, 0), index(b, 1)},
        [&](Builder& b, ValueRange v) {
          return both(b, isLess(b, v[0], selected), isLess(b, index(b, 0), v[1]));
        },
        [&](Builder& b, ValueRange v) -> SmallVector<Value> {
          const Value other = b.create<arith::IndexCastOp>(b.getIndexType(),
                                                           load(b, output_, {batch, group, v[0]}));
          const Value hit =
              overlaps(b, mine, readBox(b, boxes_, batch, other, center_), iou_threshold_);
          return {add(b, v[0], index(b, 1)),
                  b.create<arith::SelectOp>(hit, index(b, 0), index(b, 1))};
        });
    return ended[1];
  }

  ArrayRef<int64_t> shape_;
  bool center_;
  Value boxes_, scores_, output_;
  Value numbers_;  // of boxes: the heap of a class
  Value limit_, count_, iou_threshold_, score_threshold_;
};

Value convertSuppress(Builder& b, graph::SuppressOp op,
                      OpConversionPattern<graph::SuppressOp>::OpAdaptor adaptor) {
  return Suppression(b, op, adaptor).emit(b);
}

}  // namespace

void addSuppressionPatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  addPattern<graph::SuppressOp>(patterns, types, convertSuppress);
}

}  // namespace vta::compiler::graph_to_linalg
