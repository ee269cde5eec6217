// The ways on which a bitstream gets into an FPGA.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "driver/flash/board/system.h"
#include "driver/flash/format/description.h"

namespace vta::flash {

enum class Via : uint8_t {
  kManager,  // Linux's FPGA manager, by sysfs
  kOverlay,  // a device-tree overlay, by configfs
  kDfx,      // dfx-mgr, as on a Kria
  kXrt,      // XRT, for cards
  kJtag,     // openFPGALoader, from a PC
};
/// "manager", "overlay", "dfx", "xrt", "jtag".
std::string_view viaName(Via via);
/// Nothing for any other text.
std::optional<Via> viaFromName(std::string_view name);

/// The way that this machine offers: dfx-mgr before overlays before the FPGA manager. A way with an
/// overlay needs a description. Error: kNotFound when there is none.
Result<Via> chooseVia(const System& system, bool has_description, bool is_container);

/// Loads `image` (managerImage) by writing the firmware's name to the FPGA manager. Errors: there
/// is no manager, no attribute, no permission; the manager's state afterwards.
Status loadByManager(const System& system, std::span<const std::byte> image);

/// Loads `image` with the overlay of `description`, in place of the one that this loaded before.
Status loadByOverlay(const System& system, std::span<const std::byte> image,
                     const BoardDescription& description);

/// Installs a package of dfx-mgr and loads it in place of what is loaded.
Status loadByDfx(const System& system, std::span<const std::byte> image,
                 const BoardDescription& description);

/// Gives a container to a card; an empty `card` is the only one.
Status loadByXrt(const System& system, const std::filesystem::path& container,
                 const std::string& card);

/// `options` go to openFPGALoader: "--cable", "digilent".
Status loadByJtag(const System& system, const std::filesystem::path& bit_file,
                  const std::vector<std::string>& options);

/// What the FPGA manager says about itself now: "operating". Error kNotFound without one.
Result<std::string> managerState(const System& system);

}  // namespace vta::flash
