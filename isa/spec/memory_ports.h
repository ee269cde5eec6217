// Which memory port moves what: axi.ports of a configuration.
#pragma once

#include "isa/spec/hw_params.h"
#include "isa/spec/memories.h"

namespace vta {

/// The most memory ports that hardware can have.
inline constexpr int kMostMemoryPorts = 4;

/// Numbers of the ports, from 0. Instructions, micro-ops and accumulators are read through port 0.
struct MemoryPorts {
  int inp = 0;
  int wgt = 0;
  int store = 0;

  /// DMA engines of the load unit: a port of their own gives weights an engine of their own.
  int loadDmas() const { return inp == wgt ? 1 : 2; }
  /// Ports through which anything is read.
  int readPorts() const { return 1 + (inp != 0 ? 1 : 0) + (wgt != 0 ? 1 : 0); }
  /// The port through which a LOAD reads.
  int ofLoad(MemoryType type) const {
    const MemoryType scratchpad = scratchpadOf(type);
    return scratchpad == MemoryType::kInp ? inp : scratchpad == MemoryType::kWgt ? wgt : 0;
  }
};

constexpr MemoryPorts memoryPorts(const HwParams& params) {
  switch (params.axi_ports) {
    case 1:
      return {};
    case 2:
      return {.inp = 0, .wgt = 1, .store = 0};
    default:
      return {.inp = 2, .wgt = 1, .store = 3};
  }
}

}  // namespace vta
