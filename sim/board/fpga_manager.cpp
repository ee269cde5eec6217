#include "sim/board/fpga_manager.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "sim/board/board_files.h"

namespace vta::sim {
namespace {

constexpr uint32_t kSyncWord = 0xaa99'5566;
constexpr uint32_t kWriteIdcode = 0x3001'8001;  // one word into the register IDCODE
constexpr uint32_t kIdcode = 0x0372'7093;       // of an xc7z020; the four highest bits are its step
constexpr uint32_t kIdcodeMask = 0x0fff'ffff;

struct Outcome {
  const char* state;
  int error;
};

/// As the device takes it: words of the processor's byte order. Empty for no whole words.
std::vector<uint32_t> wordsOf(const std::vector<std::byte>& bytes) {
  if (bytes.size() % sizeof(uint32_t) != 0) return {};
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

Outcome configure(const std::vector<std::byte>& bitstream) {
  const std::vector<uint32_t> words = wordsOf(bitstream);
  const auto sync = std::ranges::find(words, kSyncWord);
  if (sync == words.end()) return {"write init error", EINVAL};
  const auto idcode = std::find(sync, words.end(), kWriteIdcode);
  const bool fits = words.end() - idcode > 1 && (idcode[1] & kIdcodeMask) == kIdcode;
  if (!fits) return {"write complete error", ETIMEDOUT};
  return {"operating", 0};
}

Outcome takeFirmware(const std::filesystem::path& folder) {
  std::string name;
  std::ifstream attribute(folder / kManagerFolder / "firmware");
  std::getline(attribute, name);
  const auto bitstream = readFile(folder / "lib/firmware" / name);
  if (name.empty() || !bitstream.ok()) return {"firmware request error", ENOENT};
  return configure(*bitstream);
}

}  // namespace

Status makeManagerFiles(const std::filesystem::path& folder) {
  const std::filesystem::path manager = folder / kManagerFolder;
  const std::filesystem::path soc = folder / "sys/devices/soc0";
  const std::pair<std::filesystem::path, const char*> files[] = {
      {soc / "family", "Xilinx Zynq"},  {soc / "soc_id", "0x7"},
      {soc / "revision", "0x0"},        {manager / "name", "Xilinx Zynq FPGA Manager"},
      {manager / "state", "operating"}, {manager / "firmware", ""},
      {manager / "flags", "0"}};
  for (const auto& [path, text] : files) VTA_RETURN_IF_ERROR(writeBoardFile(path, text));
  std::error_code error;
  std::filesystem::create_directories(folder / "lib/firmware", error);
  return error ? ioError((folder / "lib/firmware").string() + " cannot be made") : Status();
}

int programLogic(const std::filesystem::path& folder) {
  const Outcome outcome = takeFirmware(folder);
  const Status written = writeBoardFile(folder / kManagerFolder / "state", outcome.state);
  return written.ok() ? outcome.error : EIO;
}

}  // namespace vta::sim
