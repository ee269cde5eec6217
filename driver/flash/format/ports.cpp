#include "driver/flash/format/ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace vta::flash {
namespace {

using enum FpgaFamily;

// UG585, appendix B: bit 0 of AFI_RDCHAN_CTRL and AFI_WRCHAN_CTRL makes a port 32 bits wide.
constexpr PortInfo zynqHp(std::string_view name, uint64_t afi) {
  return {kZynq7000, name, {64, 32, 0}, {afi, 0, 1, -1}, {afi + 0x14, 0, 1, -1}};
}

// UG1087: FABRIC_WIDTH of AFIFM_RDCTRL and AFIFM_WRCTRL.
constexpr PortInfo zynqMpSlave(std::string_view name, int unit) {
  const uint64_t base = 0xfd360000 + 0x10000 * static_cast<uint64_t>(unit);
  return {kZynqMp, name, {128, 64, 32}, {base, 0, 2, 2 * unit}, {base + 0x14, 0, 2, 2 * unit + 1}};
}

constexpr WidthField kNone{};

constexpr std::array kPorts = {
    PortInfo{kZynq7000, "M_AXI_GP0", {32, 0, 0}, kNone, kNone},
    PortInfo{kZynq7000, "M_AXI_GP1", {32, 0, 0}, kNone, kNone},
    PortInfo{kZynq7000, "S_AXI_GP0", {32, 0, 0}, kNone, kNone},
    PortInfo{kZynq7000, "S_AXI_ACP", {64, 0, 0}, kNone, kNone},
    zynqHp("S_AXI_HP0", 0xf8008000),
    zynqHp("S_AXI_HP1", 0xf8009000),
    zynqHp("S_AXI_HP2", 0xf800a000),
    zynqHp("S_AXI_HP3", 0xf800b000),
    PortInfo{kZynqMp, "M_AXI_HPM0_FPD", {32, 64, 128}, {0xfd615000, 8, 2, 14}, kNone},
    PortInfo{kZynqMp, "M_AXI_HPM1_FPD", {32, 64, 128}, {0xfd615000, 10, 2, 14}, kNone},
    PortInfo{kZynqMp, "M_AXI_HPM0_LPD", {32, 64, 128}, {0xff419000, 8, 2, 15}, kNone},
    zynqMpSlave("S_AXI_HPC0_FPD", 0),
    zynqMpSlave("S_AXI_HPC1_FPD", 1),
    zynqMpSlave("S_AXI_HP0_FPD", 2),
    zynqMpSlave("S_AXI_HP1_FPD", 3),
    zynqMpSlave("S_AXI_HP2_FPD", 4),
    zynqMpSlave("S_AXI_HP3_FPD", 5),
};

// UG585: SLCR.FPGAn_CLK_CTRL. UG1087: CRL_APB.PLn_REF_CTRL. The numbers of device-tree nodes are
// those of the kernel's clock drivers.
constexpr std::array kClocks = {
    ClockInfo{kZynq7000, "fclk0", 0xf8000170, "<&clkc 15>"},
    ClockInfo{kZynq7000, "fclk1", 0xf8000180, "<&clkc 16>"},
    ClockInfo{kZynq7000, "fclk2", 0xf8000190, "<&clkc 17>"},
    ClockInfo{kZynq7000, "fclk3", 0xf80001a0, "<&clkc 18>"},
    ClockInfo{kZynqMp, "pl0", 0xff5e00c0, "<&zynqmp_clk 71>"},
    ClockInfo{kZynqMp, "pl1", 0xff5e00c4, "<&zynqmp_clk 72>"},
    ClockInfo{kZynqMp, "pl2", 0xff5e00c8, "<&zynqmp_clk 73>"},
    ClockInfo{kZynqMp, "pl3", 0xff5e00cc, "<&zynqmp_clk 74>"},
};

template <typename Table>
const typename Table::value_type* find(const Table& table, FpgaFamily family,
                                       std::string_view name) {
  const auto* found = std::ranges::find_if(
      table, [&](const auto& entry) { return entry.family == family && entry.name == name; });
  return found == table.end() ? nullptr : found;
}

template <typename Table>
std::string namesOf(const Table& table, FpgaFamily family) {
  std::string names;
  for (const auto& entry : table) {
    if (entry.family == family) names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return names;
}

}  // namespace

std::span<const PortInfo> ports() { return kPorts; }

const PortInfo* findPort(FpgaFamily family, std::string_view name) {
  return find(kPorts, family, name);
}

std::optional<uint32_t> widthCode(const PortInfo& port, int width_bits) {
  const auto found = std::ranges::find(port.widths_bits, width_bits);
  if (width_bits == 0 || found == port.widths_bits.end()) return std::nullopt;
  return static_cast<uint32_t>(found - port.widths_bits.begin());
}

Status checkPort(FpgaFamily family, std::string_view name, int width_bits) {
  const PortInfo* port = findPort(family, name);
  if (port == nullptr) {
    return invalidArgument(fmt::format("{} has no port {}; it has {}", familyName(family), name,
                                       namesOf(kPorts, family)));
  }
  if (widthCode(*port, width_bits)) return {};
  std::string widths;
  for (const int bits : port->widths_bits) {
    if (bits != 0) widths += fmt::format("{}{}", widths.empty() ? "" : ", ", bits);
  }
  return invalidArgument(
      fmt::format("port {} cannot be {} bits wide, only {}", name, width_bits, widths));
}

const ClockInfo* findClock(FpgaFamily family, std::string_view name) {
  return find(kClocks, family, name);
}

Status checkClock(FpgaFamily family, std::string_view name) {
  if (findClock(family, name) != nullptr) return {};
  return invalidArgument(fmt::format("{} has no clock {}; it has {}", familyName(family), name,
                                     namesOf(kClocks, family)));
}

}  // namespace vta::flash
