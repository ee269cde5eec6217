#include "compiler/tile/program/tile_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace vta::tile {
namespace {

// Adds what one operand has of each letter.
void addOperand(std::vector<DotAxis>& axes, const std::string& letters, const View& view,
                int64_t DotAxis::*stride) {
  for (size_t i = 0; i < letters.size(); ++i) {
    auto axis = std::find_if(axes.begin(), axes.end(),
                             [&](const DotAxis& a) { return a.letter == letters[i]; });
    if (axis == axes.end()) axis = axes.insert(axes.end(), DotAxis{.letter = letters[i]});
    axis->count = view.shape[i];
    (*axis).*stride = view.strides[i];
  }
}

}  // namespace

int64_t elemsOf(const Shape& shape) {
  int64_t elems = 1;
  for (const int64_t extent : shape) elems *= extent;
  return elems;
}

Shape packedStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string shapeText(const Shape& shape) {
  return shape.empty() ? "1" : fmt::format("{}", fmt::join(shape, "x"));
}

int64_t View::end() const {
  int64_t last = offset;
  for (size_t i = 0; i < shape.size(); ++i) last += (shape[i] - 1) * strides[i];
  return last + 1;
}

bool View::isPacked() const {
  int64_t packed = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != packed) return false;
    packed *= shape[i];
  }
  return true;
}

std::vector<DotAxis> dotAxes(const DotOp& dot) {
  std::vector<DotAxis> axes;
  addOperand(axes, dot.acc_axes, dot.acc, &DotAxis::acc);
  const size_t results = axes.size();
  addOperand(axes, dot.inp_axes, dot.inp, &DotAxis::inp);
  addOperand(axes, dot.wgt_axes, dot.wgt, &DotAxis::wgt);
  for (size_t i = results; i < axes.size(); ++i) axes[i].is_sum = true;
  return axes;
}

}  // namespace vta::tile
