#include "compiler/tile/stored_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace vta::tile {

StoredElements::StoredElements(const TensorDecl& tensor)
    : tensor_(tensor), is_stored_(static_cast<size_t>(elemsOf(tensor.shape))) {}

std::string StoredElements::placeText(int64_t element) const {
  Shape place;
  for (const int64_t stride : packedStrides(tensor_.shape)) {
    place.push_back(element / stride);
    element %= stride;
  }
  return fmt::format("{}[{}]", tensor_.name, fmt::join(place, ", "));
}

Status StoredElements::add(const Shape& begin, const Shape& shape) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (begin[axis] >= 0 && begin[axis] + shape[axis] <= tensor_.shape[axis]) continue;
    return invalidArgument(fmt::format(
        "a store reaches elements {} to {} of axis {} of '{}', which has {}; choose "
        "tiles that divide it",
        begin[axis], begin[axis] + shape[axis] - 1, axis, tensor_.name, tensor_.shape[axis]));
  }
  const Shape strides = packedStrides(tensor_.shape);
  int64_t twice = -1;
  forEachPosition(shape, [&](const Shape& position) {
    int64_t element = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      element += (begin[axis] + position[axis]) * strides[axis];
    }
    if (is_stored_[element] && twice < 0) twice = element;
    is_stored_[element] = true;
  });
  if (twice < 0) return {};
  return invalidArgument(
      fmt::format("race: {} is stored twice; each element of an output has to "
                  "be stored once",
                  placeText(twice)));
}

Status StoredElements::checkComplete() const {
  const auto missing = std::find(is_stored_.begin(), is_stored_.end(), false);
  if (missing == is_stored_.end()) return {};
  const auto count = std::count(is_stored_.begin(), is_stored_.end(), false);
  return invalidArgument(fmt::format("{} of {} elements of '{}' are never stored, the first is {}",
                                     count, is_stored_.size(), tensor_.name,
                                     placeText(missing - is_stored_.begin())));
}

}  // namespace vta::tile
