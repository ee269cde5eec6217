// The FPGA dies that boards with a Zynq carry, by the numbers that identify them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vta::flash {

enum class FpgaFamily : uint8_t { kZynq7000, kZynqMp };
/// "zynq", "zynqmp": the names in configs/boards.
std::string_view familyName(FpgaFamily family);

/// One die. Packages, speed grades and variants (CG, EG, EV) of a die take the same bitstreams.
///
/// A Zynq UltraScale+ has two JTAG controllers with an IDCODE each: configuration packets carry the
/// one of the programmable logic, the processing system reads its own. On a Zynq-7000 they are one.
struct FpgaDie {
  std::string_view name;  // "xc7z020"
  FpgaFamily family = FpgaFamily::kZynq7000;
  uint32_t bitstream_idcode = 0;  // what a bitstream writes to the register IDCODE
  uint32_t system_idcode = 0;     // what the processing system and JTAG report
};

/// Without the revision of the silicon, which the upper four bits count.
constexpr uint32_t withoutRevision(uint32_t idcode) { return idcode & 0x0fffffffu; }

std::span<const FpgaDie> fpgaDies();

/// The die with that IDCODE in its bitstreams, or that the processing system reads; nullptr if
/// there is none in the table. The revision does not matter.
const FpgaDie* findDieOfBitstream(uint32_t idcode);
const FpgaDie* findDieOfSystem(uint32_t idcode);
/// By its name or by the name of a part with it: "xc7z020", "7z020clg484", "xczu3eg-sbva484-1-i".
const FpgaDie* findDieOfPart(std::string_view part);

/// "xc7z020 (IDCODE 0x03727093)", or "an unknown die (IDCODE ...)".
std::string describeIdcode(uint32_t bitstream_idcode);

}  // namespace vta::flash
