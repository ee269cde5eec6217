// Which nodes of the domain vta.kernels a tile kernel of the user's computes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/tile/file/kernel_file.h"
#include "isa/config/hw_config.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// Puts the functions of nodes of the domain vta.kernels back into @main: of all of them.
void inlineKernelNodes(mlir::ModuleOp module);

/// Gives each function that stands for such a node the first of `kernels` that has its name and
/// shapes and fits `hw`, with its program (kTileKernelAttr, kProgramAttr). Functions without one go
/// back into @main: `warnings` says why. If kernels are `required`, that is an error.
Status chooseTileKernels(mlir::ModuleOp module, const HwConfig& hw,
                         std::span<const tile::TileKernel> kernels, bool required,
                         std::vector<std::string>& warnings);

}  // namespace vta::compiler
