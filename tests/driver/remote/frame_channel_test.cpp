#include "driver/remote/protocol/frame_channel.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "driver/remote/protocol/version.h"

namespace vta::remote {
namespace {

using testing::HasSubstr;

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
  Descriptor read;
  Descriptor write;
};

void put(const Pipe& pipe, const std::string& bytes) {
  EXPECT_EQ(write(pipe.write.number(), bytes.data(), bytes.size()),
            static_cast<ssize_t>(bytes.size()));
}

TEST(FrameChannelTest, FramesArriveAsTheyWereSent) {
  const Pipe pipe;
  FrameChannel channel(pipe.read.number(), pipe.write.number());
  const std::string large(kChunkBytes, 'x');  // more than a pipe holds
  std::thread sender([&] {
    EXPECT_TRUE(channel.send(FrameKind::kModule, large).ok());
    EXPECT_TRUE(channel.send(FrameKind::kDevice, "").ok());
  });
  FrameChannel receiver(pipe.read.number(), pipe.write.number());
  const auto first = receiver.receive(), second = receiver.receive();
  sender.join();
  EXPECT_EQ(first->kind, FrameKind::kModule);
  EXPECT_EQ(first->bytes, large);
  EXPECT_EQ(second->kind, FrameKind::kDevice);
  EXPECT_EQ(second->bytes, "");
}

TEST(FrameChannelTest, AnotherSideThatIsGoneIsAnErrorAndNoSignal) {
  Pipe pipe;
  FrameChannel channel(pipe.read.number(), pipe.write.number());
  put(pipe, "\1\3");  // the begin of a frame
  pipe.write.close();
  EXPECT_THAT(channel.receive().status().message(), HasSubstr("gone"));
  Pipe unread;
  unread.read.close();
  FrameChannel sender(unread.read.number(), unread.write.number());
  EXPECT_THAT(sender.send(FrameKind::kDevice, "x").message(), HasSubstr("gone"));
  EXPECT_THAT(sender.send(FrameKind::kDevice, "x").message(), HasSubstr("gone"));
}

TEST(FrameChannelTest, WhatIsNoFrameIsAnError) {
  for (const std::string& header : {std::string("\0\0\0\0\0", 5), std::string("\7\0\0\0\0", 5),
                                    std::string("\1\0\0\0\xff", 5)}) {
    const Pipe pipe;
    FrameChannel channel(pipe.read.number(), pipe.write.number());
    put(pipe, header);
    EXPECT_THAT(channel.receive().status().message(), HasSubstr("no frame"));
  }
  const Pipe pipe;
  FrameChannel channel(pipe.read.number(), pipe.write.number());
  const std::string too_long(size_t{kMaxRequestBytes} + 1, 'x');
  EXPECT_EQ(channel.send(FrameKind::kDevice, too_long).code(), StatusCode::kInternal);
}

TEST(FrameChannelTest, WaitingEndsWhenItIsOver) {
  const Pipe pipe;
  int asked = 0;
  FrameChannel channel(pipe.read.number(), pipe.write.number(), [&] { return ++asked == 2; });
  EXPECT_EQ(channel.receive().status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace vta::remote
