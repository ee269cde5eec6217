#include <fmt/format.h>

#include "api/runtime/handles.h"
#include "module/analysis/layer_machines.h"
#include "module/module_info.h"
#include "module/operators/operator_libraries.h"

namespace {

using vta::ModuleInfo;
using vta::PortInfo;
using vta::Status;
using vta::api::guarded;

Status open(vta::Result<std::shared_ptr<const vta::driver::LoadedModule>> loaded,
            vta_module** module) {
  if (!loaded.ok()) return loaded.status();
  auto handle = std::make_unique<vta_module>();
  handle->module = *std::move(loaded);
  if (const vta::HwConfig* hw = handle->module->hw()) handle->hardware = hw->name();
  handle->layer_machines = vta::executorsOfLayers(handle->module->info());
  *module = handle.release();
  return {};
}

Status checkIndex(const char* what, size_t index, size_t count) {
  if (index < count) return {};
  return vta::invalidArgument(
      fmt::format("{} {} does not exist: the module has {}", what, index, count));
}

vta_status portInfo(const vta_module* module, const char* what, size_t index,
                    const std::vector<PortInfo> ModuleInfo::*ports, vta_tensor_info* out) {
  return guarded([&]() -> Status {
    const ModuleInfo& info = module->module->info();
    VTA_RETURN_IF_ERROR(checkIndex(what, index, (info.*ports).size()));
    const PortInfo& port = (info.*ports)[index];
    const vta::TensorInfo& tensor = info.tensors[port.tensor];
    *out = {port.name.c_str(), static_cast<vta_dtype>(tensor.dtype), tensor.shape.size(),
            tensor.shape.data(), static_cast<size_t>(tensor.size_bytes)};
    return {};
  });
}

}  // namespace

extern "C" {

vta_status vta_operators_load(const char* path) {
  return guarded([&]() -> Status {
    if (path == nullptr) return vta::invalidArgument("vta_operators_load needs a path");
    return vta::loadOperatorLibrary(path);
  });
}

vta_status vta_module_load(const char* path, vta_module** module) {
  return guarded([&]() -> Status {
    if (path == nullptr || module == nullptr) {
      return vta::invalidArgument("vta_module_load needs a path and a place for the module");
    }
    return open(vta::driver::LoadedModule::load(path), module);
  });
}

vta_status vta_module_load_memory(const void* data, size_t size_bytes, vta_module** module) {
  return guarded([&]() -> Status {
    if (data == nullptr || module == nullptr) {
      return vta::invalidArgument("vta_module_load_memory needs bytes and a place for the module");
    }
    const std::span bytes(static_cast<const std::byte*>(data), size_bytes);
    return open(vta::driver::LoadedModule::fromMemory(bytes), module);
  });
}

void vta_module_release(vta_module* module) { delete module; }

const char* vta_module_model(const vta_module* module) {
  return module->module->info().model.c_str();
}
const char* vta_module_hardware(const vta_module* module) { return module->hardware.c_str(); }

size_t vta_module_input_count(const vta_module* module) {
  return module->module->info().inputs.size();
}
size_t vta_module_output_count(const vta_module* module) {
  return module->module->info().outputs.size();
}
size_t vta_module_layer_count(const vta_module* module) {
  return module->module->info().layers.size();
}

vta_status vta_module_input(const vta_module* module, size_t index, vta_tensor_info* info) {
  return portInfo(module, "input", index, &ModuleInfo::inputs, info);
}
vta_status vta_module_output(const vta_module* module, size_t index, vta_tensor_info* info) {
  return portInfo(module, "output", index, &ModuleInfo::outputs, info);
}

vta_status vta_module_layer(const vta_module* module, size_t index, vta_layer_info* info) {
  return guarded([&]() -> Status {
    const auto& layers = module->module->info().layers;
    const auto& executors = module->module->info().executors;
    VTA_RETURN_IF_ERROR(checkIndex("layer", index, layers.size()));
    const vta::LayerInfo& layer = layers[index];
    const vta::ExecutorInfo& machine = executors[module->layer_machines[index]];
    *info = {layer.name.c_str(), layer.op.c_str(), machine.name.c_str(), layer.reason.c_str(),
             layer.macs};
    return {};
  });
}

}  // extern "C"
