// int8 activations on their way between DRAM and accumulators.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"
#include "compiler/kernel/primitives/slot_cache.h"
#include "compiler/kernel/primitives/transfer.h"

namespace vta::kernel {

/// A box of an int8 activation tensor in DRAM: channel blocks x rows x columns, all inside it.
struct ActivationBox {
  uint32_t buffer = 0;
  int64_t n = 0;  // batch block
  int64_t tensor_blocks = 1, tensor_height = 1, tensor_width = 1;
  int64_t block = 0, blocks = 1;
  int64_t y = 0, rows = 1, row_step = 1;
  int64_t x = 0, cols = 1;

  int64_t elems() const { return blocks * rows * cols; }
  /// The transfer between the box and `sram_base` of a scratchpad.
  Transfer transfer(MemoryType type, uint32_t sram_base) const;
};

/// The outputs of `tile` in `buffer`, which has the shape of the output before it is interleaved.
ActivationBox outputBox(const KernelPlan& plan, const Tile& tile, uint32_t buffer);

/// Calls `visit(piece, offset)` for pieces of at most `room` elements: whole blocks, else whole
/// rows of a block, else parts of a row. So each piece is contiguous in a scratchpad, `offset`
/// elements from the first.
template <typename Visit>
void forEachPiece(const ActivationBox& box, int64_t room, const Visit& visit) {
  const int64_t cols = std::min(box.cols, room);
  const int64_t rows = cols < box.cols ? 1 : std::min(box.rows, room / cols);
  const int64_t blocks = rows < box.rows ? 1 : std::min(box.blocks, room / (rows * cols));
  for (int64_t block = 0; block < box.blocks; block += blocks) {
    for (int64_t row = 0; row < box.rows; row += rows) {
      for (int64_t col = 0; col < box.cols; col += cols) {
        ActivationBox piece = box;
        piece.block += block;
        piece.blocks = std::min(blocks, box.blocks - block);
        piece.y += row * box.row_step;
        piece.rows = std::min(rows, box.rows - row);
        piece.x += col;
        piece.cols = std::min(cols, box.cols - col);
        visit(piece, u32((block * box.rows + row) * box.cols + col));
      }
    }
  }
}

/// Brings int8 operands into ACC in the way that Schedule::int8_through_gemm says: through the
/// staging slots of INP and a GEMM with the identity, or by an ACC_8BIT load.
class Int8Loader {
 public:
  explicit Int8Loader(KernelContext& context);

  /// Sign-extends `box` into accumulators from `acc` on.
  void load(const ActivationBox& box, uint32_t acc);
  /// Adds `box` to the accumulators from `acc` on; only through GEMM.
  void accumulate(const ActivationBox& box, uint32_t acc);

 private:
  KernelContext& context_;
  SlotCache staging_;
  int64_t staged_number_ = 0;  // so far: each piece is new to the slots
};

}  // namespace vta::kernel
