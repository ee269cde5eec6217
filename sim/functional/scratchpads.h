// The on-chip memories of the functional model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "isa/spec/accumulator.h"
#include "sim/functional/kernels/kernels.h"

namespace vta::sim {

/// SRAM contents in ISA layout, but for weights of fewer than 8 bits, with the packed copies of INP
/// and WGT that the GEMM kernels read. OUT is not stored: by definition it is the low bits of ACC.
/// Whoever changes INP or WGT calls repackInp or repackWgt on the changed elements. All memories
/// start as zeros.
class Scratchpads {
 public:
  /// `kernels` decide how packed copies look; they and `hw` are needed no longer than this call
  /// takes, but for the functions of `kernels`.
  Scratchpads(const HwConfig& hw, const Kernels& kernels);

  /// Zeros in all memories, as after power-up.
  void clear();

  /// Micro-op memory, as many as the configuration has.
  std::span<Uop> uops() { return uops_; }
  /// The same to read.
  std::span<const Uop> uops() const { return uops_; }

  /// BATCH rows of BLOCK_IN bytes. `element` is below the depth of INP, as all indexes here are
  /// below those of their memories.
  int8_t* inp(uint32_t element) { return inp_.get() + size_t{element} * inp_elem_bytes_; }
  /// The same to read.
  const int8_t* inp(uint32_t element) const {
    return inp_.get() + size_t{element} * inp_elem_bytes_;
  }
  /// Weights, whatever their width in DRAM, of a byte each.
  int8_t* wgt(uint32_t element) { return wgt_.get() + size_t{element} * wgt_elem_weights_; }
  /// The same to read.
  const int8_t* wgt(uint32_t element) const {
    return wgt_.get() + size_t{element} * wgt_elem_weights_;
  }
  /// BATCH rows of BLOCK_OUT accumulators, sign-extended to 32 bits.
  int32_t* acc(uint32_t element) { return acc_.get() + size_t{element} * acc_elem_lanes_; }
  /// The same to read.
  const int32_t* acc(uint32_t element) const {
    return acc_.get() + size_t{element} * acc_elem_lanes_;
  }

  /// Wraps accumulators that have just been computed or loaded to those of the hardware, whose bits
  /// may be fewer than 32.
  void wrapAcc(uint32_t first, uint32_t count) {
    wrapAcc(acc(first), size_t{count} * acc_elem_lanes_);
  }
  /// The same for `count` accumulators at `lanes`, wherever they lie.
  void wrapAcc(int32_t* lanes, size_t count) const {
    if (acc_width_bits_ == kAccDramBits) return;
    for (size_t i = 0; i < count; ++i) lanes[i] = wrapAccumulator(lanes[i], acc_width_bits_);
  }

  /// Weights of an element: BLOCK_OUT x BLOCK_IN.
  uint32_t wgtElemWeights() const { return wgt_elem_weights_; }
  /// Accumulators of an element: BATCH x BLOCK_OUT.
  uint32_t accElemLanes() const { return acc_elem_lanes_; }

  /// Word `word` of the ALU's table (isa/spec/lookup_table.h), of all lanes.
  int32_t* table(uint32_t word) { return table_.data() + size_t{word} * acc_elem_lanes_; }
  /// The same to read.
  const int32_t* table(uint32_t word) const {
    return table_.data() + size_t{word} * acc_elem_lanes_;
  }

  /// Brings the packed copies of INP's elements [first, first + count) up to date.
  void repackInp(uint32_t first, uint32_t count);
  /// Brings the packed copies of WGT's elements [first, first + count) up to date.
  void repackWgt(uint32_t first, uint32_t count);

  /// All of INP as the GEMM kernel reads it, element by element.
  const uint8_t* packedInp() const { return packed_inp_.get(); }
  /// All of WGT as the GEMM kernel reads it, element by element.
  const uint8_t* packedWgt() const { return packed_wgt_.get(); }
  /// Bytes of one batch row in packedInp().
  uint32_t packedInpRowBytes() const { return packed_inp_row_bytes_; }
  /// Bytes from one element to the next in packedInp().
  uint32_t packedInpElemBytes() const { return packed_inp_row_bytes_ * batch_; }
  /// Bytes from one element to the next in packedWgt().
  uint32_t packedWgtElemBytes() const { return packed_wgt_elem_bytes_; }

 private:
  // Cache-line aligned so that vectors do not straddle lines.
  template <typename T>
  struct AlignedDelete {
    void operator()(T* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  template <typename T>
  using AlignedArray = std::unique_ptr<T[], AlignedDelete<T>>;
  template <typename T>
  static AlignedArray<T> makeAligned(size_t count);

  HwConfig hw_;
  const Kernels& kernels_;
  uint32_t batch_;
  uint32_t inp_elem_bytes_;
  uint32_t wgt_elem_weights_;
  uint32_t acc_elem_lanes_;
  int acc_width_bits_;
  uint32_t packed_inp_row_bytes_;
  uint32_t packed_wgt_elem_bytes_;
  std::vector<Uop> uops_;
  std::vector<int32_t> table_;  // empty without the extension `lut`
  AlignedArray<int8_t> inp_;
  AlignedArray<int8_t> wgt_;
  AlignedArray<int32_t> acc_;
  AlignedArray<uint8_t> packed_inp_;
  AlignedArray<uint8_t> packed_wgt_;
};

}  // namespace vta::sim
