// Channel: one end of the way between a farm and one of its workers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace vta::launcher {

/// Brings texts without line ends to the other side: whole, in order, each once.
class Channel {
 public:
  virtual ~Channel() = default;

  /// Error: it cannot be brought on its way. The channel is of no use any more.
  virtual Status send(std::string_view text) = 0;

  /// The next text, if one has come; does not wait. Error: no more will come.
  virtual Result<std::optional<std::string>> receive() = 0;

  /// Tells the other side that this one lives. May be called by another thread than the rest.
  virtual Status beat() = 0;

  /// A number that changes as long as the other side lives.
  virtual uint64_t otherBeats() = 0;
};

}  // namespace vta::launcher
