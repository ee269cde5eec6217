#include "driver/remote/server/shared_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/closest_name.h"

namespace vta::remote {

SharedDevice::SharedDevice(std::string name, Open open)
    : name_(std::move(name)), open_(std::move(open)), stops_outside_(false) {
  static_cast<void>(openAgain());
}

/// What the last device knew of its core is over.
Status SharedDevice::openAgain() {
  auto opened = open_();
  absence_ = opened.status();
  if (!opened.ok()) return absence_;
  device_ = *std::move(opened);
  last_session_ = 0;
  is_stuck_ = is_traced_ = false;
  return {};
}

Status SharedDevice::join(const std::string& client, const std::function<bool()>& is_gone) {
  constexpr std::chrono::milliseconds kPeriod{100};
  std::unique_lock lock(mutex_);
  while (is_programmed_) {
    if (is_gone && is_gone()) return ioError("the client is gone");
    changed_.wait_for(lock, kPeriod);
  }
  if (device_ == nullptr && !is_withheld_) static_cast<void>(openAgain());
  if (device_ == nullptr) {
    return absence_.withContext(fmt::format("the server's board '{}' is not there", name_));
  }
  clients_.insert(client);
  return {};
}

void SharedDevice::leave(const std::string& client) {
  const std::lock_guard lock(mutex_);
  clients_.erase(clients_.find(client));
}

Status SharedDevice::beginProgramming() {
  const std::lock_guard lock(mutex_);
  if (!clients_.empty()) {
    return {StatusCode::kResourceExhausted,
            fmt::format("board '{}' has {} session{} ({}), and the FPGA cannot be programmed under "
                        "{}; try again when {} ended",
                        name_, clients_.size(), clients_.size() == 1 ? "" : "s",
                        fmt::join(clients_, ", "), clients_.size() == 1 ? "it" : "them",
                        clients_.size() == 1 ? "it has" : "they have")};
  }
  is_programmed_ = true;
  device_.reset();
  return {};
}

void SharedDevice::endProgramming() {
  is_programmed_ = false;
  changed_.notify_all();
}

Status SharedDevice::restore() {
  const std::lock_guard lock(mutex_);
  is_withheld_ = false;
  Status opened = openAgain();
  endProgramming();
  return opened;
}

void SharedDevice::withhold(const Status& reason) {
  const std::lock_guard lock(mutex_);
  is_withheld_ = true;
  absence_ = reason;
  endProgramming();
}

Status SharedDevice::presence() const {
  const std::lock_guard lock(mutex_);
  return device_ == nullptr ? absence_ : Status();
}

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

Result<SharedDevice*> findShared(std::span<const std::unique_ptr<SharedDevice>> devices,
                                 const std::string& name) {
  std::vector<std::string> known;
  for (const auto& device : devices) {
    if (device->name() == name) return device.get();
    known.push_back(device->name());
  }
  const std::string names = fmt::format("{}", fmt::join(known, ", "));
  if (!name.empty()) {
    return notFound(fmt::format("the server has no board '{}'; it has: {}{}", name.substr(0, 64),
                                names, suggestion(name, known)));
  }
  if (devices.size() == 1) return devices[0].get();
  return invalidArgument(
      fmt::format("the server has several boards; choose one with board=NAME: {}", names));
}

}  // namespace vta::remote
