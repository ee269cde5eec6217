#include "tools/vta_flash/flash_tool.h"

#include <fmt/format.h>

#include "driver/flash/board/board_use.h"
#include "driver/flash/board/clocks.h"
#include "driver/flash/package/package_files.h"
#include "tools/common/files.h"

namespace vta::tools {
namespace {

using flash::Bitstream;
using flash::BoardDescription;
using flash::System;
using flash::Via;

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

/// "vta" for vta.bit and vta.bit.bin.
std::string stemOf(const std::filesystem::path& path) {
  std::string stem = path.stem().string();
  if (stem.ends_with(".bit")) stem.resize(stem.size() - 4);
  return stem;
}

/// The description to read; empty if there is none.
std::filesystem::path descriptionFile(const FlashOptions& options) {
  if (!options.description.empty()) return options.description;
  const std::filesystem::path bitstream = options.bitstream;
  for (const std::string& name : {stemOf(bitstream) + ".json", std::string("vta.json")}) {
    const std::filesystem::path file = bitstream.parent_path() / name;
    if (std::filesystem::exists(file)) return file;
  }
  return {};
}

Result<Via> viaOf(const FlashOptions& options, const System& system, const LoadedFile& file) {
  for (const Via via : {Via::kManager, Via::kOverlay, Via::kDfx, Via::kXrt, Via::kJtag}) {
    if (options.via == viaName(via)) return via;
  }
  const bool is_container = file.bitstream.format == flash::BitstreamFormat::kXclbin;
  return chooseVia(system, file.description.has_value(), is_container);
}

Result<flash::FoundDevice> deviceOf(const FlashOptions& options, const System& system, Via via) {
  if (!options.die.empty()) {
    VTA_ASSIGN_OR_RETURN(flash::FpgaDie die, flash::dieFromText(options.die));
    return flash::FoundDevice{die, "--die"};
  }
  if (via != Via::kJtag) return flash::findDevice(system);
  std::vector<std::string> command = {"openFPGALoader"};
  command.insert(command.end(), options.jtag_options.begin(), options.jtag_options.end());
  command.emplace_back("--detect");
  VTA_ASSIGN_OR_RETURN(const std::string output, system.run(command));
  return flash::deviceFromJtag(output);
}

/// The description has to be of the bitstream's family, or registers of another one were written.
Status checkDescription(const LoadedFile& file) {
  if (!file.description || !file.bitstream.configuration) return {};
  const auto* die = flash::findDieOfBitstream(*file.bitstream.configuration->idcode);
  if (die == nullptr || die->family == file.description->family) return {};
  return invalidArgument(
      fmt::format("the bitstream is for {}, its description is for a {}; take both "
                  "from one build",
                  die->name, familyName(file.description->family)));
}

Status needDescription(const LoadedFile& file, std::string_view what) {
  if (file.description) return {};
  return invalidArgument(
      fmt::format("{} needs the description of the bitstream: there is no {}.json and no vta.json "
                  "beside it; give "
                  "--description",
                  what, stemOf(file.path)));
}

flash::ClockRules clockRules(const FlashOptions& options) {
  return {.use_memory = options.use_memory, .take_slower = options.slower_clock};
}

Status load(const FlashOptions& options, const System& system, const LoadedFile& file,
            FlashReport& report) {
  if (report.via == Via::kXrt) {
    if (file.bitstream.format != flash::BitstreamFormat::kXclbin) {
      return invalidArgument("--via xrt takes .xclbin files; this is a " +
                             std::string(formatName(file.bitstream.format)));
    }
    return loadByXrt(system, file.path, options.card);
  }
  if (report.via == Via::kJtag) {
    if (file.bitstream.format != flash::BitstreamFormat::kBit) {
      return invalidArgument("--via jtag takes .bit files; this is a " +
                             std::string(formatName(file.bitstream.format)));
    }
    return loadByJtag(system, file.path, options.jtag_options);
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> image, managerImage(file.bitstream, file.data));
  report.firmware = flash::firmwareName(image);
  if (report.via == Via::kManager) return loadByManager(system, image);
  VTA_RETURN_IF_ERROR(needDescription(file, fmt::format("--via {}", viaName(report.via))));
  return report.via == Via::kOverlay ? loadByOverlay(system, image, *file.description)
                                     : loadByDfx(system, image, *file.description);
}

/// What follows the loading on the board itself.
Status settle(const FlashOptions& options, const System& system,
              const BoardDescription& description, FlashReport& report) {
  const bool by_overlay = report.via == Via::kOverlay || report.via == Via::kDfx;
  const flash::ClockRules rules = clockRules(options);
  VTA_ASSIGN_OR_RETURN(report.needs, confirmClocks(system, description, rules, report.needs));
  VTA_ASSIGN_OR_RETURN(auto ports, meetPorts(system, description, options.use_memory, by_overlay));
  report.needs.insert(report.needs.end(), ports.begin(), ports.end());
  auto identity = readIdentity(system, description, options.use_memory, report.identity_source);
  if (!identity.ok()) {
    if (identity.status().code() != StatusCode::kNotFound) return identity.status();
    report.warnings.push_back("what was loaded is not verified: " + identity.status().message());
    return {};
  }
  report.identity = *identity;
  return checkReadBack(*identity, description);
}

}  // namespace

Result<LoadedFile> loadFile(const FlashOptions& options) {
  LoadedFile file;
  file.path = options.bitstream;
  VTA_ASSIGN_OR_RETURN(file.data, readFile(file.path, kMostBytes));
  auto bitstream = flash::readBitstream(file.data);
  if (!bitstream.ok())
    return bitstream.status().withContext(fmt::format("'{}'", options.bitstream));
  file.bitstream = *std::move(bitstream);
  const std::filesystem::path description = descriptionFile(options);
  if (description.empty()) return file;
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(description));
  VTA_ASSIGN_OR_RETURN(file.description, flash::parseDescription(text, description.string()));
  return file;
}

