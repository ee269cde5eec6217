// Tensors of tile kernels as values of the graph: shapes, packing and its inverse.
#pragma once

#include <cstdint>

#include "compiler/tile/program/tile_program.h"
#include "isa/config/hw_config.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {

/// A tensor of a tile kernel, as docs/tile-kernels.md describes arrays: the first two axes are cut
/// into blocks. One with a single axis has one value a channel; as an output it has a row for each
/// image of a batch.
struct TileOperand {
  llvm::SmallVector<int64_t> plain;   // as the model has it
  llvm::SmallVector<int64_t> image;   // the same as [N, C, H, W]
  llvm::SmallVector<int64_t> packed;  // as the kernel has it: [N/b][C/blk][H][W][b][blk]
  bool is_vector = false;             // an input with one axis, the same for all rows of a batch
  bool is_int32 = false;              // else int8
  int narrow_bits = 0;  // of weights with fewer than 8 bits, which are constants; else 0

  mlir::RankedTensorType plainType(mlir::MLIRContext* context) const;
};

TileOperand tileOperand(const tile::TensorDecl& tensor, const HwConfig& hw);

/// `value`, of the plain type, as the kernel reads it: of a constant, a constant; else vta.pack.
mlir::Value packOperand(mlir::OpBuilder& builder, mlir::Location loc, mlir::Value value,
                        const TileOperand& operand);

/// `value`, of the packed type, as the model has it: with vta.unpack. Not of narrow weights.
mlir::Value unpackOperand(mlir::OpBuilder& builder, mlir::Location loc, mlir::Value value,
                          const TileOperand& operand);

/// What a constant of the kernel's own holds.
mlir::Value ownConstant(mlir::OpBuilder& builder, mlir::Location loc,
                        const tile::TensorDecl& tensor, const TileOperand& operand);

}  // namespace vta::compiler
