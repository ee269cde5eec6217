// SramPlan: what lies where in the scratchpads while a kernel runs.
#pragma once

#include <cstdint>

#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Equal slots of a scratchpad.
struct SlotRange {
  uint32_t base = 0;
  uint32_t elems = 0;  // of one slot
  uint32_t count = 0;
  uint32_t gap = 0;       // elements between neighbouring slots
  bool from_top = false;  // slot 0 is the last one
  uint32_t end() const { return count == 0 ? base : base + (elems + gap) * count - gap; }
  uint32_t slotBase(uint32_t slot) const {
    return base + (from_top ? count - 1 - slot : slot) * (elems + gap);
  }
};

/// `count` slots of `elems` elements from `base` on.
inline SlotRange makeSlots(int64_t base, int64_t elems, int64_t count) {
  return {.base = static_cast<uint32_t>(base),
          .elems = static_cast<uint32_t>(elems),
          .count = static_cast<uint32_t>(count)};
}

/// When parameter vectors are loaded.
enum class ParamMode : uint8_t {
  kResident,  // all of them, once
  kPerTile,   // those of the channel tile, when it changes
  kPerStep,   // one vector at a time, right before its use
};

struct SramPlan {
  // INP holds regions of reduction steps, int8 operands on their way to ACC, and two elements for
  // taps outside the input, of which one has the padding value.
  SlotRange inp;
  SlotRange staging;
  uint32_t pad_base = 0;
  bool has_pad = false;
  // WGT holds weights of reduction steps and the identity matrix.
  SlotRange wgt;
  uint32_t identity_base = 0;
  bool has_identity = false;
  // ACC holds output tiles, the input region of ALU pooling, rows carried from tile to tile, the
  // residual tile, and parameters. With three tiles there are two copies of the last two.
  SlotRange acc;
  SlotRange pool_input;
  SlotRange residual;
  bool residual_in_pieces = false;  // its slots hold parts of a tile, one after the other
  SlotRange carry;
  SlotRange param;
  ParamMode param_mode = ParamMode::kResident;
  bool from_top = false;  // whether it is mirrored; this holds for the micro-op buffer, too

  /// Which copy of the parameters or of the residual belongs to the tile at `tile_base`. If there
  /// are two, the second one belongs to the last tile.
  uint32_t copyNumber(const SlotRange& range, uint32_t tile_base) const {
    return range.count > 1 && tile_base == acc.slotBase(acc.count - 1) ? 1 : 0;
  }
  uint32_t copyFor(const SlotRange& range, uint32_t tile_base) const {
    return range.slotBase(copyNumber(range, tile_base));
  }
};

/// Elements of the scratchpads that a kernel may use.
struct SramRoom {
  int64_t inp = 0, wgt = 0, acc = 0;
};

/// All that programs can address.
SramRoom wholeSram(const HwConfig& hw);

/// Moves everything in `plan` behind the elements of `room`.
void placeBehind(SramPlan& plan, const SramRoom& room);

/// Mirrors `plan`: a range that began at the first element of a scratchpad ends at its last one.
void placeFromTop(SramPlan& plan, const HwConfig& hw);

}  // namespace vta::kernel
