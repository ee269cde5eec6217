// What is behind the handles of the C interface, and how its functions report errors.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/include/vta/vta.h"
#include "base/status.h"
#include "driver/device.h"
#include "driver/gpu/gpu_device.h"
#include "driver/runtime/loaded_module.h"
#include "driver/runtime/session.h"

/// A module that is shared with its sessions.
struct vta_module {
  std::shared_ptr<const vta::driver::LoadedModule> module;  ///< what was loaded; never changes
  std::string hardware;                  ///< the text that vta_module_hardware gives out
  std::vector<uint32_t> layer_machines;  ///< the executor of each layer
};

namespace vta::api {

/// A device that sessions share: they take turns.
struct SharedDevice {
  std::unique_ptr<driver::Device> device;  ///< used by who holds `mutex`
  std::string hardware;                    ///< the text that vta_device_hardware gives out
  std::mutex mutex;  ///< held during a run, and while a session is made or ends
};

/// Keeps the message for vta_error_message() and returns the code.
vta_status report(const Status& status);

/// Runs `body`, which returns a Status; whatever it throws becomes an error.
template <typename Body>
vta_status guarded(Body&& body) noexcept {
  try {
    return report(body());
  } catch (const std::bad_alloc&) {
    return report({StatusCode::kResourceExhausted, "this process is out of memory"});
  } catch (const std::exception& error) {
    return report(internalError(error.what()));
  } catch (...) {
    return report(internalError("an unknown exception"));
  }
}

/// The caller's options, and what `init` says where there are none. A program of another version
/// may know fewer, or more.
template <typename Options>
Options knownOptions(const Options* given, void (*init)(Options*)) {
  Options options;
  init(&options);
  if (given != nullptr) {
    std::memcpy(&options, given, std::min(given->struct_bytes, sizeof(options)));
  }
  return options;
}

}  // namespace vta::api

/// One owner of a device, beside the sessions on it.
struct vta_device {
  std::shared_ptr<vta::api::SharedDevice> shared;
};

/// A session with what its functions give out.
struct vta_session {
  std::shared_ptr<const vta::driver::LoadedModule> module;
  std::shared_ptr<vta::api::SharedDevice> device;  ///< null: nothing runs on a VTA
  std::unique_ptr<vta::driver::GpuDevice> gpu;     ///< null: nothing runs on a GPU
  /// Ends before the module and the devices, which it uses.
  std::unique_ptr<vta::driver::Session> session;
  vta::TensorMap inputs;                         ///< by their tensors; kept from run to run
  std::optional<vta::driver::RunResult> result;  ///< of the last run, if that succeeded
  std::future<vta::Status> running;              ///< while a run is in the background
};
