// What a module takes.
#pragma once

#include "base/status.h"
#include "base/tensor.h"
#include "module/module_info.h"

namespace vta {

/// Ok when `inputs` has one tensor of the right type and shape for each input of the module, and no
/// other. Errors: kInvalidArgument, with the input's name.
Status checkInputs(const ModuleInfo& module, const TensorMap& inputs);

}  // namespace vta
