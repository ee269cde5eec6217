// ChannelStream: a DeviceStream to the server that started this process.
#pragma once

#include "driver/remote/client/message_stream.h"
#include "driver/remote/protocol/frame_channel.h"

namespace vta::remote {

class ChannelStream final : public DeviceStream {
 public:
  /// `channel` must outlive it.
  explicit ChannelStream(FrameChannel& channel) : channel_(channel) {}

  Status send(const v1::Request& request) override;

  /// Waits for as long as it takes: the server watches the time.
  Result<bool> receive(v1::Reply& reply, Time deadline) override;

 private:
  FrameChannel& channel_;
};

}  // namespace vta::remote
