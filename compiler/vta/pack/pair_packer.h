// The operands and the result of a product of two activations, brought to packed layouts at run
// time by operations of the host.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/vta/partition/pack_plan.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {

/// Batches become groups of channels: rows of all batches lie side by side.
class PairPacker {
 public:
  /// Emits at `builder`, which has to outlive the packer.
  PairPacker(mlir::OpBuilder& builder, mlir::Location loc, const PairShape& shape)
      : builder_(builder), loc_(loc), shape_(shape) {}

  /// [G, M, K] as activations of `type`.
  mlir::Value packRows(mlir::Value lhs, mlir::RankedTensorType type) const;
  /// [G, K, N] as weights of `type`; lanes past K and N are zeros.
  mlir::Value packColumns(mlir::Value rhs, mlir::RankedTensorType type) const;
  /// [G, 1, N] as the first parameter of `type`, in front of the packed constants `others`.
  mlir::Value packBias(mlir::Value bias, const std::vector<int32_t>& others,
                       mlir::RankedTensorType type) const;
  /// What a kernel has made as [G, M, N].
  mlir::Value unpackProduct(mlir::Value packed) const;

 private:
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape) const;
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation) const;
  mlir::Value padTo(mlir::Value value, llvm::ArrayRef<int64_t> shape) const;

  mlir::OpBuilder& builder_;
  mlir::Location loc_;
  PairShape shape_;
};

}  // namespace vta::compiler
