#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "driver/flash/package/package_files.h"
#include "isa/registers/registers.h"

namespace vta::flash {
namespace {

// What Vivado's presets of the boards make of the PLL that feeds the logic's clocks.
constexpr double kZynqPllMhz = 1000;
constexpr double kZynqMpPllMhz = 1500;
constexpr int kMaxDivisor = 63;
constexpr int kClocks = 4;

/// Two divisors whose product does not make the clock faster than `mhz`.
std::pair<int, int> divisorsFor(double pll_mhz, double mhz) {
  const int wanted = static_cast<int>(std::ceil(pll_mhz / mhz - 1e-9));
  for (int product = wanted; product <= kMaxDivisor * kMaxDivisor; ++product) {
    for (int second = 1; second <= kMaxDivisor; ++second) {
      if (product % second == 0 && product / second <= kMaxDivisor)
        return {product / second, second};
    }
  }
  return {kMaxDivisor, kMaxDivisor};
}

std::string parameter(const std::string& name, const std::string& value) {
  return fmt::format("        <PARAMETER NAME=\"{}\" VALUE=\"{}\"/>\n", name, value);
}

std::string clockParameters(const BoardDescription& description) {
  const bool is_zynq = description.family == FpgaFamily::kZynq7000;
  const double pll_mhz = is_zynq ? kZynqPllMhz : kZynqMpPllMhz;
  std::string text;
  for (int i = 0; i < kClocks; ++i) {
    const std::string name = fmt::format("{}{}", is_zynq ? "fclk" : "pl", i);
    double mhz = 0;
    for (const ClockNeed& clock : description.clocks) {
      if (clock.name == name) mhz = clock.mhz;
    }
    const auto divisors = mhz > 0 ? divisorsFor(pll_mhz, mhz) : std::pair(1, 1);
    const std::string divisor = is_zynq ? fmt::format("PCW_FCLK{}_PERIPHERAL_DIVISOR", i)
                                        : fmt::format("PSU__CRL_APB__PL{}_REF_CTRL__DIVISOR", i);
    text += parameter(divisor + "0", std::to_string(divisors.first));
    text += parameter(divisor + "1", std::to_string(divisors.second));
    text += parameter(fmt::format("{}{}_ENABLE", is_zynq ? "PCW_FPGA_FCLK" : "PSU__FPGA_PL", i),
                      mhz > 0 ? "1" : "0");
  }
  return text;
}

/// PYNQ 3 sets the widths of these ports itself.
std::string portParameters(const BoardDescription& description) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"M_AXI_HPM0_FPD", "C_MAXIGP0_DATA_WIDTH"}, {"M_AXI_HPM1_FPD", "C_MAXIGP1_DATA_WIDTH"},
      {"M_AXI_HPM0_LPD", "C_MAXIGP2_DATA_WIDTH"}, {"S_AXI_HPC0_FPD", "C_SAXIGP0_DATA_WIDTH"},
      {"S_AXI_HPC1_FPD", "C_SAXIGP1_DATA_WIDTH"}, {"S_AXI_HP0_FPD", "C_SAXIGP2_DATA_WIDTH"},
      {"S_AXI_HP1_FPD", "C_SAXIGP3_DATA_WIDTH"},  {"S_AXI_HP2_FPD", "C_SAXIGP4_DATA_WIDTH"},
      {"S_AXI_HP3_FPD", "C_SAXIGP5_DATA_WIDTH"},  {"S_AXI_HP0", "C_S_AXI_HP0_DATA_WIDTH"},
      {"S_AXI_HP1", "C_S_AXI_HP1_DATA_WIDTH"},    {"S_AXI_HP2", "C_S_AXI_HP2_DATA_WIDTH"},
      {"S_AXI_HP3", "C_S_AXI_HP3_DATA_WIDTH"}};
  std::string text;
  for (const PortNeed& port : description.ports) {
    for (const auto& [name, key] : kNames) {
      if (port.name == name) text += parameter(key, std::to_string(port.width_bits));
    }
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("              <PROPERTY NAME=\"{}\" VALUE=\"{}\"/>\n", name, escaped(value));
}

std::string registerTable() {
  std::string text;
  for (const RegisterInfo& info : controlRegisters()) {
    const bool is_read_only = info.access == RegisterAccess::kReadOnly;
    text += fmt::format("            <REGISTER NAME=\"{}\">\n", info.name);
    text += property("DESCRIPTION", info.description());
    text += property("ADDRESS_OFFSET", fmt::format("0x{:x}", info.offset));
    text += property("SIZE", "32");
    text += property("ACCESS", is_read_only ? "read-only" : "read-write");
    text += "              <FIELDS/>\n            </REGISTER>\n";
  }
  return text;
}

