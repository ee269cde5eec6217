// Reused TLM payloads: the non-blocking interface needs payloads that live on their own.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <tlm.h>

#include "sim/systemc/bus_plan.h"
#include "sim/systemc/memory_port.h"

namespace vta::sim {

/// A payload with the transfer it stands for, and bytes for data that nobody keeps.
struct Payload final : tlm::tlm_generic_payload {
  Payload() { set_extension(&port); }
  ~Payload() override { clear_extension(&port); }

  BusTransfer transfer;
  MemoryPort port;
  std::vector<std::byte> spare;
  bool is_over = false;  ///< the target ended the transaction early: no END_RESP
};

/// Owns all payloads. A payload comes back when its last holder releases it.
class PayloadPool final : public tlm::tlm_mm_interface {
 public:
  /// With one reference, the caller's.
  Payload& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Payload>());
      all_.back()->set_mm(this);
      free_.push_back(all_.back().get());
    }
    Payload* payload = free_.back();
    free_.pop_back();
    payload->acquire();
    return *payload;
  }

  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    free_.push_back(static_cast<Payload*>(payload));
  }

 private:
  std::vector<std::unique_ptr<Payload>> all_;
  std::vector<Payload*> free_;
};

}  // namespace vta::sim
