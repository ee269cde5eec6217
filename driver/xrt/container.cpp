#include "driver/xrt/container.h"

#include <fmt/format.h>
#include <xclbin.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes/byte_reader.h"
#include "base/files.h"
#include "driver/flash/format/xclbin.h"
#include "driver/xrt/guard.h"

namespace vta::driver {
namespace {

/// A section that begins with the number of its items.
struct Table {
  axlf_section_kind kind;
  const char* name;
  size_t items_offset;
  size_t item_bytes;
};

constexpr Table kTables[] = {
    {IP_LAYOUT, "IP_LAYOUT", offsetof(ip_layout, m_ip_data), sizeof(ip_data)},
    {MEM_TOPOLOGY, "MEM_TOPOLOGY", offsetof(mem_topology, m_mem_data), sizeof(mem_data)},
    {CONNECTIVITY, "CONNECTIVITY", offsetof(connectivity, m_connection), sizeof(connection)}};

Status checkTable(const flash::Xclbin& container, std::span<const std::byte> file,
                  const Table& table) {
  const flash::XclbinSection* const section = container.find(table.kind);
  if (section == nullptr) {
    return invalidArgument(
        fmt::format("it has no section {}, so it has no kernel; link vta.xo with v++", table.name));
  }
  const auto bytes = file.subspan(section->offset_bytes, section->size_bytes);
  const auto count = readAt<uint32_t>(bytes, 0);
  const bool fits = count && bytes.size() >= table.items_offset &&
                    *count <= (bytes.size() - table.items_offset) / table.item_bytes;
  if (fits) return {};
  return invalidArgument(fmt::format(
      "its section {} announces more than it holds: it is damaged; copy it again", table.name));
}

Status checkContainer(std::span<const std::byte> file) {
  if (!flash::beginsAsXclbin(file)) return invalidArgument("it does not begin with 'xclbin2'");
  VTA_ASSIGN_OR_RETURN(const flash::Xclbin container, flash::readXclbin(file));
  for (const Table& table : kTables) VTA_RETURN_IF_ERROR(checkTable(container, file, table));
  if (container.find(EMBEDDED_METADATA) != nullptr) return {};
  return invalidArgument("it has no section EMBEDDED_METADATA, which tells the kernels' registers");
}

}  // namespace

Result<xrt::xclbin> readContainer(const std::filesystem::path& path) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(path));
  const auto context = fmt::format("{} is no container (.xclbin) of kernels", path.string());
  VTA_RETURN_IF_ERROR(checkContainer(file).withContext(context));
  const auto* const data = reinterpret_cast<const char*>(file.data());
  auto container = guarded(StatusCode::kInvalidArgument, [&] {
    return xrt::xclbin(std::vector<char>(data, data + file.size()));
  });
  return container.ok() ? std::move(container) : container.status().withContext(context);
}

}  // namespace vta::driver
