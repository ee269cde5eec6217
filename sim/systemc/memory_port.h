// Which memory port of the accelerator a transaction comes from.
#pragma once

#include <tlm.h>

namespace vta::sim {

/// An ignorable extension: all ports share the module's one socket, and a memory that tells ports
/// apart finds here which one it is, from 0. A transaction without it comes from port 0.
struct MemoryPort final : tlm::tlm_extension<MemoryPort> {
  int port = 0;

  tlm::tlm_extension_base* clone() const override { return new MemoryPort(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    port = static_cast<const MemoryPort&>(other).port;
  }
};

inline int memoryPortOf(const tlm::tlm_generic_payload& payload) {
  const auto* extension = payload.get_extension<MemoryPort>();
  return extension == nullptr ? 0 : extension->port;
}

}  // namespace vta::sim
