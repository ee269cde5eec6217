#include "sim/card/virtual_card.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "isa/registers/registers.h"
#include "sim/card/chained_core.h"

namespace vta::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kRegisterWindowBytes = 4096;  // of registers
/// Of a kernel that XRT starts: the register that tells the end.
constexpr uint32_t kChainControl = 0;
/// How long one read of the status may carry a launch on.
constexpr std::chrono::milliseconds kSlice{20};

}  // namespace

int VirtualCard::load(const CardImage& image) {
  if (image.platform != kCardPlatform) return EINVAL;
  if (core_ != nullptr && image.uuid == image_.uuid) return 0;
  const bool is_in_use =
      std::ranges::any_of(users_, [](const Users& users) { return users.count > 0; });
  if (is_in_use) return EBUSY;
  const auto hw = parseHwConfig(image.hw_yaml, "the container");
  if (!hw.ok()) return EINVAL;
  core_.reset();
  stuck_ = drains_ = false;
  memory_ = CardMemory::create(image.banks);
  if (memory_ == nullptr) return ENOMEM;
  auto core = settings_.use_rtl ? makeRtlCore(*hw, *memory_) : makeModelCore(*hw, *memory_);
  if (!core.ok()) return EINVAL;
  const bool is_chained = image.control == KernelControl::kApCtrlChain;
  core_ = is_chained ? makeChainedCore(*std::move(core)) : *std::move(core);
  image_ = image;
  users_.assign(image.kernel_addresses.size(), Users());
  return 0;
}

int VirtualCard::openKernel(size_t index, bool is_shared) {
  if (index >= users_.size()) return EINVAL;
  Users& users = users_[index];
  if (users.count > 0 && !(users.is_shared && is_shared)) return EBUSY;
  users = {users.count + 1, is_shared};
  return 0;
}

int VirtualCard::closeKernel(size_t index) {
  if (index >= users_.size() || users_[index].count == 0) return EINVAL;
  --users_[index].count;
  return 0;
}

int VirtualCard::kernelAddress(size_t index, uint64_t& address) const {
  if (index >= image_.kernel_addresses.size()) return EINVAL;
  address = image_.kernel_addresses[index];
  return 0;
}

bool VirtualCard::awaitInterrupt() {
  if (core_ == nullptr) return false;
  if (!core_->interrupt()) advance();
  return core_->interrupt();
}

/// Of a register of the core.
std::optional<uint32_t> VirtualCard::coreOffset(uint64_t address) const {
  if (core_ == nullptr || image_.kernel_addresses.empty()) return std::nullopt;
  const uint64_t begin = image_.kernel_addresses[0];
  if (address < begin || address - begin >= kRegisterWindowBytes) return std::nullopt;
  return static_cast<uint32_t>(address - begin);
}

int VirtualCard::read(uint64_t address, uint32_t& value) {
  if (gone_) return EIO;
  const auto offset = coreOffset(address);
  if (!offset) return EINVAL;
  const bool is_user_managed = image_.control == KernelControl::kUserManaged;
  if (*offset == (is_user_managed ? reg::kStatus : kChainControl)) advance();
  if (stuck_ && *offset == reg::kStatus) {
    value = reg::kStatusRunning;
    return 0;
  }
  if (drains_ && *offset == reg::kStatus) {
    value = reg::kStatusDraining;
    return 0;
  }
  const auto read = core_->read(*offset);
  value = read.ok() ? *read : ~uint32_t{0};
  return 0;
}

int VirtualCard::write(uint64_t address, uint32_t value) {
  if (gone_) return EIO;
  const auto offset = coreOffset(address);
  if (!offset) return EINVAL;
  const bool is_user_managed = image_.control == KernelControl::kUserManaged;
  if (is_user_managed && core_->givesUp(*offset, value)) {
    drains_ = drains_ || (stuck_ && has(BoardFaultKind::kDeadBus));
    stuck_ = false;
  }
  if (stuck_) return 0;
  if (*offset == reg::kInsnAddr) {
    instruction_address_ = (instruction_address_ & ~uint64_t{0xffffffff}) | value;
  }
  if (*offset == reg::kInsnAddrHi) {
    instruction_address_ = (instruction_address_ & 0xffffffff) | uint64_t{value} << 32;
  }
  const bool starts = is_user_managed && *offset == reg::kControl &&
                      (value & reg::kControlLaunch) != 0 && !core_->isBusy() && launchIsReal();
  if (starts && drains_) {  // the launch waits for the memory
    stuck_ = true;
    return 0;
  }
  if (starts) {
    const int error = startLaunch();
    if (error != 0) return error;
  }
  if (!core_->write(*offset, value).ok()) return EIO;
  if (starts && has(BoardFaultKind::kReset)) core_->reset();
  return 0;
}

int VirtualCard::startLaunch() {
  ++launch_;
  gone_ = has(BoardFaultKind::kGone);
  if (gone_) return EIO;
  stuck_ = has(BoardFaultKind::kStuck) || has(BoardFaultKind::kDeadBus);
  core_->setBusError(has(BoardFaultKind::kBusError));
  const std::optional<ArithmeticFault> fault =
      has(BoardFaultKind::kArithmetic) ? std::optional(ArithmeticFault{0, 1, 4}) : std::nullopt;
  core_->setArithmeticFault(fault);
  return 0;
}

bool VirtualCard::has(BoardFaultKind kind) const {
  return std::ranges::any_of(settings_.faults, [&](const BoardFault& fault) {
    return fault.kind == kind && fault.isIn(launch_);
  });
}

void VirtualCard::advance() {
  const Clock::time_point end = Clock::now() + kSlice;
  while (core_->isBusy() && !stuck_ && Clock::now() < end) {
    // A core that hangs is stuck, as it would be on a card.
    if (!core_->advance().ok()) stuck_ = true;
  }
}

}  // namespace vta::sim
