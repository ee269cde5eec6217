// A kernel between its graph ops and its code: a function over buffers, and the grid that runs it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Value.h"
#include "module/gpu/gpu_program.h"

namespace vta::codegen {

/// The name of the function in KernelIr::module, and the entry point of its code.
inline constexpr const char* kKernelFunction = "compute";

/// What the functions of kernels use of the gpu dialect are the numbers of workgroups and
/// invocations, and barriers.
struct KernelIr {
  std::string name;  // for profiles
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};
  std::array<uint32_t, 3> workgroups{1, 1, 1};
  uint32_t shared_bytes = 0;  // of what a workgroup shares: allocations in memory space 3
  /// Whether each sum and product of floats is rounded by itself, as on the CPU. If not, those in
  /// loops inside of loops may be rounded once: sums of products gain by a device that does both at
  /// once. Elsewhere roundings are always kept, because exponentials and others are made of them.
  bool keeps_roundings = true;
  /// The architecture that its PTX needs; empty: none but the oldest.
  std::string ptx_target{};
  /// The same in PTX for newer architectures, which comes first, with grids of their own. Their
  /// buffers and accesses are those of this kernel.
  std::vector<KernelIr> variants{};
  /// What the arguments are bound to: values of the function that the kernel is cut from.
  llvm::SmallVector<mlir::Value> buffers;
  std::vector<GpuAccess> accesses;  // of each buffer, or of each range of it (buffer_ranges.h)
};

/// Whether `op` is where KernelIr::keeps_roundings may leave roundings to the device. `Loop` is the
/// op that loops are at that stage.
template <typename Loop>
bool isInNestedLoop(mlir::Operation* op) {
  const auto loop = op->getParentOfType<Loop>();
  return loop && loop->template getParentOfType<Loop>();
}

}  // namespace vta::codegen
