// The files that other tools want beside a bitstream of ours, from its description.
#pragma once

#include <string>

#include "driver/flash/format/description.h"

namespace vta::flash {

/// Source of a device-tree overlay: it loads the firmware, sets clocks and port widths, and gives
/// the registers with their interrupt to UIO. For 'dtc -@'.
std::string overlaySource(const BoardDescription& description, const std::string& firmware_name);

/// Hardware handoff for PYNQ's Overlay: the accelerator's registers, the clocks and the interrupt.
std::string hardwareHandoff(const BoardDescription& description, const std::string& name);

/// shell.json and accel.json of a dfx-mgr package without slots.
std::string dfxShell();
std::string dfxAccelerator(const BoardDescription& description);

}  // namespace vta::flash
