// What a machine's rates say of operators. Free of MLIR types.
#pragma once

#include <cstdint>

#include "base/machine_rates.h"
#include "compiler/codegen/costs.h"

namespace mlir {
class Operation;
}  // namespace mlir

namespace vta::codegen {

/// Of the unit of compiler/codegen/costs.h.
inline constexpr double kSecondsPerUnit = 25e-12;

/// An estimate of a laptop's integrated GPU: half of the products of 1 TFLOP/s, the bandwidth of
/// two channels of DDR4. Placement takes it for a GPU that has not been measured.
inline constexpr MachineRates kUsualGpu = {.macs_per_second = 5e11,
                                           .bytes_per_second = 4e10,
                                           .seconds_per_launch = 5e-6,
                                           .seconds_per_run = 5e-5};

/// In the unit of compiler/codegen/costs.h: that of an operator of the graph dialect, which takes
/// its products or its bytes, whichever takes longer, and a launch unless it joins the kernel in
/// front of it; that of a program; and that of a transfer.
int64_t costOn(const MachineRates& rates, mlir::Operation* op);
int64_t costPerRunOn(const MachineRates& rates);
TransferCost transferCostOf(const MachineRates& rates);

}  // namespace vta::codegen
