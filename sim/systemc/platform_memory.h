// A memory for virtual platforms: blocking, non-blocking and debug transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <systemc>
#include <vector>

#include <tlm.h>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include "sim/memory/memory_model.h"

namespace vta::sim {

struct PlatformMemoryParams {
  uint64_t address = 0;  ///< of its first byte
  uint64_t size_bytes = 0;
  sc_core::sc_time clock_period;
};

/// With the timing of a MemoryModel, `simple` or a DDR table, that hears of each transaction as a
/// burst. Responses come in the order of the requests of their kind; accesses past an end are
/// address errors.
class PlatformMemory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<PlatformMemory> socket;

  /// `model` is for bursts of beats of `beat_bytes` bytes.
  PlatformMemory(sc_core::sc_module_name name, const PlatformMemoryParams& params,
                 std::unique_ptr<MemoryModel> model, int beat_bytes);

  /// What the cycle model assumes of a launch: nothing in flight, rows closed, refresh at its
  /// beginning. The next request comes in cycle 1, as that for a launch's first instruction does.
  void restart();

  /// All of it, for the test bench.
  std::span<std::byte> bytes() { return bytes_; }

 private:
  void accessBlocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  unsigned peek(tlm::tlm_generic_payload& payload);
  void onPhase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void access(tlm::tlm_generic_payload& payload);
  sc_core::sc_time responseTime(const tlm::tlm_generic_payload& payload,
                                const sc_core::sc_time& request);
  void respondNext();

  uint64_t cycleOf(const sc_core::sc_time& request);

  PlatformMemoryParams params_;
  std::unique_ptr<MemoryModel> model_;
  uint64_t beat_bytes_;
  std::vector<std::byte> bytes_;
  std::optional<sc_core::sc_time> origin_;  // of cycle 0; none before the first request
  BeatSchedule schedule_;
  tlm_utils::peq_with_cb_and_phase<PlatformMemory> phases_;
  std::deque<tlm::tlm_generic_payload*> responses_;  // due, not sent yet
  tlm::tlm_generic_payload* open_response_ = nullptr;
};

}  // namespace vta::sim
