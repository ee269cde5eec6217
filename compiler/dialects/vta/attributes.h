// #vta.kernel and #vta.schedule: what a kernel computes and how it is run. Documentation:
// vta_attributes.td.
#pragma once

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

// Attributes with equal values are one object: these find it.
namespace vta::kernel {
llvm::hash_code hash_value(const KernelDesc& desc);
llvm::hash_code hash_value(const Schedule& schedule);
}  // namespace vta::kernel

// Generated code has unused parameters.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialects/vta/vta_attributes.h.inc"
#pragma GCC diagnostic pop
