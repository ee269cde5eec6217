#include "sim/card/kernel_commands.h"

#include <ert.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace vta::sim {
namespace {

// Registers of ap_ctrl_chain (docs/boards.md).
constexpr uint32_t kControl = 0x0, kGlobalEnable = 0x4, kEnable = 0x8, kStatus = 0xc;
constexpr uint32_t kFirstArgument = 0x10;
constexpr uint32_t kStart = 1, kDone = 2, kContinue = 16;

constexpr size_t kWordBytes = sizeof(uint32_t);
/// Header and first mask of kernels; the registers' values follow the masks.
constexpr size_t kHeaderWords = 1;
constexpr size_t kKernelsOfMask = 32;

uint32_t wordAt(std::span<const std::byte> packet, size_t index) {
  uint32_t word = 0;
  std::memcpy(&word, packet.data() + index * kWordBytes, kWordBytes);
  return word;
}

ert_start_kernel_cmd headerOf(std::span<const std::byte> packet) {
  ert_start_kernel_cmd header = {};
  std::memcpy(&header, packet.data(), kWordBytes);
  return header;
}

void setState(std::span<std::byte> packet, ert_cmd_state state) {
  ert_start_kernel_cmd header = headerOf(packet);
  header.state = state;
  std::memcpy(packet.data(), &header, kWordBytes);
}

}  // namespace

int KernelCommands::submit(std::span<std::byte> packet) {
  if (packet.size() < 2 * kWordBytes) return EINVAL;
  const ert_start_kernel_cmd header = headerOf(packet);
  const bool fits = packet.size() >= (kHeaderWords + header.count) * kWordBytes;
  if (header.opcode != ERT_START_CU || !fits || header.count <= header.extra_cu_masks)
    return EINVAL;
  packets_.push_back(packet);
  setState(packet, ERT_CMD_STATE_QUEUED);
  if (packets_.size() > 1) return 0;
  return start(packet);
}

/// Writes the arguments and starts the first of the kernels that may take the command.
int KernelCommands::start(std::span<std::byte> packet) {
  const ert_start_kernel_cmd header = headerOf(packet);
  const size_t masks = 1 + header.extra_cu_masks;
  size_t kernel = 0;
  size_t mask = 0;
  while (mask < masks && wordAt(packet, kHeaderWords + mask) == 0) ++mask;
  if (mask < masks) {
    kernel = mask * kKernelsOfMask +
             static_cast<size_t>(std::countr_zero(wordAt(packet, kHeaderWords + mask)));
  }
  int error = mask == masks ? EINVAL : card_.kernelAddress(kernel, kernel_address_);
  if (error == 0) error = write(kGlobalEnable, 1);
  if (error == 0) error = write(kEnable, 1);
  const size_t first_value = kHeaderWords + masks;
  const size_t values = header.count - masks;
  for (size_t i = kFirstArgument / kWordBytes; error == 0 && i < values; ++i) {
    error = write(static_cast<uint32_t>(i * kWordBytes), wordAt(packet, first_value + i));
  }
  if (error == 0) error = write(kControl, kStart);
  setState(packet, error == 0 ? ERT_CMD_STATE_RUNNING : ERT_CMD_STATE_ERROR);
  return 0;
}

bool KernelCommands::advance() {
  if (packets_.empty()) return false;
  const bool has_failed = headerOf(packets_.front()).state == ERT_CMD_STATE_ERROR;
  if (!has_failed && !card_.awaitInterrupt()) return false;
  const int error = has_failed ? EIO : finish();
  setState(packets_.front(), error == 0 ? ERT_CMD_STATE_COMPLETED : ERT_CMD_STATE_ERROR);
  packets_.pop_front();
  if (!packets_.empty()) start(packets_.front());
  return true;
}

/// What XRT's driver does in the interrupt.
int KernelCommands::finish() {
  uint32_t control = 0;
  uint32_t status = 0;
  int error = read(kControl, control);
  if (error == 0 && (control & kDone) == 0) error = EIO;
  if (error == 0) error = write(kControl, kContinue);
  if (error == 0) error = read(kStatus, status);
  if (error == 0) error = write(kStatus, status);
  return error;
}

int KernelCommands::write(uint32_t offset, uint32_t value) {
  return card_.write(kernel_address_ + offset, value);
}

int KernelCommands::read(uint32_t offset, uint32_t& value) {
  return card_.read(kernel_address_ + offset, value);
}

}  // namespace vta::sim
