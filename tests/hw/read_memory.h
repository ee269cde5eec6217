// A memory for block tests of readers: bursts in order, a fixed latency, one beat a cycle, contents
// from addresses.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace vta::hw::test {

/// What the memory holds at `addr`, which is a multiple of 8.
inline uint64_t wordAt(uint64_t addr) { return addr * 0x9e3779b97f4a7c15u ^ (addr >> 7); }
inline uint8_t byteAt(uint64_t addr) {
  return static_cast<uint8_t>(wordAt(addr & ~uint64_t{7}) >> (8 * (addr & 7)));
}

/// The read channel of one requester, 64 bits wide. A granted burst is accepted in the next cycle.
class ReadMemory {
 public:
  explicit ReadMemory(uint64_t latency_cycles) : latency_cycles_(latency_cycles) {}

  struct Beat {
    uint64_t arrival = 0;
    uint64_t data = 0;
    bool last = false;
    bool error = false;
  };

  void grant(uint64_t cycle, uint64_t addr, uint64_t beats) {
    uint64_t at = std::max(cycle + 1 + latency_cycles_, next_free_);
    for (uint64_t i = 0; i < beats; ++i, ++at) {
      const uint64_t beat_addr = addr + 8 * i;
      beats_.push_back({at, wordAt(beat_addr), i + 1 == beats, beat_addr == bad_addr_});
    }
    next_free_ = at;
  }

  /// The beat of `cycle`, if any; call once a cycle.
  const Beat* take(uint64_t cycle) {
    if (beats_.empty() || beats_.front().arrival != cycle) return nullptr;
    current_ = beats_.front();
    beats_.pop_front();
    return &current_;
  }

  bool quiet() const { return beats_.empty(); }
  /// The beat at this address comes with an error.
  void setBadAddress(uint64_t addr) { bad_addr_ = addr; }

 private:
  uint64_t latency_cycles_;
  uint64_t next_free_ = 0;
  uint64_t bad_addr_ = ~uint64_t{0};
  std::deque<Beat> beats_;
  Beat current_;
};

}  // namespace vta::hw::test
