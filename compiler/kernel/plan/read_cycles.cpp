#include "compiler/kernel/plan/read_cycles.h"

#include <algorithm>
#include <array>

#include "isa/spec/memory_ports.h"

namespace vta::kernel {

double readCycles(const ReadBytes& bytes, const HwConfig& hw, const MemoryTraits& memory) {
  const MemoryPorts ports = memoryPorts(hw.params());
  const double beat_bytes = hw.params().axi_data_width_bits / 8.0;
  std::array<double, kMostMemoryPorts> of_port = {};
  of_port[static_cast<size_t>(ports.inp)] += bytes.inputs;
  of_port[static_cast<size_t>(ports.wgt)] += bytes.weights;
  of_port[0] += bytes.rest;
  const double most = *std::ranges::max_element(of_port);
  const double all = bytes.inputs + bytes.weights + bytes.rest;
  return std::max(most / beat_bytes * memory.cycles_per_beat,
                  all / beat_bytes * memory.shared_cycles_per_beat);
}

double loadUnitCycles(double inputs, double weights, const HwConfig& hw) {
  const bool side_by_side = memoryPorts(hw.params()).loadDmas() > 1;
  return side_by_side ? std::max(inputs, weights) : inputs + weights;
}

}  // namespace vta::kernel
