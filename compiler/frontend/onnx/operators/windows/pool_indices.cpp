#include "compiler/frontend/onnx/operators/windows/pool_indices.h"

#include <limits>

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

constexpr size_t kImageAxes = 2;  // dimensions in front of those that windows slide along

/// The largest elements of all windows and where they are: along the last dimension first, then
/// among the results along the next one. So there are as many comparisons as a window has rows and
/// columns, not elements. Of equal elements the first one wins, as when they are looked at in
/// order.
class IndexFinder {
 public:
  IndexFinder(Composer& c, Value input, const SpatialWindow& window, bool column_major)
      : c_(c), window_(window), shape_(c.shape(input)), strides_(stridesOf(column_major)) {
    input_ = padded(input);
    for (size_t i = 0; i < window.kernel.size(); ++i) {
      const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
      const int64_t span = c.shape(input_)[i + kImageAxes] - reach;
      outputs_.push_back(span / window.strides[i] + 1);
    }
  }

  Value run() {
    Found found{input_, {}};
    for (size_t i = window_.kernel.size(); i-- > 0 && c_.ok();) found = along(i, found);
    // The images in front.
    for (size_t axis = 0; axis < kImageAxes && c_.ok(); ++axis) {
      found.places = c_.add(found.places, places(static_cast<int64_t>(axis), shape_[axis], 1, 0));
    }
    Shape all = {shape_[0], shape_[1]};
    all.insert(all.end(), outputs_.begin(), outputs_.end());
    return c_.expand(found.places, all);
  }

 private:
  /// The distance of neighbours in all dimensions.
  Shape stridesOf(bool column_major) const {
    Shape strides(shape_.size(), 1);
    for (size_t i = shape_.size(); i-- > 1;) strides[i - 1] = strides[i] * shape_[i];
    for (size_t i = kImageAxes; column_major && i < shape_.size(); ++i) {
      strides[i] = i == kImageAxes ? 1 : strides[i - 1] * shape_[i - 1];
    }
    return strides;
  }

  /// Padding is less than all elements. Integers get more bits for that.
  Value padded(Value input) const {
    double least = -std::numeric_limits<double>::infinity();
    if (graph::elementTypeOf(input).isIntOrIndex()) {
      input = c_.cast(input, c_.node().ir().getI32Type());
      least = std::numeric_limits<int32_t>::min();
    }
    Shape low(shape_.size(), 0), high(shape_.size(), 0);
    const size_t rank = window_.kernel.size();
    for (size_t i = 0; i < rank; ++i) {
      low[i + kImageAxes] = window_.pads[i];
      high[i + kImageAxes] = window_.pads[rank + i];
    }
    return c_.pad(input, low, high, least);
  }

  /// The largest elements of parts of windows, and their places without the dimensions that were
  /// not looked at yet; no places where there was none.
  struct Found {
    Value most, places;
  };

  /// The best of what was found, among the rows (columns, ...) of each window along `spatial`.
  Found along(size_t spatial, const Found& rows) const {
    Found best;
    for (int64_t tap = 0; tap < window_.kernel[spatial] && c_.ok(); ++tap) {
      const int64_t at = tap * window_.dilations[spatial];
      const int64_t first = at - window_.pads[spatial], step = window_.strides[spatial];
      const auto axis = static_cast<int64_t>(spatial + kImageAxes);
      Value here = places(axis, outputs_[spatial], step, first);
      if (rows.places) here = c_.add(here, taken(rows.places, spatial, at));
      const Found row = {taken(rows.most, spatial, at), here};
      if (!best.most) {
        best = row;
        continue;
      }
      best.places = c_.where(c_.less(best.most, row.most), row.places, best.places);
      best.most = c_.max(best.most, row.most);
    }
    return best;
  }

  /// Element `at` of each window along `spatial`; all if they are the same everywhere.
  Value taken(Value value, size_t spatial, int64_t at) const {
    Shape extents = c_.shape(value);
    if (!c_.ok() || extents[spatial + kImageAxes] == 1) return value;
    Shape starts(extents.size(), 0), steps(extents.size(), 1);
    starts[spatial + kImageAxes] = at;
    steps[spatial + kImageAxes] = window_.strides[spatial];
    extents[spatial + kImageAxes] = outputs_[spatial];
    return c_.take(c_.node().build().slice(value, starts, steps, extents));
  }

  /// What positions first, first + step ... along `axis` add to the place of an element.
  Value places(int64_t axis, int64_t count, int64_t step, int64_t first) const {
    const mlir::Type type = c_.node().ir().getI64Type();
    Value along =
        c_.scale(c_.positions(count, axis, std::ssize(shape_), type), static_cast<double>(step));
    along = c_.add(along, c_.number(static_cast<double>(first), type));
    return c_.scale(along, static_cast<double>(strides_[static_cast<size_t>(axis)]));
  }

  Composer& c_;
  const SpatialWindow& window_;
  Shape shape_, strides_, outputs_;
  Value input_;  // padded
};

}  // namespace

Value maxPoolIndices(Composer& c, Value input, const SpatialWindow& window, bool column_major) {
  if (!c.ok()) return {};
  return IndexFinder(c, input, window, column_major).run();
}

}  // namespace vta::compiler
