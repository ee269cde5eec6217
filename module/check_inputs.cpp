#include "module/check_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/closest_name.h"

namespace vta {

Status checkInputs(const ModuleInfo& module, const TensorMap& inputs) {
  for (const auto& [name, tensor] : inputs) {
    const bool is_known = std::ranges::any_of(
        module.inputs, [&name = name](const PortInfo& port) { return port.name == name; });
    if (!is_known) {
      return invalidArgument(
          fmt::format("the model has no input '{}'{}", name,
                      suggestion(name, namesOf(module.inputs, &PortInfo::name))));
    }
  }
  for (const PortInfo& port : module.inputs) {
    const TensorInfo& expected = module.tensors[port.tensor];
    const auto given = inputs.find(port.name);
    if (given == inputs.end()) {
      return invalidArgument(fmt::format("input '{}' is missing", port.name));
    }
    const Tensor& tensor = given->second;
    if (tensor.dtype != expected.dtype || tensor.shape != expected.shape ||
        tensor.sizeBytes() != expected.size_bytes) {
      return invalidArgument(fmt::format("input '{}' is {}, the model wants {}", port.name,
                                         describe(tensor.dtype, tensor.shape),
                                         describe(expected.dtype, expected.shape)));
    }
  }
  return {};
}

}  // namespace vta
