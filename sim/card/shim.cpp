// The functions of XRT's driver interface, on virtual cards: cards, containers, registers. Their
// contracts are those of xrt.h; errors are negative numbers of errno.
#include "sim/card/shim.h"

#include <xclbin.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// Of XRT: its own object for a device, which its emulation makes when the device is opened and
// tells when a container is loaded. XRT installs no header with it.
namespace xrt_core {
class device {
 public:
  void register_axlf(const axlf* top);
};
namespace swemu {
std::shared_ptr<device> get_userpf_device(void* handle, unsigned number);
}
}  // namespace xrt_core

namespace vta::sim {

std::mutex& shimMutex() {
  static std::mutex mutex;
  return mutex;
}

namespace {

/// The settings of the process. Wrong ones leave no card.
CardSettings settings() {
  const char* text = std::getenv(kCardVariable);
  const auto parsed = parseCardSettings(text == nullptr ? "" : text);
  if (parsed.ok()) return *parsed;
  std::fprintf(stderr, "virtual card: %s\n", parsed.status().message().c_str());
  CardSettings none;
  none.cards = 0;
  return none;
}

/// The card with a number; it is gone when its last device is closed.
std::shared_ptr<VirtualCard> cardAt(uint32_t number, const CardSettings& settings) {
  static std::map<uint32_t, std::weak_ptr<VirtualCard>> cards;
  std::shared_ptr<VirtualCard> card = cards[number].lock();
  if (card != nullptr) return card;
  card = std::make_shared<VirtualCard>(settings);
  cards[number] = card;
  return card;
}

/// The bytes of a section; empty when the container has none.
std::string section(const axlf* top, axlf_section_kind kind) {
  const axlf_section_header* header = ::xclbin::get_axlf_section(top, kind);
  if (header == nullptr) return {};
  return {reinterpret_cast<const char*>(top) + header->m_sectionOffset, header->m_sectionSize};
}

/// The items of a section that begins with their number.
template <typename Item>
std::vector<Item> items(const std::string& section, size_t items_offset) {
  int32_t count = 0;
  if (section.size() < items_offset) return {};
  std::memcpy(&count, section.data(), sizeof(count));
  const auto fitting = (section.size() - items_offset) / sizeof(Item);
  if (count < 0 || static_cast<size_t>(count) > fitting) return {};
  std::vector<Item> all(static_cast<size_t>(count));
  if (count > 0) std::memcpy(all.data(), section.data() + items_offset, all.size() * sizeof(Item));
  return all;
}

CardImage imageOf(const axlf* top) {
  CardImage image;
  std::memcpy(image.uuid.data(), top->m_header.uuid, image.uuid.size());
  image.platform = reinterpret_cast<const char*>(top->m_header.m_platformVBNV);
  image.hw_yaml = section(top, BITSTREAM);
  for (const ip_data& ip :
       items<ip_data>(section(top, IP_LAYOUT), offsetof(ip_layout, m_ip_data))) {
    image.kernel_addresses.push_back(ip.m_base_address);
    const bool is_chained = (ip.properties & IP_CONTROL_MASK) >> IP_CONTROL_SHIFT == AP_CTRL_CHAIN;
    if (is_chained) image.control = KernelControl::kApCtrlChain;
  }
  for (const mem_data& memory :
       items<mem_data>(section(top, MEM_TOPOLOGY), offsetof(mem_topology, m_mem_data))) {
    image.banks.push_back(
        {reinterpret_cast<const char*>(memory.m_tag), memory.m_base_address, memory.m_size << 10});
  }
  return image;
}

}  // namespace
}  // namespace vta::sim

using vta::sim::ShimDevice;
using vta::sim::shimDevice;
using vta::sim::shimMutex;

extern "C" {

unsigned xclProbe() { return vta::sim::settings().cards; }

xclDeviceHandle xclOpen(unsigned number, const char*, xclVerbosityLevel) {
  const vta::sim::CardSettings settings = vta::sim::settings();
  if (number >= settings.cards) return nullptr;
  auto device = std::make_unique<ShimDevice>();
  {
    const std::scoped_lock lock(shimMutex());
    device->card = vta::sim::cardAt(number, settings);
    device->commands = std::make_unique<vta::sim::KernelCommands>(*device->card);
  }
  device->xrt_device = xrt_core::swemu::get_userpf_device(device.get(), number);
  return device.release();
}

void xclClose(xclDeviceHandle handle) {
  const std::scoped_lock lock(shimMutex());
  delete &shimDevice(handle);
}

int xclGetDeviceInfo2(xclDeviceHandle, xclDeviceInfo2* info) {
  *info = {};
  info->mMagic = 0x586c0c6c;
  std::strncpy(info->mName, vta::sim::kCardPlatform, sizeof(info->mName) - 1);
  info->mDataAlignment = 4096;
  info->mMinTransferSize = 4;
  info->mNumClocks = 1;
  info->mOCLFrequency[0] = 100;
  return 0;
}

int xclLoadXclBin(xclDeviceHandle handle, const axlf* top) {
  {
    const std::scoped_lock lock(shimMutex());
    const int error = shimDevice(handle).card->load(vta::sim::imageOf(top));
    if (error != 0) return -error;
  }
  shimDevice(handle).xrt_device->register_axlf(top);
  return 0;
}

int xclOpenContext(xclDeviceHandle handle, const xuid_t, unsigned kernel, bool is_shared) {
  // XRT opens no kernel by this number, but commands as such.
  if (kernel == ~0U) return 0;
  const std::scoped_lock lock(shimMutex());
  return -shimDevice(handle).card->openKernel(kernel, is_shared);
}

int xclCloseContext(xclDeviceHandle handle, const xuid_t, unsigned kernel) {
  if (kernel == ~0U) return 0;
  const std::scoped_lock lock(shimMutex());
  return -shimDevice(handle).card->closeKernel(kernel);
}

// xrt::kernel accesses registers by these two.
int xclRegRead(xclDeviceHandle handle, uint32_t kernel, uint32_t offset, uint32_t* value) {
  const std::scoped_lock lock(shimMutex());
  vta::sim::VirtualCard& card = *shimDevice(handle).card;
  uint64_t address = 0;
  const int error = card.kernelAddress(kernel, address);
  return -(error != 0 ? error : card.read(address + offset, *value));
}

int xclRegWrite(xclDeviceHandle handle, uint32_t kernel, uint32_t offset, uint32_t value) {
  const std::scoped_lock lock(shimMutex());
  vta::sim::VirtualCard& card = *shimDevice(handle).card;
  uint64_t address = 0;
  const int error = card.kernelAddress(kernel, address);
  return -(error != 0 ? error : card.write(address + offset, value));
}

// In software emulation, xrt::ip accesses registers by these two.
size_t xclRead(xclDeviceHandle handle, xclAddressSpace, uint64_t address, void* data, size_t size) {
  const std::scoped_lock lock(shimMutex());
  uint32_t value = 0;
  if (size != sizeof(value) || shimDevice(handle).card->read(address, value) != 0) return 0;
  std::memcpy(data, &value, sizeof(value));
  return size;
}

size_t xclWrite(xclDeviceHandle handle, xclAddressSpace, uint64_t address, const void* data,
                size_t size) {
  const std::scoped_lock lock(shimMutex());
  uint32_t value = 0;
  if (size != sizeof(value)) return 0;
  std::memcpy(&value, data, sizeof(value));
  return shimDevice(handle).card->write(address, value) == 0 ? size : 0;
}
}
