#include "driver/remote/server/shared_device.h"

namespace vta::remote {

Status SharedDevice::prepareFor(BufferMap::Owner session, bool is_traced) {
  if (is_stuck_ || (last_session_ != 0 && last_session_ != session)) {
    VTA_RETURN_IF_ERROR(device_->reset().withContext("the device cannot be reset"));
    is_stuck_ = false;
  }
  last_session_ = session;
  if (is_traced == is_traced_) return {};
  VTA_RETURN_IF_ERROR(
      device_->setTracing(is_traced ? driver::Tracing::kAll : driver::Tracing::kOff));
  is_traced_ = is_traced;
  return {};
}

Result<driver::LaunchResult> SharedDevice::run(const driver::Launch& launch,
                                               std::chrono::milliseconds limit) {
  VTA_RETURN_IF_ERROR(device_->submit(launch));
  auto result = device_->wait(limit);
  is_stuck_ = result.status().code() == StatusCode::kDeadlineExceeded;
  return result;
}

}  // namespace vta::remote
