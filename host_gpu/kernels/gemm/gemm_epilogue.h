// What becomes of the sums of a product: element-wise ops behind it, and writes to memory.
#pragma once

#include <optional>

#include "host_gpu/kernels/gemm/gemm_tile.h"
#include "host_gpu/kernels/op_group.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/IRMapping.h"

namespace vta::codegen {

/// An element-wise op behind a product, of which each invocation computes the elements of its tile.
struct EpilogueStep {
  mlir::linalg::LinalgOp op;
  /// Its inputs by the product's loops; none: a constant.
  mlir::SmallVector<std::optional<LinearOperand>> inputs{};
  LinearOperand out{};
};

/// None if `op` is something else than a step behind `product`, or has to round as the CPU does
/// what the product leaves to the device.
std::optional<EpilogueStep> matchEpilogue(mlir::linalg::LinalgOp op,
                                          mlir::linalg::LinalgOp product);

/// Whether results have parts of words.
bool writesParts(mlir::ArrayRef<EpilogueStep> steps);

class EpilogueEmitter {
 public:
  /// The kernel's argument for an operand.
  using ArgumentOf = llvm::function_ref<mlir::Value(const LinearOperand&)>;

  /// `constants` has the kernel's constants in place of those that the steps use.
  EpilogueEmitter(mlir::ImplicitLocOpBuilder& b, const Contraction& contraction,
                  mlir::ArrayRef<EpilogueStep> steps, const mlir::IRMapping& constants,
                  ArgumentOf argument_of, GemmTile& tile);

  /// Computes the steps of the tile's sums that belong to the result, and writes what is not local.
  /// A loop goes through the rows, so that the code of the steps is there once for each column.
  void emit(mlir::ArrayRef<mlir::Value> sums);

 private:
  /// An operand, and where its elements of the row that is computed are; also the element, if all
  /// columns have the same.
  struct Operand {
    const LinearOperand& operand;
    mlir::Value argument;
    GemmTile::Places places{};
    mlir::Value of_row{};
  };
  struct Store {
    mlir::Value value;
    const Operand& to;
    size_t column;
  };

  void branchOn(mlir::Value inside);
  void emitRow(mlir::Value row, mlir::ArrayRef<mlir::Value> sums);
  void findRow(mlir::Value row);
  void emitElement(size_t column, mlir::Value sum);
  mlir::Value emitStep(const EpilogueStep& step, size_t column);
  mlir::Value load(const Operand& operand, size_t column);
  void addOperand(const LinearOperand& operand, ArgumentOf argument_of);
  void flush();

  mlir::ImplicitLocOpBuilder& b_;
  const Contraction& contraction_;
  mlir::ArrayRef<EpilogueStep> steps_;
  const mlir::IRMapping& constants_;
  GemmTile& tile_;
  std::vector<Operand> operands_{};  // in the order of steps
  llvm::DenseMap<const LinearOperand*, size_t> numbers_{};
  llvm::DenseMap<mlir::Value, mlir::Value> known_{};  // elements of buffers
  mlir::SmallVector<Store> stores_{};
};

}  // namespace vta::codegen
