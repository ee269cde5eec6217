#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "driver/flash/format/ports.h"
#include "driver/flash/package/package_files.h"

namespace vta::flash {
namespace {

/// "config-afi": register numbers with their values. Two ports of one register are combined.
std::string afiPairs(const BoardDescription& description) {
  std::map<int, uint32_t> values;
  for (const PortNeed& need : description.ports) {
    const PortInfo* port = findPort(description.family, need.name);
    if (port == nullptr) continue;
    for (const WidthField& field : {port->read, port->write}) {
      if (field.afi_register < 0) continue;
      values[field.afi_register] |= widthCode(*port, need.width_bits).value_or(0) << field.lsb;
    }
  }
  std::string pairs;
  for (const auto& [number, value] : values) {
    pairs += fmt::format("{}<{} 0x{:x}>", pairs.empty() ? "" : ", ", number, value);
  }
  return pairs;
}

std::string zynqMpPorts(const BoardDescription& description) {
  const std::string pairs = afiPairs(description);
  if (pairs.empty()) return "";
  return fmt::format(R"(
      vta_afi: afi0 {{
        compatible = "xlnx,afi-fpga";
        config-afi = {};
      }};
)",
                     pairs);
}

/// A Zynq-7000 has a node for each port.
std::string zynqPorts(const BoardDescription& description) {
  std::string nodes;
  for (const PortNeed& need : description.ports) {
    const PortInfo* port = findPort(description.family, need.name);
    if (port == nullptr || port->read.address == 0) continue;
    nodes += fmt::format(R"(
      afi@{0:x} {{
        compatible = "xlnx,zynq-afi-fpga";
        reg = <0x{0:x} 0x1000>;
        xlnx,afi-width = <{1}>;
      }};
)",
                         port->read.address, widthCode(*port, need.width_bits).value_or(0));
  }
  return nodes;
}

std::string clockNodes(const BoardDescription& description) {
  std::string nodes;
  for (const ClockNeed& need : description.clocks) {
    const ClockInfo* clock = findClock(description.family, need.name);
    if (clock == nullptr) continue;
    nodes += fmt::format(R"(
      vta_{0}: {0} {{
        compatible = "xlnx,fclk";
        clocks = {1};
        assigned-clocks = {1};
        assigned-clock-rates = <{2:.0f}>;
        clock-output-names = "vta_{0}";
        #clock-cells = <0>;
      }};
)",
                         need.name, clock->device_tree_node, need.mhz * 1e6);
  }
  return nodes;
}

std::string registersNode(const BoardDescription& description, const std::string& reg) {
  const bool is_coherent =
      std::ranges::any_of(description.ports, [](const PortNeed& port) { return port.coherent; });
  return fmt::format(R"(
      vta: vta@{:x} {{
        compatible = "vta,vta-1.0", "generic-uio";
        reg = {};
        interrupt-parent = <&{}>;
        interrupts = <0 {} 4>;{}
      }};
)",
                     description.registers_address, reg,
                     description.family == FpgaFamily::kZynq7000 ? "intc" : "gic",
                     description.interrupt_spi, is_coherent ? "\n        dma-coherent;" : "");
}

}  // namespace

std::string overlaySource(const BoardDescription& description, const std::string& firmware_name) {
  const bool is_zynq = description.family == FpgaFamily::kZynq7000;
  const uint64_t address = description.registers_address;
  const uint64_t size = description.registers_bytes;
  const std::string reg = is_zynq
                              ? fmt::format("<0x{:x} 0x{:x}>", address, size)
                              : fmt::format("<0x{:x} 0x{:x} 0x{:x} 0x{:x}>", address >> 32,
                                            address & 0xffffffff, size >> 32, size & 0xffffffff);
  const int cells = is_zynq ? 1 : 2;
  return fmt::format(
      R"(// Written by vta-flash for {}: do not edit. Compile with: dtc -@ -I dts -O dtb
/dts-v1/;
/plugin/;

/ {{
  fragment@0 {{
    target = <&fpga_full>;
    __overlay__ {{
      #address-cells = <{}>;
      #size-cells = <{}>;
      firmware-name = "{}";
    }};
  }};
  fragment@1 {{
    target = <&amba>;
    __overlay__ {{{}{}{}    }};
  }};
}};
)",
      description.board, cells, cells, firmware_name, clockNodes(description),
      is_zynq ? zynqPorts(description) : zynqMpPorts(description), registersNode(description, reg));
}

}  // namespace vta::flash
