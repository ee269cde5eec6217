#include "tests/driver/board/still_board.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>
#include <vector>

#include "isa/registers/identity.h"
#include "isa/registers/registers.h"
#include "sim/board/board_files.h"

namespace vta::test {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kRegistersAddress = 0x10'0000;
constexpr size_t kRegisterWords = 1024;

std::vector<uint32_t> registersOf(const HwConfig& hw) {
  const HardwareIdentity identity = identityOf(hw);
  std::vector<uint32_t> words(kRegisterWords);
  words[reg::kId / 4] = identity.id;
  words[reg::kVersion / 4] = identity.version;
  words[reg::kFingerprint / 4] = static_cast<uint32_t>(identity.fingerprint);
  words[reg::kFingerprint / 4 + 1] = static_cast<uint32_t>(identity.fingerprint >> 32);
  words[reg::kConfig / 4] = identity.config;
  words[reg::kDepths / 4] = identity.depths;
  words[reg::kLastUopInp / 4] = identity.last_uop_inp;
  words[reg::kLastWgtAcc / 4] = identity.last_wgt_acc;
  words[reg::kExtensions / 4] = identity.extension_bits;
  words[reg::kStatus / 4] = reg::kStatusDone;
  return words;
}

}  // namespace

Result<std::string> makeStillBoard(const HwConfig& hw, const fs::path& folder,
                                   uint64_t memory_bytes) {
  sim::VirtualBoardOptions options;
  options.folder = folder;
  options.memory_bytes = memory_bytes;
  VTA_RETURN_IF_ERROR(sim::makeBoardFiles(options));
  const std::vector<uint32_t> words = registersOf(hw);
  std::ofstream registers(folder / "dev/mem", std::ios::binary);
  registers.seekp(kRegistersAddress);
  registers.write(reinterpret_cast<const char*>(words.data()),
                  static_cast<std::streamsize>(words.size() * sizeof(uint32_t)));
  registers.close();
  std::ofstream(folder / "dev/udmabuf0").close();
  std::error_code error;
  fs::resize_file(folder / "dev/udmabuf0", memory_bytes, error);
  if (error || !registers) {
    return ioError(fmt::format("cannot write the files of a board below '{}'", folder.string()));
  }
  return fmt::format("zynq:registers={:#x},root={}", kRegistersAddress, folder.string());
}

}  // namespace vta::test
