#include "driver/flash/format/fpga_dies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vta::flash {
namespace {

using enum FpgaFamily;

// Zynq-7000: UG585, register PSS_IDCODE. Zynq UltraScale+: the numbers of the processing system are
// those of UG1085, table of IDCODEs; those of the logic are what Vivado's bitstreams write.
constexpr std::array kDies = {
    FpgaDie{"xc7z007s", kZynq7000, 0x03723093, 0x03723093},
    FpgaDie{"xc7z010", kZynq7000, 0x03722093, 0x03722093},
    FpgaDie{"xc7z012s", kZynq7000, 0x0373c093, 0x0373c093},
    FpgaDie{"xc7z014s", kZynq7000, 0x03728093, 0x03728093},
    FpgaDie{"xc7z015", kZynq7000, 0x0373b093, 0x0373b093},
    FpgaDie{"xc7z020", kZynq7000, 0x03727093, 0x03727093},
    FpgaDie{"xc7z030", kZynq7000, 0x0372c093, 0x0372c093},
    FpgaDie{"xc7z035", kZynq7000, 0x03732093, 0x03732093},
    FpgaDie{"xc7z045", kZynq7000, 0x03731093, 0x03731093},
    FpgaDie{"xc7z100", kZynq7000, 0x03736093, 0x03736093},
    FpgaDie{"xczu1", kZynqMp, 0x04826093, 0x04688093},
    FpgaDie{"xczu2", kZynqMp, 0x04a43093, 0x04711093},
    FpgaDie{"xczu3", kZynqMp, 0x04a42093, 0x04710093},
    FpgaDie{"xczu4", kZynqMp, 0x04a47093, 0x04721093},
    FpgaDie{"xczu5", kZynqMp, 0x04a46093, 0x04720093},
    FpgaDie{"xczu6", kZynqMp, 0x0484b093, 0x04739093},
    FpgaDie{"xczu7", kZynqMp, 0x04a5a093, 0x04730093},
    FpgaDie{"xczu9", kZynqMp, 0x0484a093, 0x04738093},
    FpgaDie{"xck24", kZynqMp, 0x04a44093, 0x04714093},
    FpgaDie{"xck26", kZynqMp, 0x04a49093, 0x04724093},
};

template <typename Predicate>
const FpgaDie* findDie(Predicate fits) {
  const auto* found = std::ranges::find_if(kDies, fits);
  return found == kDies.end() ? nullptr : found;
}

/// Whether `part` goes on after the die's name as parts do: with a letter, a dash, or not at all.
/// "xczu3" is no name of an xczu39.
bool namesDie(std::string_view part, std::string_view die) {
  if (!part.starts_with(die)) return false;
  part.remove_prefix(die.size());
  const bool has_digit = !part.empty() && part.front() >= '0' && part.front() <= '9';
  return !has_digit && !part.starts_with("s");
}

}  // namespace

std::string_view familyName(FpgaFamily family) { return family == kZynq7000 ? "zynq" : "zynqmp"; }

std::span<const FpgaDie> fpgaDies() { return kDies; }

const FpgaDie* findDieOfBitstream(uint32_t idcode) {
  return findDie([&](const FpgaDie& die) {
    return withoutRevision(die.bitstream_idcode) == withoutRevision(idcode);
  });
}

const FpgaDie* findDieOfSystem(uint32_t idcode) {
  return findDie([&](const FpgaDie& die) {
    return withoutRevision(die.system_idcode) == withoutRevision(idcode);
  });
}

const FpgaDie* findDieOfPart(std::string_view part) {
  return findDie([&](const FpgaDie& die) {
    // Headers of .bit files leave out the "xc".
    return namesDie(part, die.name) || namesDie(part, die.name.substr(2));
  });
}

std::string describeIdcode(uint32_t bitstream_idcode) {
  const FpgaDie* die = findDieOfBitstream(bitstream_idcode);
  return fmt::format("{} (IDCODE 0x{:08x})", die != nullptr ? die->name : "an unknown die",
                     withoutRevision(bitstream_idcode));
}

}  // namespace vta::flash
