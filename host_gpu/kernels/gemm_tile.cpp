#include "host_gpu/kernels/gemm_tile.h"

namespace vta::codegen {

using namespace mlir;

GemmTile::GemmTile(ImplicitLocOpBuilder& b, const Contraction& contraction,
                   const GemmSchedule& schedule, bool columns_are_neighbours)
    : indices_(b),
      schedule_(schedule),
      batch_(contraction, contraction.batch),
      rows_(contraction, contraction.rows),
      columns_(contraction, contraction.columns),
      column_step_(columns_are_neighbours ? 1 : schedule.invocationsAcross()) {}

Value GemmTile::firstColumnInBlock(Value across) {
  return column_step_ == 1 ? indices_.multiply(across, schedule_.tile_columns) : across;
}

Value GemmTile::guard(Value number, int64_t count, int64_t block) {
  return count % block == 0 ? Value() : indices_.isBelow(number, count);
}

void GemmTile::place(Value batch, Value first_row, Value first_column, Value down, Value across) {
  batch_number_ = batch;
  first_row_ = indices_.add(first_row, indices_.multiply(down, schedule_.tile_rows));
  const Value left = indices_.add(first_column, firstColumnInBlock(across));
  for (int64_t j = 0; j < schedule_.tile_columns; ++j) {
    column_numbers_.push_back(indices_.add(left, j * column_step_));
    columns_inside_.push_back(
        guard(column_numbers_.back(), columns_.count(), schedule_.block_columns));
  }
}

Value GemmTile::isRowInside(Value number) {
  return guard(number, rows_.count(), schedule_.block_rows);
}

bool GemmTile::hasWholeColumns() const {
  return columns_inside_.front() == nullptr ||
         (column_step_ == 1 && columns_.count() % schedule_.tile_columns == 0);
}

Value GemmTile::batchPlace(const LinearOperand& operand) {
  const Value offset = batch_.offset(indices_, batch_number_, operand);
  return offset ? indices_.add(offset, operand.offset) : indices_.number(operand.offset);
}

GemmTile::Places GemmTile::placesInRow(const LinearOperand& operand, Value row) {
  Places places{.base = batchPlace(operand)};
  if (Value offset = rows_.offset(indices_, row, operand)) {
    places.base = indices_.add(places.base, offset);
  }
  const std::optional<int64_t> stride = columns_.stride(operand);
  for (const auto [j, number] : llvm::enumerate(column_numbers_)) {
    const bool is_known = stride && j > 0;
    places.variable.push_back(is_known ? places.variable.front()
                                       : columns_.offset(indices_, number, operand));
    places.known.push_back(is_known ? static_cast<int64_t>(j) * column_step_ * *stride : 0);
  }
  return places;
}

Value GemmTile::placeOf(const Places& places, size_t column) {
  Value place = places.base;
  if (Value offset = places.variable[column]) place = indices_.add(place, offset);
  // The known part comes last, so that passes see which places are neighbours.
  return indices_.add(place, places.known[column]);
}

}  // namespace vta::codegen
