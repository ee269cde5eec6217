#include "driver/flash/board/loaders.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/temporary_folder.h"
#include "driver/flash/format/bitstream.h"
#include "driver/flash/package/package_files.h"

namespace vta::flash {
namespace {

constexpr std::string_view kManagerFolder = "/sys/class/fpga_manager/fpga0";
constexpr std::string_view kOverlays = "/sys/kernel/config/device-tree/overlays";
constexpr std::string_view kFirmware = "/lib/firmware";
constexpr std::string_view kUserFolder = "vta";
constexpr std::string_view kDfxPackages = "/lib/firmware/xilinx";
constexpr std::string_view kOverlayName = "vta";

std::string inFolder(std::string_view folder, std::string_view name) {
  return fmt::format("{}/{}", folder, name);
}

Status checkState(const System& system) {
  VTA_ASSIGN_OR_RETURN(const std::string state, managerState(system));
  if (state == "operating") return {};
  return {
      StatusCode::kDeviceFault,
      fmt::format("the FPGA manager's state is '{}' after loading, not 'operating'; the kernel's "
                  "log ('dmesg') says why",
                  state)};
}

/// The name for the kernel, below kFirmware: in the folder that scripts/board/setup gives to the
/// board's users, if it is there.
std::string placeOf(const System& system, std::span<const std::byte> image) {
  const bool has_folder = system.exists(inFolder(kFirmware, kUserFolder));
  return (has_folder ? inFolder(kUserFolder, "") : "") + firmwareName(image);
}

/// Compiles an overlay with the device-tree compiler.
Result<std::vector<std::byte>> compileOverlay(const System& system, const std::string& source) {
  VTA_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create("vta-flash"));
  const std::filesystem::path input = folder.path() / "vta.dtso";
  const std::filesystem::path output = folder.path() / "vta.dtbo";
  const System files;  // temporary files lie outside of any other root
  VTA_RETURN_IF_ERROR(files.install(input.string(), source));
  const auto ran = system.run(
      {"dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", output.string(), input.string()});
  if (!ran.ok()) return ran.status().withContext("device-tree-compiler");
  return readFile(output);
}

Status removeOverlay(const System& system, const std::string& overlay) {
  if (!system.exists(overlay)) return {};
  system.announceChange();
  std::error_code error;
  std::filesystem::remove(system.at(overlay), error);  // a rmdir takes it off
  if (error) return accessError("remove the overlay", system.at(overlay), error.value());
  return {};
}

Status applyOverlay(const System& system, const std::string& overlay,
                    std::span<const std::byte> compiled) {
  std::error_code error;
  std::filesystem::create_directory(system.at(overlay), error);
  if (error) return accessError("make the overlay", system.at(overlay), error.value());
  system.announceChange();
  VTA_RETURN_IF_ERROR(system.install(overlay + "/dtbo", compiled));
  return {};
}

}  // namespace

std::string_view viaName(Via via) {
  constexpr std::array<std::string_view, 5> kNames = {"manager", "overlay", "dfx", "xrt", "jtag"};
  return kNames[static_cast<size_t>(via)];
}

std::optional<Via> viaFromName(std::string_view name) {
  for (const Via via : {Via::kManager, Via::kOverlay, Via::kDfx, Via::kXrt, Via::kJtag}) {
    if (name == viaName(via)) return via;
  }
  return std::nullopt;
}

Result<Via> chooseVia(const System& system, bool has_description, bool is_container) {
  if (is_container && system.hasCommand("xbutil")) return Via::kXrt;
  if (has_description && system.hasCommand("dfx-mgr-client")) return Via::kDfx;
  const bool has_manager = system.exists(kManagerFolder);
  if (has_manager && system.exists(inFolder(kManagerFolder, "firmware"))) return Via::kManager;
  if (has_description && has_manager && system.exists(kOverlays)) return Via::kOverlay;
  if (has_manager) {
    return notFound(
        "this kernel's FPGA manager has no attribute 'firmware' (only AMD's kernels do), and "
        "without a description beside the bitstream there is no overlay; give --description");
  }
  return notFound(
      "no FPGA manager in /sys/class/fpga_manager: this is no board, or its kernel lacks the "
      "driver; "
      "from a PC, --via jtag programs a board at a cable");
}

