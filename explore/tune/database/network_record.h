// What a database knows of a whole network: which schedules its kernels get together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vta::tune {

/// What identifies a network with its accelerator and memory.
struct NetworkKey {
  std::string network;        // of its kernels: networkFingerprint
  std::string configuration;  // as of a TaskKey
  std::string memory;         // as of a TaskKey

  bool operator==(const NetworkKey&) const = default;
};

/// The schedule that a kernel gets in a network, as text.
struct KeptSchedule {
  std::string workload;
  std::string schedule;
  bool is_tuned = false;  // else it is what the compiler chooses by itself

  bool operator==(const KeptSchedule&) const = default;
};

struct NetworkRecord {
  std::string name;             // of the model, for people
  uint64_t untuned_cycles = 0;  // without a tuned schedule
  uint64_t tuned_cycles = 0;    // with the fastest schedule of each kernel by itself
  uint64_t cycles = 0;          // with these schedules
  std::vector<KeptSchedule> schedules;
  int64_t runs = 0;  // that the choice took; not stored

  int64_t tunedCount() const {
    int64_t count = 0;
    for (const KeptSchedule& kept : schedules) count += kept.is_tuned ? 1 : 0;
    return count;
  }
};

}  // namespace vta::tune
