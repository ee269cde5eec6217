#include "sim/card/card_container.h"

#include <fmt/format.h>
#include <xclbin.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>
#include <utility>

#include "base/hash.h"

namespace vta::sim {
namespace {

/// Registers of the first kernel; others follow at this distance.
constexpr uint64_t kKernelAddress = 0x180'0000;
constexpr uint64_t kKernelBytes = 0x1'0000;
constexpr const char* kArguments[] = {"insn", "uop", "inp", "wgt", "acc", "out"};
constexpr uint64_t kArgumentBytes = 8;

/// What containers tell of a kernel that is controlled in one way; places as in
/// vta_argument_window.sv and vta_ap_ctrl_chain.sv.
struct Protocol {
  const char* name;
  uint32_t control;  // of IP_LAYOUT
  uint64_t first_argument;
  uint64_t count_argument;  // 0: none
};

const Protocol& protocolOf(const CardContainer& container) {
  static constexpr Protocol kProtocols[] = {{"user_managed", AP_CTRL_NONE, 0xc0, 0},
                                            {"ap_ctrl_chain", AP_CTRL_CHAIN, 0x10, 0x40}};
  return kProtocols[static_cast<size_t>(container.control)];
}

/// A name in a field of fixed size, which ends with a zero.
template <size_t kBytes, typename Char>
void setName(Char (&field)[kBytes], const std::string& name) {
  std::memcpy(field, name.data(), std::min(name.size(), kBytes - 1));
}

/// A section with a number of items: `Table` has the first of them in it.
template <typename Table, typename Item>
std::string tableBytes(const std::vector<Item>& items, size_t items_offset) {
  std::string bytes(std::max(sizeof(Table), items_offset + items.size() * sizeof(Item)), '\0');
  const auto count = static_cast<int32_t>(items.size());
  std::memcpy(bytes.data(), &count, sizeof(count));
  if (items.empty()) return bytes;
  std::memcpy(bytes.data() + items_offset, items.data(), items.size() * sizeof(Item));
  return bytes;
}

std::string ipLayout(const CardContainer& container) {
  std::vector<ip_data> items;
  for (const CardKernel& kernel : container.kernels) {
    ip_data item = {};
    item.m_type = IP_KERNEL;
    item.properties = protocolOf(container).control << IP_CONTROL_SHIFT | IP_INT_ENABLE_MASK;
    item.m_base_address = kKernelAddress + items.size() * kKernelBytes;
    setName(item.m_name, kernel.kernel + ":" + kernel.instance);
    items.push_back(item);
  }
  return tableBytes<ip_layout>(items, offsetof(ip_layout, m_ip_data));
}

std::string memoryTopology(const CardContainer& container) {
  std::vector<mem_data> items;
  for (const CardMemoryBank& bank : container.banks) {
    mem_data item = {};
    item.m_type = MEM_DDR4;
    item.m_used = 1;
    item.m_size = bank.size_bytes >> 10;
    item.m_base_address = bank.address;
    setName(item.m_tag, bank.name);
    items.push_back(item);
  }
  return tableBytes<mem_topology>(items, offsetof(mem_topology, m_mem_data));
}

std::string connections(const CardContainer& container) {
  std::vector<connection> items;
  for (size_t kernel = 0; container.is_connected && kernel < container.kernels.size(); ++kernel) {
    for (size_t argument = 0; argument < std::size(kArguments); ++argument) {
      items.push_back({static_cast<int32_t>(argument), static_cast<int32_t>(kernel), 0});
    }
  }
  return tableBytes<connectivity>(items, offsetof(connectivity, m_connection));
}

std::string kernelXml(const CardKernel& kernel, const Protocol& protocol, uint64_t address) {
  std::string text = fmt::format(
      R"(<kernel name="{}" language="ip_c" hwControlProtocol="{}" interrupt="true">)"
      R"(<port name="s_axi_control" mode="slave" range="0x1000" dataWidth="32" )"
      R"(portType="addressable" base="0x0"/>)"
      R"(<port name="m_axi_gmem" mode="master" range="0xFFFFFFFFFFFFFFFF" dataWidth="512" )"
      R"(portType="addressable" base="0x0"/>)",
      kernel.kernel, protocol.name);
  for (size_t i = 0; i < std::size(kArguments); ++i) {
    text +=
        fmt::format(R"(<arg name="{}" addressQualifier="1" id="{}" port="m_axi_gmem" size="0x8" )"
                    R"(offset="{:#x}" hostOffset="0x0" hostSize="0x8" type="void*"/>)",
                    kArguments[i], i, protocol.first_argument + i * kArgumentBytes);
  }
  if (protocol.count_argument != 0) {
    text += fmt::format(
        R"(<arg name="insn_count" addressQualifier="0" id="{}" port="s_axi_control" size="0x4" )"
        R"(offset="{:#x}" hostOffset="0x0" hostSize="0x4" type="uint"/>)",
        std::size(kArguments), protocol.count_argument);
  }
  return text + fmt::format(R"(<instance name="{}"><addrRemap base="{:#x}" range="{:#x}" )"
                            R"(port="s_axi_control"/></instance></kernel>)",
                            kernel.instance, address, kKernelBytes);
}

std::string metadata(const CardContainer& container) {
  std::string text =
      R"(<?xml version="1.0" encoding="UTF-8"?><project name="vta"><platform vendor="vta" )"
      R"(boardid="virtual" name="card"><device name="fpga0" fpgaDevice="virtual"><core )"
      R"(name="OCL_REGION_0" target="bitstream" type="clc_region">)";
  for (size_t i = 0; i < container.kernels.size(); ++i) {
    text +=
        kernelXml(container.kernels[i], protocolOf(container), kKernelAddress + i * kKernelBytes);
  }
  return text + "</core></device></platform></project>";
}

struct Section {
  axlf_section_kind kind;
  const char* name;
  std::string bytes;
};

/// Containers with other contents have other numbers.
void setUuid(unsigned char (&uuid)[16], std::span<const Section> sections,
             const std::string& platform) {
  std::string all = platform;
  for (const Section& section : sections) all += section.bytes;
  const uint64_t halves[] = {hashText(all), hashText(all + "2")};
  static_assert(sizeof(halves) == sizeof(uuid));
  std::memcpy(uuid, halves, sizeof(halves));
}

constexpr size_t kSectionAlignmentBytes = 8;

}  // namespace

std::string cardContainerBytes(const CardContainer& container) {
  const std::vector<Section> sections = {{IP_LAYOUT, "ip_layout", ipLayout(container)},
                                         {MEM_TOPOLOGY, "mem_topology", memoryTopology(container)},
                                         {CONNECTIVITY, "connectivity", connections(container)},
                                         {EMBEDDED_METADATA, "metadata", metadata(container)},
                                         {BITSTREAM, "bitstream", container.hw_yaml}};
  axlf top = {};
  std::memcpy(top.m_magic, "xclbin2", sizeof("xclbin2"));
  top.m_signature_length = -1;
  std::memset(top.reserved, 0xff, sizeof(top.reserved));
  top.m_header.m_versionMajor = 2;
  top.m_header.m_versionMinor = 13;
  top.m_header.m_mode = XCLBIN_SW_EMU;
  top.m_header.m_numSections = static_cast<uint32_t>(sections.size());
  setName(top.m_header.m_platformVBNV, container.platform);
  setUuid(top.m_header.uuid, sections, container.platform);

  std::string bytes(offsetof(axlf, m_sections) + sections.size() * sizeof(axlf_section_header), 0);
  for (size_t i = 0; i < sections.size(); ++i) {
    bytes.resize((bytes.size() + kSectionAlignmentBytes - 1) / kSectionAlignmentBytes *
                 kSectionAlignmentBytes);
    axlf_section_header header = {};
    header.m_sectionKind = sections[i].kind;
    setName(header.m_sectionName, sections[i].name);
    header.m_sectionOffset = bytes.size();
    header.m_sectionSize = sections[i].bytes.size();
    std::memcpy(bytes.data() + offsetof(axlf, m_sections) + i * sizeof(header), &header,
                sizeof(header));
    bytes += sections[i].bytes;
  }
  top.m_header.m_length = bytes.size();
  std::memcpy(bytes.data(), &top, offsetof(axlf, m_sections));
  return bytes;
}

Status writeCardContainer(const std::filesystem::path& path, const CardContainer& container) {
  const std::string bytes = cardContainerBytes(container);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file.good()) return {};
  return ioError(fmt::format("{} cannot be written", path.string()));
}

}  // namespace vta::sim
