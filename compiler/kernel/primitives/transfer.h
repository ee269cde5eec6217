// Transfers between DRAM tensors and scratchpads, split into LOAD and STORE instructions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/instruction/instruction.h"

namespace vta::kernel {

/// One dimension of a DRAM box: `count` steps of `stride` elements.
struct TransferDim {
  int64_t count = 1;
  int64_t stride = 1;
};

/// A box of a DRAM tensor and its packed image in a scratchpad. The innermost dimension has
/// stride 1. Pads apply to the two innermost dimensions (rows and columns) of every outer iteration
/// and are at most kMaxPad each.
struct Transfer {
  static constexpr int kMaxDims = 4;
  static constexpr uint32_t kMaxPad = 15;

  MemoryType memory_type = MemoryType::kInp;
  uint32_t buffer = 0;  // number in the program's buffers
  int64_t dram_base = 0;
  uint32_t sram_base = 0;
  int num_dims = 0;
  std::array<TransferDim, kMaxDims> dims{};
  uint32_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  PadKind pad_kind = PadKind::kZero;

  void push(int64_t count, int64_t stride) { dims[num_dims++] = {count, stride}; }
  bool isPadded() const { return (pad_top | pad_bottom | pad_left | pad_right) != 0; }
};

/// Elements that one instruction occupies in its scratchpad.
uint32_t sramElems(const MemInsn& mem);

/// The instructions of `transfer`, in order, into `out` (cleared first): as few as dimension
/// merging and the field widths allow.
void splitTransfer(const Transfer& transfer, std::vector<MemInsn>& out);

}  // namespace vta::kernel
