// Runs tile programs on devices and compares them with the reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/tile/program/tile_program.h"
#include "driver/device_registry.h"
#include "driver/run_program.h"

namespace vta::tile::testing {

/// `buffers` of a tile program's tensors, with what the program has beside them.
inline std::vector<std::vector<uint8_t>> withUops(const Program& program,
                                                  std::vector<std::vector<uint8_t>> buffers) {
  buffers.resize(program.buffers.size());
  return buffers;
}

/// Runs `program` on a new device; returns its counters. `buffers` go in and come out.
inline Result<driver::LaunchResult> runOn(const std::string& device_name, const Program& program,
                                          const HwConfig& hw,
                                          std::vector<std::vector<uint8_t>>& buffers) {
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<driver::Device> device,
                       driver::createDevice(device_name, hw));
  return driver::runProgram(*device, program, buffers);
}

}  // namespace vta::tile::testing