Result<std::string> managerState(const System& system) {
  return system.readAttribute(inFolder(kManagerFolder, "state"));
}

Status loadByManager(const System& system, std::span<const std::byte> image) {
  const std::string firmware = inFolder(kManagerFolder, "firmware");
  if (!system.exists(firmware)) {
    return notFound(
        fmt::format("no {}: the kernel has no FPGA manager, or not AMD's; try --via overlay",
                    system.at(firmware).string()));
  }
  const std::string name = placeOf(system, image);
  VTA_RETURN_IF_ERROR(system.install(inFolder(kFirmware, name), image));
  const std::string flags = inFolder(kManagerFolder, "flags");
  if (system.exists(flags)) VTA_RETURN_IF_ERROR(system.writeAttribute(flags, "0"));  // all of it
  VTA_RETURN_IF_ERROR(system.writeAttribute(firmware, name));
  return checkState(system);
}

Status loadByOverlay(const System& system, std::span<const std::byte> image,
                     const BoardDescription& description) {
  if (!system.exists(kOverlays)) {
    return notFound(fmt::format(
        "no {}: mount configfs ('mount -t configfs none /sys/kernel/config'); the kernel "
        "needs CONFIG_OF_CONFIGFS, which AMD's kernels have",
        kOverlays));
  }
  const std::string name = placeOf(system, image);
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> compiled,
                       compileOverlay(system, overlaySource(description, name)));
  VTA_RETURN_IF_ERROR(system.install(inFolder(kFirmware, name), image));
  const std::string overlay = inFolder(kOverlays, kOverlayName);
  VTA_RETURN_IF_ERROR(removeOverlay(system, overlay));
  VTA_RETURN_IF_ERROR(applyOverlay(system, overlay, compiled));
  const auto status = system.readAttribute(overlay + "/status");
  if (status.ok() && *status != "applied") {
    return {StatusCode::kDeviceFault,
            fmt::format("the overlay is '{}', not 'applied'; the kernel's log ('dmesg') says why",
                        *status)};
  }
  return checkState(system);
}

Status loadByDfx(const System& system, std::span<const std::byte> image,
                 const BoardDescription& description) {
  std::string name = firmwareName(image);
  name.resize(name.find('.'));
  const std::string folder = inFolder(kDfxPackages, name);
  const std::string firmware = name + ".bit.bin";
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> overlay,
                       compileOverlay(system, overlaySource(description, firmware)));
  VTA_RETURN_IF_ERROR(system.install(inFolder(folder, firmware), image));
  VTA_RETURN_IF_ERROR(system.install(inFolder(folder, name + ".dtbo"), overlay));
  VTA_RETURN_IF_ERROR(system.install(inFolder(folder, "shell.json"), dfxShell()));
  VTA_RETURN_IF_ERROR(system.install(inFolder(folder, "accel.json"), dfxAccelerator(description)));
  system.announceChange();
  // Fails when nothing is loaded, which is no matter.
  (void)system.run({"dfx-mgr-client", "-remove"}).ok();
  const auto loaded = system.run({"dfx-mgr-client", "-load", name});
  return loaded.ok() ? Status() : loaded.status();
}

Status loadByXrt(const System& system, const std::filesystem::path& container,
                 const std::string& card) {
  std::vector<std::string> command = {"xbutil", "program", "--user", container.string()};
  if (!card.empty()) command.insert(command.end(), {"--device", card});
  const auto ran = system.run(command);
  return ran.ok() ? Status() : ran.status();
}

Status loadByJtag(const System& system, const std::filesystem::path& bit_file,
                  const std::vector<std::string>& options) {
  std::vector<std::string> command = {"openFPGALoader"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(bit_file.string());
  const auto ran = system.run(command);
  return ran.ok() ? Status() : ran.status();
}

}  // namespace vta::flash
