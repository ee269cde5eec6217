// A virtual board in a process of its own, and the zynq device on it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/temporary_folder.h"
#include "driver/device.h"
#include "sim/board/virtual_board.h"

namespace vta::driver::test {

/// Serves a board in a folder that is removed at the end. One at a time.
class BoardProcess {
 public:
  /// The folder in the options is ignored.
  explicit BoardProcess(sim::VirtualBoardOptions options = {},
                        const HwConfig& hw = HwConfig::makeDefault());
  ~BoardProcess();
  BoardProcess(const BoardProcess&) = delete;
  BoardProcess& operator=(const BoardProcess&) = delete;

  const std::filesystem::path& folder() const { return folder_.path(); }

  /// "zynq:root=...", with more options behind it: ",wait=poll".
  std::string spec(const std::string& more = "") const;

  Result<std::unique_ptr<Device>> open(const std::string& more = "",
                                       const HwConfig& hw = HwConfig::makeDefault()) const;

  /// Replaces the contents of a file below the folder.
  void write(const std::string& path, const std::string& text) const;

 private:
  TemporaryFolder folder_;
  pid_t process_ = -1;
};

/// A board with one fault: "stuck@2".
sim::VirtualBoardOptions withFault(const std::string& fault);

}  // namespace vta::driver::test
