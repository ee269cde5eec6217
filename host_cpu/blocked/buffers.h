// The IR around calls of kernels: buffers, constants, and ways from and to plain tensors.
#pragma once

#include "compiler/codegen/backend.h"
#include "host_cpu/blocked/emit.h"
#include "host_cpu/blocked/kernels.h"

namespace vta::codegen::blocked {

/// While it lives, what the builder makes is of this layer. Layers are emitted when another one
/// reads them.
class LayerLocation {
 public:
  LayerLocation(Builder& builder, mlir::Location location)
      : builder_(builder), before_(builder.getLoc()) {
    builder.setLoc(location);
  }
  ~LayerLocation() { builder_.setLoc(before_); }
  LayerLocation(const LayerLocation&) = delete;
  LayerLocation& operator=(const LayerLocation&) = delete;

 private:
  Builder& builder_;
  mlir::Location before_;
};

class Buffers {
 public:
  /// The function's first argument is the host context. Constants become arguments of the function,
  /// with their values in `constants`.
  Buffers(mlir::func::FuncOp function, KernelLibrary& kernels, FunctionConstants& constants)
      : function_(function),
        kernels_(kernels),
        constants_(constants),
        b_(function.getLoc(), function.getContext()) {}

  /// Gives each op of the function to `convert`, which emits in front of it what computes the same
  /// and returns true, or to `keep`. In the end the converted ones go; nothing may read them then.
  void replaceOps(llvm::function_ref<bool(mlir::Operation*)> convert,
                  llvm::function_ref<void(mlir::Operation*)> keep);
  Builder& builder() { return b_; }

  /// A new buffer; `halo_value` as of KernelLibrary::clearHalo.
  mlir::Value allocate(const Layout& layout, int64_t halo_value = 0);
  /// A new buffer of this type, which nothing is known of.
  mlir::Value allocate(mlir::Type type);
  /// A buffer of this type with the tensor's elements.
  mlir::Value constant(mlir::Type type, Tensor tensor);
  /// The buffer of a plain tensor, to read.
  mlir::Value read(mlir::Value tensor);
  /// A plain tensor of this type from a blocked buffer; `rows` as of KernelLibrary::unpack.
  mlir::Value unpack(mlir::Value buffer, const Layout& layout, mlir::RankedTensorType type,
                     bool rows);
  void call(mlir::func::FuncOp kernel, llvm::ArrayRef<mlir::Value> buffers);

 private:
  mlir::func::FuncOp function_;
  KernelLibrary& kernels_;
  FunctionConstants& constants_;
  Builder b_;
};

}  // namespace vta::codegen::blocked
