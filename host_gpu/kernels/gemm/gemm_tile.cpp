#include "host_gpu/kernels/gemm/gemm_tile.h"

#include <utility>

namespace vta::codegen {

using namespace mlir;

namespace {

TileLayout blockLayout(const GemmSchedule& schedule, bool columns_are_neighbours) {
  TileLayout layout{.block_rows = schedule.block_rows,
                    .block_columns = schedule.block_columns,
                    .rows = schedule.tile_rows,
                    .columns = {},
                    .neighbours = columns_are_neighbours ? schedule.tile_columns : 1};
  const int64_t step = columns_are_neighbours ? 1 : schedule.invocationsAcross();
  for (int64_t j = 0; j < schedule.tile_columns; ++j) layout.columns.push_back(j * step);
  return layout;
}

}  // namespace

GemmTile::GemmTile(ImplicitLocOpBuilder& b, const Contraction& contraction, TileLayout layout)
    : indices_(b),
      layout_(std::move(layout)),
      batch_(contraction, contraction.batch),
      rows_(contraction, contraction.rows),
      columns_(contraction, contraction.columns) {}

GemmTile::GemmTile(ImplicitLocOpBuilder& b, const Contraction& contraction,
                   const GemmSchedule& schedule, bool columns_are_neighbours)
    : GemmTile(b, contraction, blockLayout(schedule, columns_are_neighbours)) {}

Value GemmTile::firstColumnInBlock(Value across) {
  return indices_.multiply(across, columnStep() == 1 ? static_cast<int64_t>(columns()) : 1);
}

void GemmTile::place(Value batch, Value first_row, Value first_column) {
  batch_number_ = batch;
  first_row_ = first_row;
  for (const int64_t distance : layout_.columns) {
    column_numbers_.push_back(indices_.add(first_column, distance));
    columns_inside_.push_back(
        indices_.isInside(column_numbers_.back(), columns_.count(), layout_.block_columns));
  }
}

void GemmTile::place(Value batch, Value first_row, Value first_column, Value down, Value across) {
  place(batch, indices_.add(first_row, indices_.multiply(down, layout_.rows)),
        indices_.add(first_column, firstColumnInBlock(across)));
}

Value GemmTile::isRowInside(Value number) {
  return indices_.isInside(number, rows_.count(), layout_.block_rows);
}

size_t GemmTile::columnsTogether() const {
  if (!columns_inside_.front()) return columns();
  return columns_.count() % layout_.neighbours == 0 ? static_cast<size_t>(layout_.neighbours) : 1;
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
    places.known.push_back(is_known ? layout_.columns[j] * *stride : 0);
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
