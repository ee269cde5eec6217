// What a process that uses a virtual board and the board's process tell each other, over a local
// socket that keeps the limits of messages. Plain types: both sides are on one machine.
#pragma once

#include <cstdint>

namespace vta::sim {

/// The variable with the folder that stands for / of the board; the preloaded library acts on files
/// below it.
inline constexpr const char* kBoardVariable = "VTA_VIRTUAL_BOARD";
inline constexpr const char* kBoardSocket = ".board/socket";  ///< below that folder
/// Where it is there, the UIO device has no interrupt, and the kernel refuses to enable it.
inline constexpr const char* kBoardNoInterrupt = ".board/no-interrupt";

/// The first message of a connection. Of a connection for interrupts, all that follow are 32-bit
/// words as UIO has them: to the board 1 to enable and 0 to disable, from it the count.
enum class BoardChannel : uint32_t { kInterrupts, kRequests };

/// From the driver's process to the board.
struct BoardRequest {
  /// What is asked for.
  enum class Kind : uint32_t {
    kReadRegister,
    kWriteRegister,
    kSyncForDevice,
    kSyncForCpu,
    kProgram,  // the FPGA, with the file that the manager's attribute names
  };
  Kind kind = Kind::kReadRegister;  ///< decides which of the others count
  uint32_t value = 0;               ///< of a register
  uint64_t offset = 0;              ///< of a register, or of the memory
  uint64_t size_bytes = 0;          ///< of the memory
};

/// The answer to each request, in their order.
struct BoardReply {
  uint32_t value = 0;  ///< of a register that was read
  int32_t error = 0;   ///< an errno
};

}  // namespace vta::sim
