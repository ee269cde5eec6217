#include "driver/remote/worker/channel_stream.h"

#include <utility>

namespace vta::remote {

Status ChannelStream::send(const v1::Request& request) {
  return channel_.send(FrameKind::kDevice, request.SerializeAsString());
}

Result<bool> ChannelStream::receive(v1::Reply& reply, Time /*deadline*/) {
  VTA_ASSIGN_OR_RETURN(const Frame frame, channel_.receive());
  if (frame.kind != FrameKind::kDevice || !reply.ParseFromString(frame.bytes)) {
    return ioError("the server answers something else than was asked");
  }
  return true;
}

}  // namespace vta::remote
