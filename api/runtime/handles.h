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
#include "driver/runtime/loaded_module.h"
#include "driver/runtime/session.h"

struct vta_module {
  std::shared_ptr<const vta::driver::LoadedModule> module;
  std::string hardware;
  std::vector<uint32_t> layer_machines;  // the executor of each layer
};

namespace vta::api {

/// A device that sessions share: they take turns.
struct SharedDevice {
  std::unique_ptr<driver::Device> device;
  std::string hardware;
  std::mutex mutex;
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

struct vta_device {
  std::shared_ptr<vta::api::SharedDevice> shared;
};

struct vta_session {
  std::shared_ptr<const vta::driver::LoadedModule> module;
  std::shared_ptr<vta::api::SharedDevice> device;  // null: nothing runs on a VTA
  std::unique_ptr<vta::driver::Session> session;
  vta::TensorMap inputs;
  std::optional<vta::driver::RunResult> result;  // of the last run, if that succeeded
  std::future<vta::Status> running;              // while a run is in the background
};
