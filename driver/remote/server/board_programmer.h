// BoardProgrammer: the FPGA of a server's machine, programmed for clients.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "driver/flash/board/program_board.h"
#include "driver/flash/format/bitstream_file.h"
#include "driver/remote/server/shared_device.h"

namespace vta::remote {

struct ProgrammingOptions {
  std::filesystem::path root = "/";               // where /sys, /dev and /lib/firmware are
  uint64_t most_bytes = uint64_t{64} << 20;       // of a bitstream
  std::function<void(const std::string&)> log{};  // a line for each programming; may be null
};

/// One client at a time programs. All methods may be called on any thread.
class BoardProgrammer {
 public:
  /// `devices` outlive it. Those that are programmable have to let go of the FPGA for it.
  BoardProgrammer(ProgrammingOptions options,
                  std::span<const std::unique_ptr<SharedDevice>> devices)
      : options_(std::move(options)), devices_(devices) {}

  uint64_t mostBytes() const { return options_.most_bytes; }

  /// The right to program, until it is destroyed.
  class Claim {
   public:
    explicit Claim(BoardProgrammer& programmer) : programmer_(&programmer) {}
    Claim(Claim&& other) noexcept : programmer_(std::exchange(other.programmer_, nullptr)) {}
    Claim& operator=(Claim&&) = delete;
    ~Claim() {
      if (programmer_ != nullptr) programmer_->release();
    }

   private:
    BoardProgrammer* programmer_;
  };

  /// Error kResourceExhausted, with its name: another client programs.
  Result<Claim> claim(const std::string& client);

  /// All of vta-flash's work, by whoever has the claim. After an error the devices are what they
  /// were, unless the board had been changed: then they have no sessions until it is programmed
  /// again. A device that cannot be opened afterwards is a warning. Errors: those of
  /// checkFlash, checkUnused and programBoard; kResourceExhausted while a device has sessions;
  /// kUnsupported for a way that does not lead to the FPGA of this machine.
  Result<flash::FlashReport> program(const flash::FlashRequest& request,
                                     const flash::BitstreamFile& file, const std::string& client);

 private:
  void release();
  Status letGo();
  std::vector<std::string> restoreAll();
  void withholdAll(const Status& failure);

  const ProgrammingOptions options_;
  const std::span<const std::unique_ptr<SharedDevice>> devices_;
  std::mutex mutex_;  // of what follows
  bool is_claimed_ = false;
  std::string client_;  // who has the claim
};

}  // namespace vta::remote
