// The SystemVerilog package of one configuration: what hw/vta_rtl is built from.
#pragma once

#include <string>

#include "isa/config/hw_config.h"
#include "isa/registers/identity.h"

namespace vta {

struct SvPackageOptions {
  HardwareBuild build{};
  // Name hw/vta_rtl/package/vta_types.svh by `include instead of holding its text.
  bool include_types = false;
  // Some blocks in forms that simulate faster, with the same results in the same cycles: not for an
  // FPGA.
  bool fast_simulation = false;
};

/// The text of `vta_pkg.sv` for `hw`: geometry, positions and widths of every instruction and
/// micro-op field, codes, depths, register offsets and bus parameters, then the text of
/// hw/vta_rtl/package/vta_types.svh as it was when this was compiled. Pure and deterministic: equal
/// configurations and options give equal text, so that it can key a build cache.
std::string svPackage(const HwConfig& hw, const SvPackageOptions& options = {});

}  // namespace vta
