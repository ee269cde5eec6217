#include "driver/xrt/card.h"

#include <experimental/xrt_system.h>
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "driver/xrt/container.h"
#include "driver/xrt/guard.h"

namespace vta::driver {
namespace {

using Clock = std::chrono::steady_clock;

/// Errors: kNotFound.
Result<xrt::device> openDevice(const CardOptions& options) {
  // The first use of XRT loads the library that knows the cards.
  const auto started =
      guarded(StatusCode::kNotFound, [] { return xrt::system::enumerate_devices(); });
  if (!started.ok()) {
    return started.status().withContext(
        "XRT does not start; set XILINX_XRT to the folder with XRT's lib folder in it, as its "
        "setup.sh does (docs/xrt.md)");
  }
  auto device = guarded(StatusCode::kNotFound, [&] { return xrt::device(options.card); });
  if (device.ok()) return device;
  return device.status().withContext(fmt::format(
      "XRT finds no card {}; 'xbutil examine' lists those that there are; without any, look at the "
      "card's driver (xocl) and at this user's permission for it",
      options.card));
}

Result<xrt::uuid> loadContainer(xrt::device& device, const xrt::xclbin& container,
                                const CardOptions& options, const std::string& card_name) {
  auto uuid = guarded(StatusCode::kInvalidArgument, [&] { return device.load_xclbin(container); });
  if (uuid.ok()) return uuid;
  return uuid.status().withContext(fmt::format(
      "card {} ('{}') refuses {}, a container for '{}'; link it for the card's platform, and end "
      "other processes that use the card",
      options.card, card_name, options.container, container.get_xsa_name()));
}

/// Whether the IP "kernel:instance" is meant by its whole name, or by a part of it.
bool isCalled(const std::string& ip, const std::string& wanted) {
  if (wanted.empty()) return ip.starts_with("vta");
  const size_t colon = std::min(ip.find(':'), ip.size());
  return ip == wanted || ip.substr(0, colon) == wanted ||
         (colon < ip.size() && ip.substr(colon + 1) == wanted);
}

template <typename Item>
std::string listed(const std::vector<Item>& items, std::string (*nameOf)(const Item&)) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ", ") + nameOf(item);
  return text.empty() ? "none" : text;
}

std::string ipName(const xrt::xclbin::ip& ip) { return ip.get_name(); }
std::string memoryName(const xrt::xclbin::mem& memory) { return memory.get_tag(); }

Result<xrt::xclbin::ip> findIp(const xrt::xclbin& container, const CardOptions& options) {
  const std::vector<xrt::xclbin::ip> ips = container.get_ips();
  std::vector<xrt::xclbin::ip> found;
  for (const xrt::xclbin::ip& ip : ips) {
    if (isCalled(ip.get_name(), options.ip)) found.push_back(ip);
  }
  if (found.size() == 1) return found[0];
  const std::string wanted = options.ip.empty() ? "vta..." : options.ip;
  if (found.empty()) {
    return notFound(fmt::format(
        "no kernel in {} is called '{}'; there are: {}; link vta.xo into it, or choose one with "
        "ip=<name>",
        options.container, wanted, listed(ips, ipName)));
  }
  return invalidArgument(
      fmt::format("several kernels in {} are called '{}': {}; choose one with "
                  "ip=<name>",
                  options.container, wanted, listed(found, ipName)));
}

/// A kernel that XRT starts has other registers than the core.
Status checkControl(const xrt::xclbin::ip& ip, const CardOptions& options) {
  if (ip.get_control_type() != xrt::xclbin::ip::control_type::chain) return {};
  return unsupported(fmt::format(
      "the kernel {} in {} is one that XRT starts (ap_ctrl_chain), for host programs of "
      "your own; build the kernel with --control user_managed (docs/boards.md)",
      ip.get_name(), options.container));
}

/// Memories that an argument of the kernel is connected with, each once.
std::vector<xrt::xclbin::mem> memoriesOf(const xrt::xclbin::ip& ip) {
  std::vector<xrt::xclbin::mem> memories;
  for (const xrt::xclbin::arg& arg : ip.get_args()) {
    for (const xrt::xclbin::mem& memory : arg.get_mems()) {
      const bool is_known = std::ranges::any_of(
          memories, [&](const auto& other) { return other.get_index() == memory.get_index(); });
      if (!is_known && memory.get_used()) memories.push_back(memory);
    }
  }
  return memories;
}

Result<CardBank> findBank(const xrt::xclbin::ip& ip, const CardOptions& options) {
  const std::vector<xrt::xclbin::mem> memories = memoriesOf(ip);
  const auto found = std::ranges::find_if(memories, [&](const xrt::xclbin::mem& memory) {
    return options.memory.empty() || memory.get_tag() == options.memory;
  });
  if (found != memories.end()) {
    return CardBank{found->get_tag(), static_cast<xrt::memory_group>(found->get_index()),
                    found->get_size_kb() << 10};
  }
  return notFound(fmt::format(
      "the kernel {} in {} reaches no memory '{}'; there are: {}; link with 'sp=' (vta.cfg), or "
      "choose one with memory=<name>",
      ip.get_name(), options.container, options.memory.empty() ? "..." : options.memory,
      listed(memories, memoryName)));
}

/// As XRT wants it to be called: "kernel:{instance}".
std::string nameForXrt(const std::string& ip) {
  const size_t colon = ip.find(':');
  if (colon == std::string::npos) return ip;
  return ip.substr(0, colon) + ":{" + ip.substr(colon + 1) + "}";
}

/// Opens the core for this process alone. XRT has no way to wait for another one.
Result<xrt::ip> openIp(const xrt::device& device, const xrt::uuid& uuid, const std::string& name,
                       const CardOptions& options) {
  const Clock::time_point deadline = Clock::now() + options.lock_timeout;
  for (;;) {
    auto ip =
        guarded(StatusCode::kNotFound, [&] { return xrt::ip(device, uuid, nameForXrt(name)); });
    if (ip.ok()) return ip;
    const bool is_in_use = ip.status().code() == StatusCode::kResourceExhausted;
    if (!is_in_use || Clock::now() >= deadline) {
      return ip.status().withContext(fmt::format(
          "the kernel {} of card {} cannot be opened{}", name, options.card,
          is_in_use ? ": another process has it, which 'xbutil examine' shows; wait for it with "
                      "lock-wait=<ms>"
                    : ""));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

Result<Card> openCard(const CardOptions& options) {
  VTA_ASSIGN_OR_RETURN(const xrt::xclbin container, readContainer(options.container));
  Card card;
  VTA_ASSIGN_OR_RETURN(card.device, openDevice(options));
  VTA_ASSIGN_OR_RETURN(card.name, guarded(StatusCode::kIoError, [&] {
                         return card.device.get_info<xrt::info::device::name>();
                       }));
  VTA_ASSIGN_OR_RETURN(const xrt::xclbin::ip ip, findIp(container, options));
  VTA_RETURN_IF_ERROR(checkControl(ip, options));
  VTA_ASSIGN_OR_RETURN(card.bank, findBank(ip, options));
  card.ip_name = ip.get_name();
  VTA_ASSIGN_OR_RETURN(const xrt::uuid uuid,
                       loadContainer(card.device, container, options, card.name));
  VTA_ASSIGN_OR_RETURN(xrt::ip opened, openIp(card.device, uuid, card.ip_name, options));
  card.registers = std::make_unique<CardRegisters>(std::move(opened));
  return card;
}

}  // namespace vta::driver
