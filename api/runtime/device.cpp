#include "api/runtime/handles.h"
#include "driver/device_registry.h"

namespace {

using vta::HwConfig;
using vta::Result;
using vta::Status;
using vta::api::guarded;

constexpr const char* kDefaultDevice = "functional";

Status create(const char* spec, const HwConfig& hw, vta_device** device) {
  const char* text = spec != nullptr ? spec : kDefaultDevice;
  VTA_ASSIGN_OR_RETURN(auto created, vta::driver::createDevice(text, hw));
  auto shared = std::make_shared<vta::api::SharedDevice>();
  shared->hardware = created->info().hw.summary();
  shared->device = std::move(created);
  *device = new vta_device{std::move(shared)};
  return {};
}

}  // namespace

extern "C" {

size_t vta_device_kind_count(void) { return vta::driver::deviceKinds().size(); }

const char* vta_device_kind_name(size_t index) {
  const auto kinds = vta::driver::deviceKinds();
  return index < kinds.size() ? kinds[index].name.data() : nullptr;
}

const char* vta_device_kind_description(size_t index) {
  const auto kinds = vta::driver::deviceKinds();
  return index < kinds.size() ? kinds[index].description.data() : nullptr;
}

vta_status vta_device_create(const char* spec, const vta_module* module, vta_device** device) {
  return guarded([&]() -> Status {
    if (module == nullptr || device == nullptr) {
      return vta::invalidArgument("vta_device_create needs a module and a place for the device");
    }
    if (module->module->hw() == nullptr) {
      return vta::invalidArgument(
          "the module runs nothing on a VTA; create its session with NULL for the device");
    }
    return create(spec, *module->module->hw(), device);
  });
}

vta_status vta_device_create_for(const char* spec, const char* configuration, vta_device** device) {
  return guarded([&]() -> Status {
    if (configuration == nullptr || device == nullptr) {
      return vta::invalidArgument(
          "vta_device_create_for needs a configuration and a place for the device");
    }
    VTA_ASSIGN_OR_RETURN(const HwConfig hw, vta::loadHwConfig(configuration));
    return create(spec, hw, device);
  });
}

void vta_device_release(vta_device* device) { delete device; }

const char* vta_device_name(const vta_device* device) {
  return device->shared->device->info().name.c_str();
}
const char* vta_device_hardware(const vta_device* device) {
  return device->shared->hardware.c_str();
}

}  // extern "C"
