// Parts of tiles, and the operators that change them.
#include <fmt/format.h>

#include "compiler/tile/tile_builder.h"

namespace vta::tile {

Tile Tile::slice(size_t axis, int64_t begin, int64_t extent, int64_t step) const {
  if (builder_ == nullptr) return {};
  const bool fits = axis < view_.shape.size() && begin >= 0 && extent >= 1 && step >= 1 &&
                    begin + (extent - 1) * step < view_.shape[axis];
  if (!fits) {
    builder_->fail(
        fmt::format("a slice of {} elements from {} on in steps of {} along axis {} "
                    "leaves the tile of {}",
                    extent, begin, step, axis, shapeText(view_.shape)));
    return {};
  }
  View part = view_;
  part.offset += begin * part.strides[axis];
  part.shape[axis] = extent;
  part.strides[axis] *= step;
  return {builder_, std::move(part)};
}

Tile Tile::squeeze(size_t axis) const {
  if (builder_ == nullptr) return {};
  if (axis >= view_.shape.size() || view_.shape[axis] != 1 || view_.shape.size() == 1) {
    builder_->fail(
        fmt::format("axis {} of a tile of {} cannot be left out", axis, shapeText(view_.shape)));
    return {};
  }
  View part = view_;
  part.shape.erase(part.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  part.strides.erase(part.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return {builder_, std::move(part)};
}

Tile Tile::expand(size_t axis) const {
  if (builder_ == nullptr) return {};
  if (axis > view_.shape.size() || view_.shape.size() == kMaxAxes) {
    builder_->fail(
        fmt::format("a tile of {} cannot have one more axis at {}", shapeText(view_.shape), axis));
    return {};
  }
  View part = view_;
  part.shape.insert(part.shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  part.strides.insert(part.strides.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  return {builder_, std::move(part)};
}

Tile& Tile::operator+=(const Tile& other) {
  if (builder_ != nullptr) builder_->apply(AluOpcode::kAdd, *this, other);
  return *this;
}

Tile& Tile::operator+=(int64_t imm) {
  if (builder_ != nullptr) builder_->applyImmediate(AluOpcode::kAdd, *this, imm);
  return *this;
}

Tile& Tile::operator*=(const Tile& other) {
  if (builder_ != nullptr) builder_->apply(AluOpcode::kMul, *this, other);
  return *this;
}

Tile& Tile::operator*=(int64_t imm) {
  if (builder_ != nullptr) builder_->applyImmediate(AluOpcode::kMul, *this, imm);
  return *this;
}

Tile& Tile::operator>>=(int64_t bits) {
  if (builder_ != nullptr) builder_->applyImmediate(AluOpcode::kShr, *this, bits);
  return *this;
}

}  // namespace vta::tile
