// PipeChannel: texts as lines over two pipes; an empty line is a beat.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "explore/workers/channel/channel.h"

namespace vta::launcher {

/// A channel to a process whose standard streams are at hand.
class PipeChannel final : public Channel {
 public:
  /// The files stay the caller's. Reading does not block, whatever the files are set to.
  PipeChannel(int input, int output) : input_(input), output_(output) {}

  Status send(std::string_view text) override;
  Result<std::optional<std::string>> receive() override;
  Status beat() override { return send(""); }
  uint64_t otherBeats() override { return beats_; }

 private:
  Status readMore();

  int input_;   // that this side reads
  int output_;  // that it writes
  std::mutex writing_;
  std::string received_;
  size_t searched_ = 0;  // of received_: there is no end of a line before
  uint64_t beats_ = 0;
};

}  // namespace vta::launcher
