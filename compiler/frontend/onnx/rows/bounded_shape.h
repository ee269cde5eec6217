// Shapes of which an extent is computed.
#pragma once

#include <optional>

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// What an extent may be instead of a constant; see Node::hasToBeConstant.
inline constexpr std::string_view kOrElse = ", or limited by Min or by a size that is known";

/// A shape with the most that each extent may be, and which part of such a tensor is wanted.
struct BoundedShape {
  graph::Shape shape;
  std::optional<RowCount> rows;
};

/// The shape that input `index` holds. Errors: more than one extent that is computed, or one of
/// which it is not known how large it gets.
Result<BoundedShape> readBoundedShape(Composer& c, size_t index, std::string_view name);

}  // namespace vta::compiler
