// MemoryTraits: what estimates of schedules know of the memory behind the accelerator's bus.
#pragma once

namespace vta::kernel {

/// In cycles of the accelerator. The default is the simple memory model's.
struct MemoryTraits {
  double latency_cycles = 16;         // from the request of a read to its first beat, usually
  double least_latency_cycles = 16;   // never less than this: what proofs use
  double cycles_per_beat = 1;         // of the longest streams through one port, at best
  double shared_cycles_per_beat = 0;  // of all ports together, at best; 0: they share nothing
  double outstanding_bursts = 32;     // in flight, reads and writes each

  bool operator==(const MemoryTraits&) const = default;
};

}  // namespace vta::kernel
