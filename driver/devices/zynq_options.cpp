#include "driver/devices/zynq_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "driver/board/attributes.h"
#include "isa/registers/four_block.h"

namespace vta::driver {
namespace {

std::string textOption(const DeviceOptions& options, std::string_view key) {
  const auto found = options.find(key);
  return found == options.end() ? std::string() : found->second;
}

/// "0x43c00000", or with four blocks "0x43c00000/0x43c20000/0x43c10000/0x43c30000".
Status parseAddresses(const DeviceOptions& options, std::string_view key, size_t most,
                      std::vector<uint64_t>& addresses) {
  if (!options.contains(key)) return {};
  const std::string text = textOption(options, key);
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('/', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!parseAddress(word, addresses.emplace_back())) {
      return invalidArgument(
          fmt::format("device 'zynq': {}={} is no address, such as 0x43c00000", key, text));
    }
    at = end + 1;
  }
  if (addresses.size() == 1 || addresses.size() == most) return {};
  return invalidArgument(fmt::format(
      "device 'zynq': {}={} has {} addresses; legal: one{}", key, text, addresses.size(),
      most > 1 ? ", or those of fetch, load, compute and store with / between them" : ""));
}

Status parseMap(const DeviceOptions& options, BoardOptions& parsed) {
  const std::string map = options.contains("map") ? textOption(options, "map") : "core";
  if (map != "core" && map != "four-block" && map != "single-block") {
    return invalidArgument(
        fmt::format("device 'zynq': map={}; legal: core, four-block, single-block", map));
  }
  if (options.contains("bus-offset") && map != "single-block") {
    return invalidArgument("device 'zynq': bus-offset needs map=single-block");
  }
  if (map == "core") return {};
  parsed.map = map == "four-block" ? RegisterMapKind::kFourBlock : RegisterMapKind::kSingleBlock;
  std::vector<uint64_t> offset;
  VTA_RETURN_IF_ERROR(parseAddresses(options, "bus-offset", 1, offset));
  if (!offset.empty()) parsed.bus_offset = offset[0];
  if (options.contains("wait") && textOption(options, "wait") != "poll") {
    return invalidArgument(
        fmt::format("device 'zynq': wait={}: the blocks of VTA 0.0.2 have no interrupt; leave out "
                    "wait, or give wait=poll",
                    textOption(options, "wait")));
  }
  parsed.wait = WaitMode::kPoll;
  return {};
}

Status parseWait(const DeviceOptions& options, BoardOptions& parsed) {
  const std::string wait = options.contains("wait") ? textOption(options, "wait") : "interrupt";
  const std::pair<const char*, WaitMode> modes[] = {{"interrupt", WaitMode::kInterrupt},
                                                    {"poll", WaitMode::kPoll},
                                                    {"adaptive", WaitMode::kAdaptive}};
  const auto* mode =
      std::ranges::find_if(modes, [&](const auto& each) { return each.first == wait; });
  if (mode == std::end(modes)) {
    return invalidArgument(
        fmt::format("device 'zynq': wait={}; legal: interrupt, poll, adaptive", wait));
  }
  parsed.wait = mode->second;
  return {};
}

}  // namespace

Result<BoardOptions> parseZynqOptions(const DeviceOptions& options) {
  BoardOptions parsed;
  if (options.contains("root")) parsed.root = textOption(options, "root");
  parsed.uio = textOption(options, "uio");
  parsed.udmabuf = textOption(options, "udmabuf");
  parsed.zocl = options.contains("zocl");
  parsed.zocl_bytes = sizeOption(options, "zocl-size", parsed.zocl_bytes);
  if (options.contains("zocl-size") && !parsed.zocl) {
    return invalidArgument("device 'zynq': zocl-size needs zocl");
  }
  if (parsed.zocl && (!parsed.udmabuf.empty() || options.contains("reserved"))) {
    return invalidArgument(fmt::format("device 'zynq': zocl and {} are two memories; leave one out",
                                       parsed.udmabuf.empty() ? "reserved" : "udmabuf"));
  }
  parsed.coherent = options.contains("coherent");
  parsed.lock_timeout = std::chrono::milliseconds(numberOption(options, "lock-wait", 0));
  parsed.busy_timeout = std::chrono::milliseconds(
      numberOption(options, "busy-wait", static_cast<uint64_t>(parsed.busy_timeout.count())));
  parsed.max_clock_mhz = static_cast<uint32_t>(numberOption(options, "clock-mhz", 0));
  VTA_ASSIGN_OR_RETURN(parsed.first_contact, parseFirstContact("zynq", options));
  VTA_RETURN_IF_ERROR(parseWait(options, parsed));
  VTA_RETURN_IF_ERROR(parseMap(options, parsed));
  const size_t windows = parsed.map == RegisterMapKind::kFourBlock ? four_block::kBlockCount : 1;
  VTA_RETURN_IF_ERROR(parseAddresses(options, "registers", windows, parsed.register_addresses));
  std::vector<uint64_t> memory;
  VTA_RETURN_IF_ERROR(parseAddresses(options, "reserved", 1, memory));
  if (!memory.empty()) parsed.memory_address = memory[0];
  parsed.memory_bytes = sizeOption(options, "reserved-size", 0);
  if (parsed.memory_address.has_value() != (parsed.memory_bytes != 0)) {
    return invalidArgument("device 'zynq': reserved and reserved-size need each other");
  }
  // Without UIO there is no interrupt.
  if (!parsed.register_addresses.empty()) parsed.wait = WaitMode::kPoll;
  return parsed;
}

}  // namespace vta::driver
