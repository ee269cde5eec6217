#include "sim/board/virtual_board.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "isa/registers/registers.h"
#include "sim/board/board_files.h"
#include "sim/board/fpga_manager.h"
#include "sim/board/store_faults.h"

namespace vta::sim {
namespace {

constexpr int kGoneExitCode = 3;
/// Of a range that is synchronised, the lines that a fault of the cache leaves out.
constexpr uint64_t kStaleLines = 2;
/// Ranges with fewer lines have no such fault: they are mostly instructions.
constexpr uint64_t kLeastLines = 8;

}  // namespace

VirtualBoard::VirtualBoard(const HwConfig& hw, const VirtualBoardOptions& options)
    : hw_(hw), options_(options), random_(options.seed) {}

VirtualBoard::~VirtualBoard() { hangUp(); }

void VirtualBoard::hangUp() {
  for (const Client& client : clients_) close(client.descriptor);
  clients_.clear();
  if (listener_ >= 0) close(listener_);
  listener_ = -1;
}

Result<std::unique_ptr<VirtualBoard>> VirtualBoard::create(const HwConfig& hw,
                                                           const VirtualBoardOptions& options) {
  std::unique_ptr<VirtualBoard> board(new VirtualBoard(hw, options));
  VTA_RETURN_IF_ERROR(makeBoardFiles(options));
  VTA_ASSIGN_OR_RETURN(board->memory_,
                       CachedMemory::create(options.folder / "dev/udmabuf0", options.memory_address,
                                            options.memory_bytes, options.is_coherent));
  VTA_RETURN_IF_ERROR(board->makeCore());
  VTA_RETURN_IF_ERROR(board->listen());
  return board;
}

Status VirtualBoard::makeCore() {
  const auto make = options_.has_four_blocks ? makeFourBlockCore
                    : options_.use_rtl       ? makeRtlCore
                                             : makeModelCore;
  VTA_ASSIGN_OR_RETURN(core_, make(hw_, *memory_));
  return {};
}

Status VirtualBoard::listen() {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = (options_.folder / kBoardSocket).string();
  if (path.size() >= sizeof(address.sun_path)) {
    return invalidArgument(fmt::format("the folder's name is too long for a socket: {}", path));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  unlink(path.c_str());
  listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const bool listens =
      listener_ >= 0 &&
      bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
      chmod(path.c_str(), 0666) == 0 && ::listen(listener_, 16) == 0;
  // Who may use the board is decided by the device files.
  if (listens) return {};
  return ioError(fmt::format("{}: {}", path, std::strerror(errno)));
}

Status VirtualBoard::serve(int stop_descriptor) {
  Status served = serveUntilStopped(stop_descriptor);
  // Nobody waits for the answers of a board that has failed.
  if (!served.ok()) hangUp();
  return served;
}

Status VirtualBoard::serveUntilStopped(int stop_descriptor) {
  for (bool stops = false; !stops;) {
    VTA_RETURN_IF_ERROR(pollOnce(stop_descriptor, stops));
    if (!core_->isBusy() || stuck_) continue;
    // A core that hangs is stuck, as it would be on a board.
    if (!core_->advance().ok()) stuck_ = true;
    if (!core_->isBusy()) endLaunch();
    updateInterrupt();
  }
  return {};
}

Status VirtualBoard::pollOnce(int stop_descriptor, bool& stops) {
  std::vector<pollfd> wanted = {{stop_descriptor, POLLIN, 0}, {listener_, POLLIN, 0}};
  for (const Client& client : clients_) wanted.push_back({client.descriptor, POLLIN, 0});
  const bool works = core_->isBusy() && !stuck_;
  if (poll(wanted.data(), wanted.size(), works ? 0 : -1) < 0 && errno != EINTR) {
    return ioError(fmt::format("poll: {}", std::strerror(errno)));
  }
  VTA_RETURN_IF_ERROR(memory_->check());
  stops = wanted[0].revents != 0;
  for (size_t i = 0; i < clients_.size(); ++i) {
    if (wanted[i + 2].revents == 0 || serveClient(clients_[i])) continue;
    close(clients_[i].descriptor);
    clients_[i].descriptor = -1;
  }
  std::erase_if(clients_, [](const Client& client) { return client.descriptor < 0; });
  if ((wanted[1].revents & POLLIN) != 0) accept();
  return {};
}

void VirtualBoard::accept() {
  const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor >= 0) clients_.push_back({descriptor});
}

/// False when the client is gone.
bool VirtualBoard::serveClient(Client& client) {
  if (client.is_greeted) {
    return client.channel == BoardChannel::kInterrupts ? serveInterrupts(client)
                                                       : serveRequest(client);
  }
  client.is_greeted = true;
  return recv(client.descriptor, &client.channel, sizeof(client.channel), 0) ==
         sizeof(client.channel);
}

bool VirtualBoard::serveInterrupts(const Client& client) {
  uint32_t word = 0;
  if (recv(client.descriptor, &word, sizeof(word), 0) != sizeof(word)) return false;
  irq_enabled_ = word != 0;
  updateInterrupt();
  return true;
}

bool VirtualBoard::serveRequest(const Client& client) {
  BoardRequest request;
  if (recv(client.descriptor, &request, sizeof(request), 0) != sizeof(request)) return false;
  const BoardReply reply = answer(request);
  updateInterrupt();
  return send(client.descriptor, &reply, sizeof(reply), MSG_NOSIGNAL) == sizeof(reply);
}

BoardReply VirtualBoard::answer(const BoardRequest& request) {
  const auto offset = static_cast<uint32_t>(request.offset);
  switch (request.kind) {
    case BoardRequest::Kind::kReadRegister: {
      const auto stuck = stuck_ ? core_->readStuck(offset) : std::nullopt;
      if (stuck) return {*stuck, 0};
      if (drains_ && offset == reg::kStatus) return {reg::kStatusDraining, 0};
      if (options_.id && offset == reg::kId) return {*options_.id, 0};
      const auto value = core_->read(offset);
      return {value.ok() ? *value : ~uint32_t{0}, 0};
    }
    case BoardRequest::Kind::kWriteRegister:
      return writeRegister(offset, request.value);
    case BoardRequest::Kind::kSyncForDevice:
    case BoardRequest::Kind::kSyncForCpu:
      return synchronise(request);
    case BoardRequest::Kind::kProgram:
      return program();
  }
  return {0, EINVAL};
}

BoardReply VirtualBoard::writeRegister(uint32_t offset, uint32_t value) {
  const BoardCore::Start start = core_->startOf(offset, value);
  const bool starts = start != BoardCore::Start::kNone;
  if (core_->givesUp(offset, value)) giveUp();
  // The launch waits for the memory.
  if (starts && drains_) stuck_ = true;
  if (starts && !stuck_) {
    launch_is_real_ = start == BoardCore::Start::kLaunch;
    if (launch_is_real_) startLaunch();
  }
  if (stuck_) return {};
  static_cast<void>(core_->write(offset, value));
  if (starts && has(BoardFaultKind::kReset)) core_->reset();
  if (starts && !core_->isBusy()) endLaunch();
  return {};
}

/// The core is idle, whatever the launch did.
void VirtualBoard::giveUp() {
  drains_ = drains_ || (stuck_ && has(BoardFaultKind::kDeadBus));
  stuck_ = false;
  launch_is_real_ = false;
  before_.clear();
}

/// New logic, even where the old one was stuck.
BoardReply VirtualBoard::program() {
  const int error = programLogic(options_.folder);
  if (error != 0) return {0, error};
  giveUp();
  drains_ = false;
  core_->reset();
  if (!options_.programmed_hw) return {};
  hw_ = *options_.programmed_hw;
  return {0, makeCore().ok() ? 0 : EIO};
}

BoardReply VirtualBoard::synchronise(const BoardRequest& request) {
  if (!memory_->contains(request.offset, request.size_bytes)) return {0, EINVAL};
  const bool to_device = request.kind == BoardRequest::Kind::kSyncForDevice;
  // What is flushed now is for the launch that comes next.
  const auto kind = to_device ? BoardFaultKind::kStaleDevice : BoardFaultKind::kStaleCpu;
  const uint64_t launch = to_device ? launch_ + 1 : launch_;
  const bool is_stale = std::ranges::any_of(options_.faults, [&](const BoardFault& each) {
    return each.kind == kind && each.isIn(launch);
  });
  const auto synchroniseRange = [&](uint64_t offset, uint64_t size_bytes) {
    if (to_device) memory_->writeBack(offset, size_bytes);
    if (!to_device) memory_->invalidate(offset, size_bytes);
  };
  constexpr uint64_t kLineBytes = CachedMemory::kLineBytes;
  const uint64_t lines = request.size_bytes / kLineBytes;
  if (!is_stale || lines < kLeastLines) {
    synchroniseRange(request.offset, request.size_bytes);
    return {};
  }
  // All but some lines in the middle.
  const uint64_t first = request.offset + lines / 2 * kLineBytes;
  const uint64_t behind = first + kStaleLines * kLineBytes;
  synchroniseRange(request.offset, first - request.offset);
  synchroniseRange(behind, request.offset + request.size_bytes - behind);
  return {};
}

bool VirtualBoard::has(BoardFaultKind kind) const {
  return launch_is_real_ && std::ranges::any_of(options_.faults, [&](const BoardFault& fault) {
           return fault.kind == kind && fault.isIn(launch_);
         });
}

void VirtualBoard::startLaunch() {
  ++launch_;
  if (has(BoardFaultKind::kGone)) std::_Exit(kGoneExitCode);
  stuck_ = has(BoardFaultKind::kStuck) || has(BoardFaultKind::kDeadBus);
  core_->setBusError(has(BoardFaultKind::kBusError));
  const bool breaks_gemm = has(BoardFaultKind::kArithmetic);
  const std::optional<ArithmeticFault> arithmetic =
      breaks_gemm ? std::optional(ArithmeticFault{0, 1, 4}) : std::nullopt;
  const bool core_breaks = core_->setArithmeticFault(arithmetic);
  const bool stores_break = has(BoardFaultKind::kTruncated) || has(BoardFaultKind::kWrongAddress) ||
                            (breaks_gemm && !core_breaks);
  before_.clear();
  if (stores_break) before_.assign(memory_->data(), memory_->data() + memory_->sizeBytes());
}

void VirtualBoard::endLaunch() {
  if (!launch_is_real_) return;
  if (!before_.empty()) corruptStores();
  memory_->evictSome(random_);
}

void VirtualBoard::corruptStores() {
  const std::span<std::byte> now(memory_->data(), memory_->sizeBytes());
  if (has(BoardFaultKind::kTruncated)) {
    truncateStores(now, before_);
  } else if (has(BoardFaultKind::kWrongAddress)) {
    displaceStores(now, before_);
  } else {
    flipStoredBit(now, before_);
  }
  before_.clear();
}

// The line is level-triggered; like the kernel's UIO, the board blocks it until the driver enables
// it again.
void VirtualBoard::updateInterrupt() {
  if (!core_->interrupt() || !irq_enabled_) return;
  irq_enabled_ = false;
  ++irq_count_;
  if (!options_.interrupt_is_connected || has(BoardFaultKind::kLostInterrupt)) return;
  for (const Client& client : clients_) {
    const bool listens = client.is_greeted && client.channel == BoardChannel::kInterrupts;
    if (listens) send(client.descriptor, &irq_count_, sizeof(irq_count_), MSG_NOSIGNAL);
  }
}

}  // namespace vta::sim
