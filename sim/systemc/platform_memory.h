// A memory for virtual platforms: blocking, non-blocking and debug transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <systemc>
#include <vector>

#include <tlm.h>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

namespace vta::sim {

struct PlatformMemoryParams {
  uint64_t address = 0;  // of its first byte
  uint64_t size_bytes = 0;
  sc_core::sc_time clock_period;
  int beat_bytes = 8;
  int latency_cycles = 16;  // from a request to the first beat read, or from the last one written
};

/// A beat a cycle for reads and one for writes: the timing of SimpleMemory at full rate. Responses
/// come in the order of the requests of their kind; accesses past an end are address errors.
class PlatformMemory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<PlatformMemory> socket;

  PlatformMemory(sc_core::sc_module_name name, const PlatformMemoryParams& params);

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

  PlatformMemoryParams params_;
  std::vector<std::byte> bytes_;
  sc_core::sc_time read_slot_;  // of the next beat
  sc_core::sc_time write_slot_;
  tlm_utils::peq_with_cb_and_phase<PlatformMemory> phases_;
  std::deque<tlm::tlm_generic_payload*> responses_;  // due, not sent yet
  tlm::tlm_generic_payload* open_response_ = nullptr;
};

}  // namespace vta::sim
