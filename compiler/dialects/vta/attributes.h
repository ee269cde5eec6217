// Kernel descriptions and schedules as MLIR attributes, and back. Lossless; default values are
// left out of the attribute.
#pragma once

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace vta::compiler {

mlir::DictionaryAttr kernelDescToAttr(const kernel::KernelDesc& desc, mlir::MLIRContext* context);

/// Errors: an unknown key, a value of the wrong type, an unknown name.
Result<kernel::KernelDesc> kernelDescFromAttr(mlir::DictionaryAttr attr);

mlir::DictionaryAttr scheduleToAttr(const kernel::Schedule& schedule, mlir::MLIRContext* context);

/// Errors: as kernelDescFromAttr.
Result<kernel::Schedule> scheduleFromAttr(mlir::DictionaryAttr attr);

}  // namespace vta::compiler
