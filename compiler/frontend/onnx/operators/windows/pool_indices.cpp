#include "compiler/frontend/onnx/operators/windows/pool_indices.h"

#include <limits>

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

constexpr size_t kImageAxes = 2;  // dimensions in front of those that windows slide along

/// Looks at one element of all windows after the other.
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
    Value most, places;
    const int64_t taps = graph::elementCount(window_.kernel);
    for (int64_t tap = 0; tap < taps; ++tap) {
      const Shape at = tapPosition(tap);
      const Value values = elements(at), positions = positionsOf(at);
      if (!most) {
        most = values;
        places = positions;
        continue;
      }
      const Value is_larger = c_.less(most, values);
      places = c_.where(is_larger, positions, places);
      most = c_.max(most, values);
    }
    Shape all = {shape_[0], shape_[1]};
    all.insert(all.end(), outputs_.begin(), outputs_.end());
    return c_.expand(places, all);
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

  /// Element number `tap` of a window, from the window's first one.
  Shape tapPosition(int64_t tap) const {
    Shape at(window_.kernel.size());
    for (size_t i = at.size(); i-- > 0;) {
      at[i] = tap % window_.kernel[i] * window_.dilations[i];
      tap /= window_.kernel[i];
    }
    return at;
  }

  Value elements(const Shape& at) const {
    Shape starts(shape_.size(), 0), steps(shape_.size(), 1), extents = shape_;
    for (size_t i = 0; i < at.size(); ++i) {
      starts[i + kImageAxes] = at[i];
      steps[i + kImageAxes] = window_.strides[i];
      extents[i + kImageAxes] = outputs_[i];
    }
    return c_.ok() ? c_.take(c_.node().build().slice(input_, starts, steps, extents)) : Value();
  }

  Value positionsOf(const Shape& at) const {
    const mlir::Type type = c_.node().ir().getI64Type();
    const auto rank = std::ssize(shape_);
    Value sum;
    for (int64_t i = 0; i < rank; ++i) {
      const auto axis = static_cast<size_t>(i);
      const bool slides = axis >= kImageAxes;
      const size_t spatial = slides ? axis - kImageAxes : 0;
      const int64_t count = slides ? outputs_[spatial] : shape_[axis];
      const int64_t step = slides ? window_.strides[spatial] : 1;
      const int64_t first = slides ? at[spatial] - window_.pads[spatial] : 0;
      Value along = c_.scale(c_.positions(count, i, rank, type), static_cast<double>(step));
      along = c_.add(along, c_.number(static_cast<double>(first), type));
      along = c_.scale(along, static_cast<double>(strides_[axis]));
      sum = sum ? c_.add(sum, along) : along;
    }
    return sum;
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
