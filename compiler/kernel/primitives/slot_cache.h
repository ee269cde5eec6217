// SlotCache: equal-sized slots of a scratchpad region, reused least recently used first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vta::kernel {

class SlotCache {
 public:
  struct Slot {
    uint32_t base = 0;  // element number of the slot's start
    bool hit = false;   // the slot already holds what was asked for
  };

  SlotCache() = default;
  /// `count` slots of `slot_elems` elements from element `base` on; `from_top`: used from the last
  /// one down.
  SlotCache(uint32_t base, uint32_t slot_elems, uint32_t count, bool from_top = false)
      : base_(base), slot_elems_(slot_elems), from_top_(from_top), slots_(count) {}

  /// The slot for the contents named `key`: the one that holds them, else the one unused longest.
  Slot acquire(int64_t key) {
    size_t victim = 0;
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].key == key) return use(i, key, true);
      if (slots_[i].last_use < slots_[victim].last_use) victim = i;
    }
    return use(victim, key, false);
  }

  uint32_t slotElems() const { return slot_elems_; }

 private:
  struct State {
    int64_t key = -1;
    uint64_t last_use = 0;
  };

  Slot use(size_t i, int64_t key, bool hit) {
    slots_[i] = {key, ++clock_};
    const size_t place = from_top_ ? slots_.size() - 1 - i : i;
    return {base_ + static_cast<uint32_t>(place) * slot_elems_, hit};
  }

  uint32_t base_ = 0;
  uint32_t slot_elems_ = 0;
  bool from_top_ = false;
  uint64_t clock_ = 0;
  std::vector<State> slots_;
};

}  // namespace vta::kernel
