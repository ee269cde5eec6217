// The device of a vta-server, as a Device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "driver/device.h"
#include "driver/remote/client/message_stream.h"

namespace vta::remote {

/// Writes and frees are sent and not waited for: what goes wrong with them on the server is the
/// error of the next call that gets an answer. So a launch costs two round trips: its own, and that
/// of reading what came of it.
class RemoteDevice final : public driver::Device {
 public:
  /// `hw` is what the caller wants to run programs of. Errors: those of openDeviceStream;
  /// kUnsupported when the server has another configuration, or another protocol; kNotFound when it
  /// has no such board; those of its limits.
  static Result<std::unique_ptr<driver::Device>> create(const HwConfig& hw,
                                                        const RemoteOptions& options);

  /// The same over a connection that stands. `name` is the device's.
  static Result<std::unique_ptr<driver::Device>> create(const HwConfig& hw,
                                                        std::unique_ptr<DeviceStream> stream,
                                                        std::string name,
                                                        const RemoteOptions& options = {});

  const driver::DeviceInfo& info() const override { return info_; }
  Result<driver::DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override;
  Result<driver::DeviceBuffer> allocateAt(uint64_t address, uint64_t size_bytes) override;
  Status free(const driver::DeviceBuffer& buffer) override;
  Status write(uint64_t address, std::span<const std::byte> data) override;
  Status read(uint64_t address, std::span<std::byte> data) override;
  Status submit(const driver::Launch& launch) override;
  Result<driver::LaunchResult> wait(std::chrono::milliseconds timeout) override;
  Status setTracing(driver::Tracing tracing) override;
  Status identify() override;
  Status testInterrupt() override;
  Status reset() override;

 private:
  RemoteDevice(driver::DeviceInfo info, std::unique_ptr<DeviceStream> stream)
      : info_(std::move(info)), stream_(std::move(stream)) {}

  Result<v1::Reply> ask(const v1::Request& request);
  Status askDone(const v1::Request& request);
  Status receiveLaunch();
  Result<driver::DeviceBuffer> allocate(const v1::Request& request);
  Status checkRange(uint64_t address, uint64_t size_bytes) const;

  driver::DeviceInfo info_;
  std::unique_ptr<DeviceStream> stream_;
  std::map<uint64_t, uint64_t> buffers_;   // address to size
  bool is_submitted_ = false;              // a launch that wait() has not returned
  std::optional<v1::Reply> launch_reply_;  // its answer, if it came before wait()
};

}  // namespace vta::remote
