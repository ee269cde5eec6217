// The computation of one kernel, without where its results are stored.
#pragma once

#include "base/status.h"
#include "compiler/vta/partition/group.h"
#include "isa/config/hw_config.h"
#include "mlir/IR/Operation.h"

namespace vta::compiler {

/// The group that computes the result of `root`, found by walking back from it. The error says why
/// there is none on `hw`.
Result<OffloadGroup> findComputation(mlir::Operation* root, const HwConfig& hw);

/// Whether `value` is a tensor of integers of `bits` bits.
bool isInteger(mlir::Value value, unsigned bits);

/// Whether `op`, which may be null, is a cast between integers of these bits.
bool isCast(mlir::Operation* op, unsigned from, unsigned to);

}  // namespace vta::compiler