std::string processorModule(const BoardDescription& description) {
  const bool is_zynq = description.family == FpgaFamily::kZynq7000;
  const uint64_t address = description.registers_address;
  const uint64_t last = address + description.registers_bytes - 1;
  return fmt::format(
      R"(    <MODULE FULLNAME="/ps" INSTANCE="ps" IPTYPE="PERIPHERAL" IS_ENABLE="1" MODCLASS="MEMORY" MODTYPE="{0}" VLNV="xilinx.com:ip:{0}">
      <PARAMETERS>
{1}{2}      </PARAMETERS>
      <PORTS>
        <PORT DIR="I" LEFT="0" NAME="{3}" RIGHT="0" SIGIS="INTERRUPT" SIGNAME="vta_interrupt">
          <CONNECTIONS>
            <CONNECTION INSTANCE="vta" PORT="interrupt"/>
          </CONNECTIONS>
        </PORT>
      </PORTS>
      <BUSINTERFACES/>
      <MEMORYMAP>
        <MEMRANGE ADDRESSBLOCK="reg0" BASENAME="C_BASEADDR" BASEVALUE="0x{4:08X}" HIGHNAME="C_HIGHADDR" HIGHVALUE="0x{5:08X}" INSTANCE="vta" IS_DATA="TRUE" IS_INSTRUCTION="TRUE" MASTERBUSINTERFACE="{6}" MEMTYPE="REGISTER" SLAVEBUSINTERFACE="s_axi_control"/>
      </MEMORYMAP>
      <PERIPHERALS>
        <PERIPHERAL INSTANCE="vta"/>
      </PERIPHERALS>
    </MODULE>
)",
      is_zynq ? "processing_system7" : "zynq_ultra_ps_e", clockParameters(description),
      portParameters(description), is_zynq ? "IRQ_F2P" : "pl_ps_irq0", address, last,
      is_zynq ? "M_AXI_GP0" : "M_AXI_HPM0_FPD");
}

std::string acceleratorModule(const BoardDescription& description) {
  return fmt::format(
      R"(    <MODULE FULLNAME="/vta" HWVERSION="1.0" INSTANCE="vta" IPTYPE="PERIPHERAL" IS_ENABLE="1" MODCLASS="PERIPHERAL" MODTYPE="vta_top" VLNV="vta:user:vta_top:1.0">
      <ADDRESSBLOCKS>
        <ADDRESSBLOCK ACCESS="" INTERFACE="s_axi_control" NAME="reg0" RANGE="{}" USAGE="register">
          <REGISTERS>
{}          </REGISTERS>
        </ADDRESSBLOCK>
      </ADDRESSBLOCKS>
      <PARAMETERS>
{}      </PARAMETERS>
      <PORTS>
        <PORT DIR="O" NAME="interrupt" SENSITIVITY="LEVEL_HIGH" SIGIS="INTERRUPT" SIGNAME="vta_interrupt">
          <CONNECTIONS>
            <CONNECTION INSTANCE="ps" PORT="{}"/>
          </CONNECTIONS>
        </PORT>
      </PORTS>
      <BUSINTERFACES/>
    </MODULE>
)",
      description.registers_bytes, registerTable(),
      parameter("C_S_AXI_CONTROL_BASEADDR",
                fmt::format("0x{:08X}", description.registers_address)) +
          parameter("C_S_AXI_CONTROL_HIGHADDR",
                    fmt::format("0x{:08X}",
                                description.registers_address + description.registers_bytes - 1)),
      description.family == FpgaFamily::kZynq7000 ? "IRQ_F2P" : "pl_ps_irq0");
}

}  // namespace

std::string hardwareHandoff(const BoardDescription& description, const std::string& name) {
  const std::string_view device = description.part;
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8" standalone="no" ?>
<EDKSYSTEM EDWVERSION="1.2" VIVADOVERSION="2022.1">
  <SYSTEMINFO ARCH="{0}" BOARD="{1}" DEVICE="{2}" NAME="{3}"/>
  <EXTERNALPORTS/>
  <EXTERNALINTERFACES/>
  <MODULES>
{4}{5}  </MODULES>
</EDKSYSTEM>
)",
                     description.family == FpgaFamily::kZynq7000 ? "zynq" : "zynquplus",
                     escaped(description.board), escaped(device), escaped(name),
                     processorModule(description), acceleratorModule(description));
}

std::string dfxShell() { return "{\n  \"shell_type\": \"XRT_FLAT\",\n  \"num_slots\": \"1\"\n}\n"; }

std::string dfxAccelerator(const BoardDescription& description) {
  return fmt::format(R"({{
  "accel_type": "XRT_FLAT",
  "accel_devices": [
    {{
      "dev_name": "{0:x}.vta",
      "reg_base": "0x{0:x}",
      "reg_size": "0x{1:x}"
    }}
  ]
}}
)",
                     description.registers_address, description.registers_bytes);
}

}  // namespace vta::flash
