// A module for three machines with memories of their own: the CPU, a VTA and a skeleton, or the CPU
// and two skeletons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"

namespace vta::driver::test {

struct ThreeMachinesOptions {
  HwConfig hw = HwConfig::makeDefault();
  bool has_vta = true;                      // the second machine; else a skeleton "other"
  std::string code = "sum";                 // of the layer "both" (skeleton_executor.cpp)
  std::vector<std::string> targets = {""};  // of the code of skeletons
  bool has_open_size = false;               // the model has a size that is known when it runs
};

/// Layers, each on another machine than what it reads:
///   enter   cpu       x, an input                -> a, of the second machine
///   second  second    a                          -> b, of the second machine
///   third   skeleton  b of the second machine, k, a constant of the CPU -> c, of the skeleton
///   back    second    c of the skeleton          -> d, of the second machine
///   both    skeleton  d of the second machine, x of the CPU -> e, of the skeleton
///   count   skeleton  s, state of the skeleton, e -> t, of the skeleton
///   keep    cpu       t of the skeleton          -> s
///   leave   cpu       e of the skeleton          -> y
/// "second" and "back" add 3, other layers add their operands or copy. Outputs are y and t. All
/// steps but "keep" and "leave" have references.
std::vector<std::byte> makeThreeMachines(const ThreeMachinesOptions& options = {});

/// Bytes of each tensor.
inline constexpr int64_t kThreeMachinesBytes = 1024;

/// An input, and what the outputs are in run number `run`, from 1, since state was cleared.
Tensor threeMachinesInput();
Tensor expectedY(const Tensor& input);
Tensor expectedT(const Tensor& input, int run);

}  // namespace vta::driver::test
