#include "driver/flash/board/program_board.h"

#include <fmt/format.h>

#include <utility>

#include "driver/flash/board/clocks.h"
#include "driver/flash/board/found_device.h"

namespace vta::flash {
namespace {

Result<Via> viaOf(const FlashRequest& request, const System& system, const BitstreamFile& file) {
  if (const auto via = viaFromName(request.via)) return *via;
  const bool is_container = file.bitstream.format == BitstreamFormat::kXclbin;
  return chooseVia(system, file.description.has_value(), is_container);
}

Result<FoundDevice> deviceOf(const FlashRequest& request, const System& system, Via via) {
  if (!request.die.empty()) {
    VTA_ASSIGN_OR_RETURN(FpgaDie die, dieFromText(request.die));
    return FoundDevice{die, "--die"};
  }
  if (via != Via::kJtag) return findDevice(system);
  std::vector<std::string> command = {"openFPGALoader"};
  command.insert(command.end(), request.jtag_options.begin(), request.jtag_options.end());
  command.emplace_back("--detect");
  VTA_ASSIGN_OR_RETURN(const std::string output, system.run(command));
  return deviceFromJtag(output);
}

ClockRules clockRules(const FlashRequest& request) {
  return {.use_memory = request.use_memory, .take_slower = request.slower_clock};
}

/// What the way itself wants of the file.
Status checkWay(const BitstreamFile& file, Via via) {
  const std::string option = fmt::format("--via {}", viaName(via));
  if (isOnBoard(via)) {
    VTA_RETURN_IF_ERROR(managerImage(file.bitstream, file.data).status());
    return via == Via::kManager ? Status() : needDescription(file, option);
  }
  const BitstreamFormat format =
      via == Via::kXrt ? BitstreamFormat::kXclbin : BitstreamFormat::kBit;
  if (file.bitstream.format == format) return {};
  return invalidArgument(fmt::format("{} takes {} files; this is a {}", option, formatName(format),
                                     formatName(file.bitstream.format)));
}

Status load(const FlashRequest& request, const System& system, const BitstreamFile& file,
            FlashReport& report) {
  if (report.via == Via::kXrt) return loadByXrt(system, file.path, request.card);
  if (report.via == Via::kJtag) return loadByJtag(system, file.path, request.jtag_options);
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> image, managerImage(file.bitstream, file.data));
  report.firmware = firmwareName(image);
  if (report.via == Via::kManager) return loadByManager(system, image);
  return report.via == Via::kOverlay ? loadByOverlay(system, image, *file.description)
                                     : loadByDfx(system, image, *file.description);
}

/// What follows the loading on the board itself.
Status settle(const FlashRequest& request, const System& system,
              const BoardDescription& description, FlashReport& report) {
  const bool by_overlay = report.via == Via::kOverlay || report.via == Via::kDfx;
  const ClockRules rules = clockRules(request);
  VTA_ASSIGN_OR_RETURN(report.needs, confirmClocks(system, description, rules, report.needs));
  VTA_ASSIGN_OR_RETURN(auto ports, meetPorts(system, description, request.use_memory, by_overlay));
  report.needs.insert(report.needs.end(), ports.begin(), ports.end());
  auto identity = readIdentity(system, description, request.use_memory, report.identity_source);
  if (!identity.ok()) {
    if (identity.status().code() != StatusCode::kNotFound) return identity.status();
    report.warnings.push_back("what was loaded is not verified: " + identity.status().message());
    return {};
  }
  report.identity = *identity;
  return checkReadBack(*identity, description);
}

}  // namespace

bool isOnBoard(Via via) { return via != Via::kXrt && via != Via::kJtag; }

Result<FlashReport> checkFlash(const FlashRequest& request, const System& system,
                               const BitstreamFile& file) {
  FlashReport report;
  VTA_RETURN_IF_ERROR(checkDescription(file));
  VTA_ASSIGN_OR_RETURN(report.via, viaOf(request, system, file));
  if (report.via == Via::kXrt) {
    VTA_RETURN_IF_ERROR(checkWay(file, report.via));
    return report;
  }
  if (file.bitstream.configuration) {
    VTA_ASSIGN_OR_RETURN(const FoundDevice device, deviceOf(request, system, report.via));
    const Status fits = checkDie(file.bitstream, device.die);
    if (!fits.ok()) return fits.withContext(fmt::format("'{}'", file.path.string()));
    report.die = device.die.name;
    report.die_source = device.source;
  }
  if (file.bitstream.header && file.bitstream.header->isPartial()) {
    return unsupported(
        fmt::format("'{}' is a partial bitstream, for a region of another design; load a full one",
                    file.path.string()));
  }
  VTA_RETURN_IF_ERROR(checkWay(file, report.via));
  return report;
}

Result<FlashReport> programBoard(const FlashRequest& request, const System& system,
                                 const BitstreamFile& file, FlashReport report) {
  const bool is_on_board = isOnBoard(report.via);
  if (is_on_board && file.description) {
    VTA_ASSIGN_OR_RETURN(report.needs, meetClocks(system, *file.description, clockRules(request)));
  }
  VTA_RETURN_IF_ERROR(load(request, system, file, report));
  if (!is_on_board) return report;
  if (!file.description) {
    report.warnings.emplace_back(
        "no description beside the bitstream: clocks, port widths and identification are not "
        "checked");
    return report;
  }
  VTA_RETURN_IF_ERROR(settle(request, system, *file.description, report));
  return report;
}

}  // namespace vta::flash
