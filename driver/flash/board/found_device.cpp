#include "driver/flash/board/found_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <regex>
#include <string_view>

#include "base/closest_name.h"

namespace vta::flash {
namespace {

// The manufacturer by JEP106, as the firmware of a Zynq UltraScale+ names the chip.
constexpr std::string_view kXilinxSocId = "jep106:0049:";

std::optional<uint32_t> hexNumber(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  uint32_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The kernel of a Zynq-7000 gives the five bits of the IDCODE that tell its dies apart.
const FpgaDie* dieOfZynq(uint32_t device) {
  const auto fits = [&](const FpgaDie& die) {
    return die.family == FpgaFamily::kZynq7000 && (die.system_idcode >> 12 & 0x1f) == device;
  };
  const auto found = std::ranges::find_if(fpgaDies(), fits);
  return found == fpgaDies().end() ? nullptr : &*found;
}

const FpgaDie* dieOfSoc(const System& system, const std::string& folder) {
  const auto attribute = [&](const char* name) {
    const auto text = system.readAttribute(folder + "/" + name);
    return text.ok() ? *text : std::string();
  };
  const std::string soc_id = attribute("soc_id");
  if (attribute("family") == "Xilinx Zynq") {
    const std::optional<uint32_t> device = hexNumber(soc_id);
    return device ? dieOfZynq(*device) : nullptr;
  }
  const std::optional<uint32_t> idcode = hexNumber(attribute("revision"));
  return soc_id.starts_with(kXilinxSocId) && idcode ? findDieOfSystem(*idcode) : nullptr;
}

struct KnownBoard {
  std::string_view compatible;  // beginning of an entry of the device tree's root
  std::string_view die;
};
constexpr std::array kBoards = {
    KnownBoard{"avnet,ultra96", "xczu3"},       KnownBoard{"xlnx,zynqmp-zcu100", "xczu3"},
    KnownBoard{"xlnx,zynqmp-zcu102", "xczu9"},  KnownBoard{"xlnx,zynqmp-zcu104", "xczu7"},
    KnownBoard{"xlnx,zynqmp-zcu106", "xczu7"},  KnownBoard{"xlnx,zynqmp-sm-k24", "xck24"},
    KnownBoard{"xlnx,zynqmp-sm-k26", "xck26"},  KnownBoard{"xlnx,zynqmp-smk-k24", "xck24"},
    KnownBoard{"xlnx,zynqmp-smk-k26", "xck26"}, KnownBoard{"digilent,pynq-z1", "xc7z020"},
    KnownBoard{"xlnx,zynq-pynqz1", "xc7z020"},  KnownBoard{"tul,pynq-z2", "xc7z020"},
};

const FpgaDie* dieOfDeviceTree(const System& system) {
  const auto compatible = system.readAttribute("/proc/device-tree/compatible");
  if (!compatible.ok()) return nullptr;
  std::string_view rest = *compatible;
  while (!rest.empty()) {  // texts with a zero behind each
    const std::string_view entry = rest.substr(0, rest.find('\0'));
    for (const KnownBoard& board : kBoards) {
      if (entry.starts_with(board.compatible)) return findDieOfPart(board.die);
    }
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
  }
  return nullptr;
}

}  // namespace

Result<FpgaDie> dieFromText(const std::string& text) {
  if (const FpgaDie* die = findDieOfPart(text)) return *die;
  if (const std::optional<uint32_t> idcode = hexNumber(text)) {
    if (const FpgaDie* die = findDieOfBitstream(*idcode)) return *die;
    const bool is_zynq = (*idcode >> 21 & 0x7f) == 0x1b;  // the family's field
    return FpgaDie{"a die that was named", is_zynq ? FpgaFamily::kZynq7000 : FpgaFamily::kZynqMp,
                   *idcode, *idcode};
  }
  const std::vector<std::string> known = namesOf(fpgaDies(), &FpgaDie::name);
  return invalidArgument(fmt::format(
      "no die '{}'; known: {}; or the IDCODE that its bitstreams write, as 0x03727093{}", text,
      fmt::join(known, ", "), suggestion(text, known)));
}

Result<FoundDevice> findDevice(const System& system) {
  for (const std::string& name : system.list("/sys/devices")) {
    if (!name.starts_with("soc")) continue;
    const std::string folder = "/sys/devices/" + name;
    if (const FpgaDie* die = dieOfSoc(system, folder)) return FoundDevice{*die, folder};
  }
  if (const FpgaDie* die = dieOfDeviceTree(system)) {
    return FoundDevice{*die, "/proc/device-tree/compatible"};
  }
  return notFound(
      "cannot tell which FPGA this machine has: neither /sys/devices/soc* nor "
      "/proc/device-tree/compatible name a Zynq; say it with --die, for example --die xc7z020");
}

Result<FoundDevice> deviceFromJtag(const std::string& output) {
  static const std::regex kIdcode("idcode\\s+(0x[0-9a-fA-F]+)");
  for (std::sregex_iterator match(output.begin(), output.end(), kIdcode), end; match != end;
       ++match) {
    const std::optional<uint32_t> idcode = hexNumber((*match)[1].str());
    if (!idcode) continue;
    const FpgaDie* die = findDieOfSystem(*idcode);
    if (die == nullptr) die = findDieOfBitstream(*idcode);
    if (die != nullptr) return FoundDevice{*die, "JTAG"};
  }
  return notFound(
      "openFPGALoader found no known Zynq at the cable; look at 'openFPGALoader --detect', or name "
      "the device with --die");
}

}  // namespace vta::flash
