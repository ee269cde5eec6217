#include "tools/vta_flash/flash_tool.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "driver/flash/board/board_use.h"
#include "driver/flash/package/package_files.h"
#include "tools/common/files.h"
#ifdef VTA_HAS_REMOTE
#include "driver/remote/client/remote_flash.h"
#endif

namespace vta::tools {
namespace {

using flash::BitstreamFile;
using flash::BoardDescription;
using flash::FlashReport;

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

/// The description to read; empty if there is none.
std::filesystem::path descriptionFile(const FlashOptions& options) {
  if (!options.description.empty()) return options.description;
  const std::filesystem::path bitstream = options.bitstream;
  for (const std::string& name : {flash::stemOf(bitstream) + ".json", std::string("vta.json")}) {
    const std::filesystem::path file = bitstream.parent_path() / name;
    if (std::filesystem::exists(file)) return file;
  }
  return {};
}

Result<FlashReport> flashHere(const FlashOptions& options, const BitstreamFile& file) {
  const flash::System system(options.root);
  VTA_ASSIGN_OR_RETURN(FlashReport report, checkFlash(options.request, system, file));
  if (isOnBoard(report.via)) VTA_RETURN_IF_ERROR(checkUnused(system));
  return programBoard(options.request, system, file, std::move(report));
}

Result<FlashReport> flashThere(const FlashOptions& options, const BitstreamFile& file) {
#ifdef VTA_HAS_REMOTE
  VTA_ASSIGN_OR_RETURN(const auto server, remote::parseRemoteOptions(options.server->options));
  return remote::flashRemotely(server, options.request, file);
#else
  static_cast<void>(file);
  return internalError("no remote devices for " + options.device);
#endif
}

}  // namespace

Result<BitstreamFile> loadFile(const FlashOptions& options) {
  VTA_ASSIGN_OR_RETURN(std::vector<std::byte> data, readFile(options.bitstream, kMostBytes));
  std::optional<flash::DescriptionText> description;
  if (const std::filesystem::path path = descriptionFile(options); !path.empty()) {
    VTA_ASSIGN_OR_RETURN(std::string text, readTextFile(path));
    description = flash::DescriptionText{path.string(), std::move(text)};
  }
  return flash::makeBitstreamFile(options.bitstream, std::move(data), std::move(description));
}

Result<FlashReport> flashFile(const FlashOptions& options, const BitstreamFile& file) {
  return options.server ? flashThere(options, file) : flashHere(options, file);
}

Result<std::vector<std::string>> writePackage(const std::filesystem::path& folder,
                                              const BitstreamFile& file) {
  VTA_RETURN_IF_ERROR(needDescription(file, "--package"));
  VTA_RETURN_IF_ERROR(checkDescription(file));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> image, managerImage(file.bitstream, file.data));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return ioError(fmt::format("cannot make folder '{}': {}", folder.string(), error.message()));
  const std::string stem = flash::stemOf(file.path);
  const BoardDescription& description = *file.description;
  const std::string firmware = stem + ".bit.bin";
  VTA_RETURN_IF_ERROR(writeFile(folder / firmware, image));
  const std::pair<std::string, std::string> texts[] = {
      {stem + ".dtso", overlaySource(description, firmware)},
      {stem + ".hwh", hardwareHandoff(description, stem)},
      {"shell.json", flash::dfxShell()},
      {"accel.json", dfxAccelerator(description)}};
  std::vector<std::string> names = {firmware};
  for (const auto& [name, text] : texts) {
    VTA_RETURN_IF_ERROR(writeFile(folder / name, text));
    names.push_back(name);
  }
  return names;
}

}  // namespace vta::tools
