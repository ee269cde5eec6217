// Boxes of tensors as transfers between DRAM and a scratchpad.
#pragma once

#include <vector>

#include "base/status.h"
#include "compiler/kernel/primitives/transfer.h"
#include "compiler/tile/program/tile_program.h"

namespace vta::tile {

/// The LOADs of the box of `shape` elements at `begin` of `tensor`, which is the program's buffer
/// `buffer`, to the elements from `sram_base` on. Elements beside the tensor become 0. Errors:
/// there are more of them than a LOAD can make.
Result<std::vector<kernel::Transfer>> loadBox(const TensorDecl& tensor, uint32_t buffer,
                                              const Shape& begin, const Shape& shape,
                                              uint32_t sram_base);

/// The STOREs of `src`, a view of a tile whose first element is `sram_base`, to the box at `begin`.
std::vector<kernel::Transfer> storeBox(const TensorDecl& tensor, uint32_t buffer,
                                       const Shape& begin, const View& src, uint32_t sram_base);

}  // namespace vta::tile
