// Which elements of an output tensor have been stored: all of them have to be, once.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/tile/program/tile_program.h"

namespace vta::tile {

class StoredElements {
 public:
  explicit StoredElements(const TensorDecl& tensor);

  /// Marks the box of `shape` elements at `begin`. Errors: a part of it lies beside the tensor, or
  /// has been stored before: iterations that store the same element race.
  Status add(const Shape& begin, const Shape& shape);

  /// An error that names the first element that is missing, if one is.
  Status checkComplete() const;

 private:
  std::string placeText(int64_t element) const;

  const TensorDecl& tensor_;
  std::vector<bool> is_stored_;
};

}  // namespace vta::tile
