#include "tests/driver/remote/loopback.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace vta::remote::test {
namespace {

using driver::Device;
using driver::DeviceBuffer;

/// The remote device under the name by which a test knows it.
class NamedDevice final : public Device {
 public:
  NamedDevice(std::unique_ptr<Device> inner, std::string name)
      : inner_(std::move(inner)), info_(inner_->info()) {
    info_.name = std::move(name);
  }
  const driver::DeviceInfo& info() const override { return info_; }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override {
    return inner_->allocate(size_bytes, alignment_bytes);
  }
  Result<DeviceBuffer> allocateAt(uint64_t address, uint64_t size_bytes) override {
    return inner_->allocateAt(address, size_bytes);
  }
  Status free(const DeviceBuffer& buffer) override { return inner_->free(buffer); }
  Status write(uint64_t address, std::span<const std::byte> data) override {
    return inner_->write(address, data);
  }
  Status read(uint64_t address, std::span<std::byte> data) override {
    return inner_->read(address, data);
  }
  std::byte* map(const DeviceBuffer& buffer) override { return inner_->map(buffer); }
  Status submit(const driver::Launch& launch) override { return inner_->submit(launch); }
  Result<driver::LaunchResult> wait(std::chrono::milliseconds timeout) override {
    return inner_->wait(timeout);
  }
  Status setTracing(driver::Tracing tracing) override { return inner_->setTracing(tracing); }
  Status identify() override { return inner_->identify(); }
  Status testInterrupt() override { return inner_->testInterrupt(); }
  Status reset() override { return inner_->reset(); }

 private:
  std::unique_ptr<Device> inner_;
  driver::DeviceInfo info_;
};

/// One server for each device and configuration, until the process ends.
const Loopback& serverFor(const std::string& behind, const HwConfig& hw) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Loopback>> servers;
  const std::lock_guard lock(mutex);
  auto& server = servers[behind + "\n" + hw.toYaml()];
  if (server == nullptr) server = std::make_unique<Loopback>(behind, ServerOptions{}, hw);
  return *server;
}

Result<std::unique_ptr<Device>> createLoopback(const driver::DeviceOptions& options,
                                               const HwConfig& hw,
                                               const driver::DeviceProgress& /*progress*/) {
  const std::string& behind = options.at("behind");
  VTA_ASSIGN_OR_RETURN(auto device, serverFor(behind, hw).open("", hw));
  return std::unique_ptr<Device>(
      std::make_unique<NamedDevice>(std::move(device), "loopback:behind=" + behind));
}

}  // namespace

Loopback::Loopback(const std::string& behind, const ServerOptions& options, const HwConfig& hw) {
  auto device = driver::createDevice(behind, hw);
  if (!device.ok()) throw std::runtime_error(device.status().message());
  const std::string kind = driver::parseDeviceSpec(behind).value().name;
  std::vector<std::unique_ptr<SharedDevice>> devices;
  devices.push_back(std::make_unique<SharedDevice>("board", *std::move(device),
                                                   driver::findDeviceKind(kind)->is_simulator));
  auto server = RemoteServer::start(options, std::move(devices));
  if (!server.ok()) throw std::runtime_error(server.status().message());
  server_ = *std::move(server);
}

std::string Loopback::spec(const std::string& more) const {
  return "tcp://" + server_->address().text() + more;
}

void registerLoopback() {
  driver::registerDevice({.name = "loopback",
                          .description = "a remote device whose server is in this process",
                          .options = {{"behind", driver::DeviceOption::Value::kText}},
                          .aliases = {},
                          .order = 30,
                          .create = createLoopback});
}

}  // namespace vta::remote::test
