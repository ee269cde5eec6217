// FlashSession: a client's bitstream on a server.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/remote/protocol/remote.pb.h"
#include "driver/remote/server/board_programmer.h"
#include "driver/remote/server/server_session.h"

namespace vta::remote {

/// Takes a bitstream piece by piece and programs the board with it. One that ends before the last
/// piece has done nothing.
class FlashSession {
 public:
  /// Hands a reply to the client; false when it is gone.
  using Send = std::function<bool(const v1::FlashReply&)>;

  /// `programmer` outlives it; null: the server programs nothing.
  FlashSession(const SessionEnvironment& environment, BoardProgrammer* programmer)
      : environment_(environment), programmer_(programmer) {}

  /// Carries out a request and sends what it has to. Errors: the session cannot go on, because the
  /// client does not speak the protocol, is gone, or may not do this. What is wrong with the
  /// bitstream or the board is a reply.
  Status handle(const v1::FlashRequest& request, const Send& send);

 private:
  Status open(const v1::FlashHello& hello, const Send& send);
  Status checkBoard(const std::string& name) const;
  Result<flash::FlashReport> program();

  SessionEnvironment environment_;
  BoardProgrammer* programmer_;
  std::optional<BoardProgrammer::Claim> claim_;  // from FlashHello to the last piece
  v1::FlashHello hello_;
  std::vector<std::byte> bitstream_;
};

}  // namespace vta::remote
