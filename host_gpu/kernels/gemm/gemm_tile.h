// The part of a product that one invocation computes, and where its elements are in memory.
#pragma once

#include "host_gpu/kernels/loop_group.h"
#include "host_gpu/schedule/gemm_schedule.h"

namespace vta::codegen {

/// Which rows and columns of a workgroup's block one invocation has.
struct TileLayout {
  int64_t block_rows = 1, block_columns = 1;
  int64_t rows = 1, row_step = 1;         // from one row to the next one
  mlir::SmallVector<int64_t> columns{0};  // distances from the first one
  /// So many columns next to each other begin at a multiple of their count.
  int64_t neighbours = 1;
};

/// A tile of rows and columns. They are numbers that ops of the kernel compute.
class GemmTile {
 public:
  GemmTile(mlir::ImplicitLocOpBuilder& b, const Contraction& contraction, TileLayout layout);

  /// `columns_are_neighbours`: those of the tile; else neighbours belong to other invocations.
  GemmTile(mlir::ImplicitLocOpBuilder& b, const Contraction& contraction,
           const GemmSchedule& schedule, bool columns_are_neighbours);

  /// Computes the numbers of the tile's rows and columns from those of its first ones.
  void place(mlir::Value batch, mlir::Value first_row, mlir::Value first_column);
  /// The same of the tile of an invocation that is `down` and `across` in a block, whose first row
  /// and column these are.
  void place(mlir::Value batch, mlir::Value first_row, mlir::Value first_column, mlir::Value down,
             mlir::Value across);

  /// The column at which the tile begins in the workgroup's block, and the next ones' distances.
  mlir::Value firstColumnInBlock(mlir::Value across);
  int64_t columnStep() const { return layout_.columns.size() > 1 ? layout_.columns[1] : 1; }

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

  int64_t rows() const { return layout_.rows; }
  size_t columns() const { return layout_.columns.size(); }
  /// The number of row `row` of the tile.
  mlir::Value rowNumber(mlir::Value row) {
    return indices_.add(first_row_, indices_.multiply(row, layout_.row_step));
  }
  /// Whether the row of a number, or a column, belongs to the result; null: it always does.
  mlir::Value isRowInside(mlir::Value number);
  mlir::Value isColumnInside(size_t column) const { return columns_inside_[column]; }
  /// So many columns next to each other, from the first one on, belong to the result or do not.
  size_t columnsTogether() const;

 private:
  Indices indices_;
  const TileLayout layout_;
  const LoopGroup batch_, rows_, columns_;
  mlir::Value batch_number_{}, first_row_{};
  mlir::SmallVector<mlir::Value> column_numbers_{}, columns_inside_{};
};

}  // namespace vta::codegen
