#include "driver/xrt/xrt_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "driver/board/core.h"

namespace vta::driver {

Result<std::unique_ptr<Device>> XrtDevice::create(const HwConfig& hw, const CardOptions& options) {
  VTA_ASSIGN_OR_RETURN(Card card, openCard(options));
  const Capabilities capabilities = {
      .values = true, .cycles = true, .mappable_memory = true, .fixed_addresses = false};
  const DeviceInfo info{fmt::format("xrt:{}", options.card), hw, capabilities,
                        "XRT decides where buffers lie."};
  const std::string ip_name = card.ip_name;
  std::unique_ptr<XrtDevice> device(new XrtDevice(info, options, std::move(card)));
  VTA_RETURN_IF_ERROR(
      device->identify().withContext(fmt::format("kernel {} of card {}", ip_name, options.card)));
  VTA_RETURN_IF_ERROR(device->probeIdle());
  const bool is_proven = device->isProven();
  device->core().initialise();
  VTA_RETURN_IF_ERROR(device->accessStatus());
  VTA_RETURN_IF_ERROR(device->meet(options.first_contact, is_proven).withContext(info.name));
  return std::unique_ptr<Device>(std::move(device));
}

Result<HwConfig> XrtDevice::configuration(const CardOptions& options) {
  VTA_ASSIGN_OR_RETURN(const Card card, openCard(options));
  auto hw = Core(*card.registers).configuration();
  VTA_RETURN_IF_ERROR(card.registers->status());
  return hw.ok() ? std::move(hw)
                 : hw.status().withContext(
                       fmt::format("kernel {} of card {}", card.ip_name, options.card));
}

XrtDevice::XrtDevice(const DeviceInfo& info, const CardOptions& options, Card card)
    : XrtDevice(info, options, std::move(card), *card.registers) {}

XrtDevice::XrtDevice(const DeviceInfo& info, const CardOptions& options, Card&& card,
                     const CardRegisters& registers)
    : CoreDevice(info, std::make_unique<Core>(std::move(card.registers)), options.busy_timeout),
      registers_(registers),
      memory_(std::move(card.device), std::move(card.bank), info.hw.params().axi_addr_width_bits) {}

Result<DeviceBuffer> XrtDevice::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer, memory_.allocate(size_bytes, alignment_bytes));
  std::memset(memory_.hostAddress(buffer.address), 0, size_bytes);
  VTA_RETURN_IF_ERROR(memory_.copyToCard(buffer.address, size_bytes));
  return buffer;
}

Status XrtDevice::write(uint64_t address, std::span<const std::byte> data) {
  VTA_RETURN_IF_ERROR(memory_.checkRange(address, data.size()));
  // The core may have written the other bytes of the first and of the last line.
  constexpr uint64_t kLineBytes = CardMemory::kLineBytes;
  if (address % kLineBytes != 0) VTA_RETURN_IF_ERROR(memory_.copyFromCard(address, 1));
  const uint64_t end = address + data.size();
  const bool shares_last_line = end % kLineBytes != 0 && end != memory_.bufferEnd(address);
  if (shares_last_line) VTA_RETURN_IF_ERROR(memory_.copyFromCard(end - 1, 1));
  std::memcpy(memory_.hostAddress(address), data.data(), data.size());
  return memory_.copyToCard(address, data.size());
}

Status XrtDevice::read(uint64_t address, std::span<std::byte> data) {
  VTA_RETURN_IF_ERROR(memory_.checkRange(address, data.size()));
  VTA_RETURN_IF_ERROR(memory_.copyFromCard(address, data.size()));
  std::memcpy(data.data(), memory_.hostAddress(address), data.size());
  return {};
}

std::byte* XrtDevice::map(const DeviceBuffer& buffer) {
  if (!memory_.checkRange(buffer.address, buffer.size_bytes).ok()) return nullptr;
  return memory_.hostAddress(buffer.address);
}

Status XrtDevice::flush(uint64_t address, uint64_t size_bytes) {
  VTA_RETURN_IF_ERROR(memory_.checkRange(address, size_bytes));
  return memory_.copyToCard(address, size_bytes);
}

Status XrtDevice::invalidate(uint64_t address, uint64_t size_bytes) {
  VTA_RETURN_IF_ERROR(memory_.checkRange(address, size_bytes));
  return memory_.copyFromCard(address, size_bytes);
}

Status XrtDevice::sleep(Time start, Time deadline) {
  sleepBetweenPolls(start, deadline);
  return {};
}

}  // namespace vta::driver
