#include "sim/functional/scratchpads.h"

#include <algorithm>
#include <new>

#include "isa/spec/lookup_table.h"

namespace vta::sim {

template <typename T>
Scratchpads::AlignedArray<T> Scratchpads::makeAligned(size_t count) {
  return AlignedArray<T>(new (std::align_val_t{64}) T[count]());
}

Scratchpads::Scratchpads(const HwConfig& hw, const Kernels& kernels)
    : hw_(hw),
      kernels_(kernels),
      batch_(static_cast<uint32_t>(hw.batch())),
      inp_elem_bytes_(hw.elemBytes(MemoryType::kInp)),
      wgt_elem_weights_(static_cast<uint32_t>(hw.blockOut()) * static_cast<uint32_t>(hw.blockIn())),
      acc_elem_lanes_(hw.elemBytes(MemoryType::kAcc) / sizeof(int32_t)),
      acc_width_bits_(hw.params().acc_width_bits),
      packed_inp_row_bytes_(kernels.packedInpRowBytes(hw.blockIn())),
      packed_wgt_elem_bytes_(kernels.packedWgtBytes(hw.blockIn(), hw.blockOut())),
      uops_(hw.depthElems(MemoryType::kUop)),
      table_(hw.params().ext_lut ? size_t{kTableWords} * acc_elem_lanes_ : 0),
      inp_(makeAligned<int8_t>(size_t{hw.depthElems(MemoryType::kInp)} * inp_elem_bytes_)),
      wgt_(makeAligned<int8_t>(size_t{hw.depthElems(MemoryType::kWgt)} * wgt_elem_weights_)),
      acc_(makeAligned<int32_t>(size_t{hw.depthElems(MemoryType::kAcc)} * acc_elem_lanes_)),
      packed_inp_(
          makeAligned<uint8_t>(size_t{hw.depthElems(MemoryType::kInp)} * packedInpElemBytes())),
      packed_wgt_(
          makeAligned<uint8_t>(size_t{hw.depthElems(MemoryType::kWgt)} * packed_wgt_elem_bytes_)) {
  clear();
}

void Scratchpads::clear() {
  const uint32_t inp_depth = hw_.depthElems(MemoryType::kInp);
  const uint32_t wgt_depth = hw_.depthElems(MemoryType::kWgt);
  std::fill(uops_.begin(), uops_.end(), Uop{});
  std::fill(table_.begin(), table_.end(), 0);
  std::fill_n(inp_.get(), size_t{inp_depth} * inp_elem_bytes_, int8_t{0});
  std::fill_n(wgt_.get(), size_t{wgt_depth} * wgt_elem_weights_, int8_t{0});
  std::fill_n(acc_.get(), size_t{hw_.depthElems(MemoryType::kAcc)} * acc_elem_lanes_, 0);
  repackInp(0, inp_depth);
  repackWgt(0, wgt_depth);
}

void Scratchpads::repackInp(uint32_t first, uint32_t count) {
  kernels_.packInp(inp(first), size_t{count} * inp_elem_bytes_,
                   packed_inp_.get() + size_t{first} * packedInpElemBytes());
}

void Scratchpads::repackWgt(uint32_t first, uint32_t count) {
  kernels_.packWgt(wgt(first), count, hw_.blockIn(), hw_.blockOut(),
                   packed_wgt_.get() + size_t{first} * packed_wgt_elem_bytes_);
}

}  // namespace vta::sim
