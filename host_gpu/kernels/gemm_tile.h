// The part of a product that one invocation computes, and where its elements are in memory.
#pragma once

#include "host_gpu/kernels/loop_group.h"
#include "host_gpu/schedule/gemm_schedule.h"

namespace vta::codegen {

/// A tile of rows and columns. They are numbers that ops of the kernel compute.
class GemmTile {
 public:
  /// `columns_are_neighbours`: those of the tile; else neighbours belong to other invocations.
  GemmTile(mlir::ImplicitLocOpBuilder& b, const Contraction& contraction,
           const GemmSchedule& schedule, bool columns_are_neighbours);

  /// Computes the numbers of the tile that an invocation has, `down` and `across` in its workgroup.
  void place(mlir::Value batch, mlir::Value first_row, mlir::Value first_column, mlir::Value down,
             mlir::Value across);

  /// The column at which the tile begins in the workgroup's block, and the next ones' distances.
  mlir::Value firstColumnInBlock(mlir::Value across);
  int64_t columnStep() const { return column_step_; }

  /// Where the elements of a row of an operand are: sums of parts; null: nothing.
  struct Places {
    mlir::Value base{};
    mlir::SmallVector<mlir::Value> variable{};  // by column
    mlir::SmallVector<int64_t> known{};
    bool dependOnColumns() const { return variable.front() || known.back() != 0; }
  };
  Places placesInRow(const LinearOperand& operand, mlir::Value row);
  mlir::Value placeOf(const Places& places, size_t column);

  /// The place of the tile's batch.
  mlir::Value batchPlace(const LinearOperand& operand);

  int64_t rows() const { return schedule_.tile_rows; }
  size_t columns() const { return column_numbers_.size(); }
  /// The number of the first row plus `row`.
  mlir::Value rowNumber(mlir::Value row) { return indices_.add(first_row_, row); }
  /// Whether the row of a number, or a column, belongs to the result; null: it always does.
  mlir::Value isRowInside(mlir::Value number);
  mlir::Value isColumnInside(size_t column) const { return columns_inside_[column]; }
  /// Whether all columns of a tile belong to the result, or none.
  bool hasWholeColumns() const;

 private:
  mlir::Value guard(mlir::Value number, int64_t count, int64_t block);

  Indices indices_;
  const GemmSchedule& schedule_;
  const LoopGroup batch_, rows_, columns_;
  const int64_t column_step_;
  mlir::Value batch_number_{}, first_row_{};
  mlir::SmallVector<mlir::Value> column_numbers_{}, columns_inside_{};
};

}  // namespace vta::codegen