Result<FlashReport> flashFile(const FlashOptions& options, const System& system,
                              const LoadedFile& file) {
  FlashReport report;
  VTA_RETURN_IF_ERROR(checkDescription(file));
  VTA_ASSIGN_OR_RETURN(report.via, viaOf(options, system, file));
  if (file.bitstream.configuration && report.via != Via::kXrt) {
    VTA_ASSIGN_OR_RETURN(report.device, deviceOf(options, system, report.via));
    const Status fits = checkDie(file.bitstream, report.device->die);
    if (!fits.ok()) return fits.withContext(fmt::format("'{}'", options.bitstream));
  }
  if (file.bitstream.header && file.bitstream.header->isPartial() && report.via != Via::kXrt) {
    return unsupported(
        fmt::format("'{}' is a partial bitstream, for a region of another design; load a full one",
                    options.bitstream));
  }
  const bool is_here = report.via != Via::kXrt && report.via != Via::kJtag;
  if (is_here) VTA_RETURN_IF_ERROR(checkUnused(system));
  if (is_here && file.description) {
    VTA_ASSIGN_OR_RETURN(report.needs, meetClocks(system, *file.description, clockRules(options)));
  }
  VTA_RETURN_IF_ERROR(load(options, system, file, report));
  if (!is_here) return report;
  if (!file.description) {
    report.warnings.emplace_back(
        "no description beside the bitstream: clocks, port widths and identification are not "
        "checked");
    return report;
  }
  VTA_RETURN_IF_ERROR(settle(options, system, *file.description, report));
  return report;
}

Result<std::vector<std::string>> writePackage(const std::filesystem::path& folder,
                                              const LoadedFile& file) {
  VTA_RETURN_IF_ERROR(needDescription(file, "--package"));
  VTA_RETURN_IF_ERROR(checkDescription(file));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> image, managerImage(file.bitstream, file.data));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return ioError(fmt::format("cannot make folder '{}': {}", folder.string(), error.message()));
  const std::string stem = stemOf(file.path);
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
