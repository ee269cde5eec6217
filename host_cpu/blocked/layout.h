// Blocked buffers in MLIR.
#pragma once

#include "host_cpu/schedule/conv_spec.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::codegen::blocked {

/// The type of a buffer with this layout.
inline mlir::MemRefType memrefType(const Layout& layout, mlir::MLIRContext* context) {
  mlir::Type element = mlir::Float32Type::get(context);
  if (layout.is_integer) element = mlir::IntegerType::get(context, 32);
  return mlir::MemRefType::get(
      {layout.batch, layout.blocks(), layout.height + layout.halo[0] + layout.halo[2],
       layout.width + layout.halo[1] + layout.halo[3], layout.words()},
      element);
}

}  // namespace vta::codegen::blocked
