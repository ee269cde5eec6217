#include "sim/board/board_files.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "isa/registers/four_block.h"
#include "sim/board/fpga_manager.h"

namespace vta::sim {
namespace {

constexpr uint64_t kRegistersAddress = 0x43c0'0000;
constexpr uint64_t kRegisterBytes = 0x1'0000;

}  // namespace

Status writeBoardFile(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path);
  file << text << '\n';
  file.close();
  if (file) return {};
  return ioError(fmt::format("{} cannot be written", path.string()));
}

Status makeBoardFiles(const VirtualBoardOptions& options) {
  const std::filesystem::path sys = options.folder / "sys/class";
  const std::filesystem::path memory = sys / "u-dma-buf/udmabuf0";
  const uint64_t register_bytes = options.has_four_blocks
                                      ? uint64_t{four_block::kWindowBytes} * four_block::kBlockCount
                                      : kRegisterBytes;
  const std::pair<std::filesystem::path, std::string> files[] = {
      {sys / "uio/uio0/name", "vta"},
      {sys / "uio/uio0/maps/map0/addr", fmt::format("{:#010x}", kRegistersAddress)},
      {sys / "uio/uio0/maps/map0/size", fmt::format("{:#010x}", register_bytes)},
      {sys / "uio/uio0/maps/map0/offset", "0x0"},
      {memory / "phys_addr", fmt::format("{:#018x}", options.memory_address)},
      {memory / "size", fmt::format("{}", options.memory_bytes)},
      {memory / "sync_mode", "1"},
      {memory / "sync_for_cpu", "0"},
      {memory / "sync_for_device", "0"},
      {memory / "dma_coherent", options.is_coherent ? "1" : "0"},
      {sys / "drm/renderD128/device/uevent", "DRIVER=zocl-drm"},
      {sys / "fclkcfg/fclk0/rate", fmt::format("{}", options.clock_hz)},
      {sys / "fclkcfg/fclk0/enable", "1"},
      {options.folder / "dev/uio0", ""},
      {options.folder / "dev/dri/renderD128", ""},
      {options.folder / ".board/hold", ""}};
  for (const auto& [path, text] : files) VTA_RETURN_IF_ERROR(writeBoardFile(path, text));
  return makeManagerFiles(options.folder);
}

}  // namespace vta::sim
