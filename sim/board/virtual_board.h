// A board that is a process: the core, memory behind a cache, an interrupt controller, and the
// files below /sys and /dev that a driver opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/board/board_core.h"
#include "sim/board/board_faults.h"
#include "sim/board/cached_memory.h"
#include "sim/board/protocol.h"
#include "sim/random/rng.h"

namespace vta::sim {

/// What the board is like, and what goes wrong on it.
struct VirtualBoardOptions {
  std::filesystem::path folder;           ///< that stands for /; what is in it may be replaced
  bool use_rtl = false;                   ///< instead of the models
  std::optional<HwConfig> programmed_hw;  ///< of the core that programming the FPGA loads
  bool has_four_blocks = false;           ///< the registers of VTA 0.0.2, with models behind them
  bool is_coherent = false;               ///< the accelerator's port sees what is in the cache
  uint64_t memory_bytes = uint64_t{64} << 20;  ///< of the contiguous memory
  uint64_t memory_address = 0x1000'0000;  ///< of the contiguous memory, as the accelerator sees it
  uint64_t clock_hz = 100'000'000;        ///< that the files of the clock show
  bool interrupt_is_connected = true;     ///< false: no launch is announced
  std::optional<uint32_t> id;             ///< that register id reads as, in place of the core's
  std::vector<BoardFault> faults;         ///< any number, for different launches
  uint64_t seed = 1;                      ///< of what faults hit
};

/// Drivers are cut off when it ends; its files stay.
class VirtualBoard {
 public:
  /// Makes the files and listens. Errors: a folder that cannot be written; those of the core.
  static Result<std::unique_ptr<VirtualBoard>> create(const HwConfig& hw,
                                                      const VirtualBoardOptions& options);
  ~VirtualBoard();
  VirtualBoard(const VirtualBoard&) = delete;
  VirtualBoard& operator=(const VirtualBoard&) = delete;

  /// Serves drivers until `stop_descriptor` can be read. Errors: kIoError; the drivers are cut
  /// off then, as by a board without power.
  Status serve(int stop_descriptor);

 private:
  struct Client {
    int descriptor = -1;
    bool is_greeted = false;
    BoardChannel channel = BoardChannel::kRequests;
  };

  VirtualBoard(const HwConfig& hw, const VirtualBoardOptions& options);
  Status makeCore();
  Status listen();
  Status serveUntilStopped(int stop_descriptor);
  Status pollOnce(int stop_descriptor, bool& stops);
  void hangUp();
  void accept();
  bool serveClient(Client& client);
  bool serveInterrupts(const Client& client);
  bool serveRequest(const Client& client);
  BoardReply answer(const BoardRequest& request);
  BoardReply writeRegister(uint32_t offset, uint32_t value);
  void giveUp();
  BoardReply program();
  BoardReply synchronise(const BoardRequest& request);
  void startLaunch();
  void endLaunch();
  void corruptStores();
  void updateInterrupt();
  bool has(BoardFaultKind kind) const;

  HwConfig hw_;
  VirtualBoardOptions options_;
  std::unique_ptr<CachedMemory> memory_;
  std::unique_ptr<BoardCore> core_;
  Rng random_;
  std::vector<Client> clients_;
  int listener_ = -1;
  uint64_t launch_ = 0;  // the last one that was started
  bool launch_is_real_ = false;
  bool stuck_ = false;
  bool drains_ = false;  // a launch was given up, and the memory never answers
  bool irq_enabled_ = true;
  uint32_t irq_count_ = 0;
  std::vector<std::byte> before_;  // the memory before the launch, for faults of its stores
};

}  // namespace vta::sim
