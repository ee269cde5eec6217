// What ONNX Runtime looks for in the library: the functions that make and release the factory of
// execution providers.
#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "api/ort/options.h"
#include "api/ort/ort.h"
#include "api/ort/provider.h"

#if defined(__GNUC__)
#define VTA_ORT_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define VTA_ORT_EXPORT extern "C"
#endif

namespace vta::ort {
namespace {

class Factory final : public OrtEpFactory {
 public:
  explicit Factory(const Ort& ort) : OrtEpFactory{}, ort_(ort) {
    ort_version_supported = ort.version();
    GetName = [](const OrtEpFactory*) noexcept { return kProviderName; };
    GetVendor = [](const OrtEpFactory*) noexcept { return "VTA SDK"; };
    // PCI vendors have the numbers below 0x10000.
    GetVendorId = [](const OrtEpFactory*) noexcept { return uint32_t{0x565441}; };
    GetVersion = [](const OrtEpFactory*) noexcept { return vta_version(); };
    GetSupportedDevices = [](OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                             size_t count, OrtEpDevice** found, size_t most,
                             size_t* found_count) noexcept {
      return of(self).findDevices({devices, devices + count}, found, most, found_count);
    };
    CreateEp = [](OrtEpFactory* self, const OrtHardwareDevice* const*,
                  const OrtKeyValuePairs* const*, size_t, const OrtSessionOptions* options,
                  const OrtLogger* logger, OrtEp** provider) noexcept {
      return of(self).ort_.guarded(
          [&] { *provider = new Provider(of(self).ort_, of(self).read(options), logger); });
    };
    ReleaseEp = [](OrtEpFactory*, OrtEp* provider) noexcept {
      delete static_cast<Provider*>(provider);
    };
    // Tensors are in the memory of the CPU, which ONNX Runtime allocates and copies by itself.
    CreateAllocator = [](OrtEpFactory*, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                         OrtAllocator** allocator) noexcept -> OrtStatus* {
      *allocator = nullptr;
      return nullptr;
    };
    ReleaseAllocator = [](OrtEpFactory*, OrtAllocator*) noexcept {};
    CreateDataTransfer = [](OrtEpFactory*, OrtDataTransferImpl** transfer) noexcept -> OrtStatus* {
      *transfer = nullptr;
      return nullptr;
    };
    IsStreamAware = [](const OrtEpFactory*) noexcept { return false; };
  }

 private:
  static Factory& of(OrtEpFactory* self) { return *static_cast<Factory*>(self); }

  /// One device for the CPU: it runs simulators, and drives the accelerator of its board.
  OrtStatus* findDevices(std::vector<const OrtHardwareDevice*> devices, OrtEpDevice** found,
                         size_t most, size_t* count) {
    *count = 0;
    for (const OrtHardwareDevice* device : devices) {
      if (ort_->HardwareDevice_Type(device) != OrtHardwareDeviceType_CPU || *count == most)
        continue;
      if (OrtStatus* status =
              ort_.provider().CreateEpDevice(this, device, nullptr, nullptr, &found[*count])) {
        return status;
      }
      ++*count;
    }
    return nullptr;
  }

  Options read(const OrtSessionOptions* options) const {
    OrtKeyValuePairs* made = nullptr;
    ort_.check(ort_->GetSessionOptionsConfigEntries(options, &made));
    const Owned<OrtKeyValuePairs> pairs(made, ort_->ReleaseKeyValuePairs);
    const char* const* keys = nullptr;
    const char* const* values = nullptr;
    size_t count = 0;
    ort_->GetKeyValuePairs(pairs.get(), &keys, &values, &count);
    Entries entries;
    for (size_t i = 0; i < count; ++i) entries[keys[i]] = values[i];
    return readOptions(entries);
  }

  Ort ort_;
};

/// The same library has both sides of a version in one build.
void requireSameVersion() {
  if (std::strcmp(vta_version(), VTA_ORT_VERSION) == 0) return;
  throw api::Error(VTA_UNSUPPORTED,
                   fmt::format("libvta_ort.so is of version {}, and libvta.so that it found is {}; "
                               "install both from the same package",
                               VTA_ORT_VERSION, vta_version()));
}

/// A status of a runtime that may be of any version.
OrtStatus* refuse(const OrtApiBase& base, const char* message) {
  const OrtApi* oldest = base.GetApi(1);
  return oldest->CreateStatus(ORT_NOT_IMPLEMENTED, message);
}

}  // namespace
}  // namespace vta::ort

VTA_ORT_EXPORT OrtStatus* CreateEpFactories(const char* /*name*/, const OrtApiBase* base,
                                            const OrtLogger* /*logger*/, OrtEpFactory** factories,
                                            size_t most, size_t* count) {
  *count = 0;
  try {
    vta::ort::requireSameVersion();
    auto factory = std::make_unique<vta::ort::Factory>(vta::ort::Ort(*base));
    if (most == 0) return nullptr;
    factories[0] = factory.release();
    *count = 1;
    return nullptr;
  } catch (const std::exception& error) {
    return vta::ort::refuse(*base, error.what());
  }
}

VTA_ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  delete static_cast<vta::ort::Factory*>(factory);
  return nullptr;
}
