#include "driver/flash/board/needs.h"

#include <fmt/format.h>

#include "driver/flash/board/physical_window.h"
#include "driver/flash/format/ports.h"
#include "isa/registers/registers.h"

namespace vta::flash {
namespace {

constexpr uint64_t kWindowBytes = 4096;

/// Sets one field to `code` unless it has it; true if it had to.
Result<bool> meetField(const System& system, const WidthField& field, uint32_t code) {
  const uint64_t base = field.address / kWindowBytes * kWindowBytes;
  VTA_ASSIGN_OR_RETURN(const auto window, PhysicalWindow::openMemory(system, base, kWindowBytes));
  const uint64_t offset_bytes = field.address - base;
  const uint32_t mask = ((1u << field.bits) - 1) << field.lsb;
  const uint32_t wanted = code << field.lsb;
  const uint32_t found = window->read(offset_bytes);
  if ((found & mask) == wanted) return false;
  system.announceChange();
  window->write(offset_bytes, (found & ~mask) | wanted);
  if ((window->read(offset_bytes) & mask) == wanted) return true;
  return Status(StatusCode::kDeviceFault,
                fmt::format("the register 0x{:x} with a port's width keeps its value 0x{:x}",
                            field.address, found));
}

Result<NeedReport> meetPort(const System& system, const PortInfo& port, const PortNeed& need,
                            bool use_memory, bool by_overlay) {
  NeedReport report;
  report.what = "width of " + need.name;
  report.found = fmt::format("{} bits", need.width_bits);
  if (!use_memory) {
    report.was_set = by_overlay;
    if (by_overlay) return report;
    report.found.clear();
    report.warning =
        "not checked; a wrong width corrupts data: load with --via overlay, or give --dev-mem";
    return report;
  }
  const uint32_t code = widthCode(port, need.width_bits).value_or(0);
  for (const WidthField& field : {port.read, port.write}) {
    if (field.address == 0) continue;
    VTA_ASSIGN_OR_RETURN(const bool was_set, meetField(system, field, code));
    report.was_set |= was_set;
  }
  return report;
}

}  // namespace

Result<std::vector<NeedReport>> meetPorts(const System& system, const BoardDescription& description,
                                          bool use_memory, bool by_overlay) {
  std::vector<NeedReport> reports;
  for (const PortNeed& need : description.ports) {
    const PortInfo* port = findPort(description.family, need.name);
    if (port == nullptr || port->read.address == 0) continue;  // of one width
    VTA_ASSIGN_OR_RETURN(NeedReport report, meetPort(system, *port, need, use_memory, by_overlay));
    reports.push_back(std::move(report));
  }
  return reports;
}

Result<HardwareIdentity> readIdentity(const System& system, const BoardDescription& description,
                                      bool use_memory, std::string& source) {
  auto window = PhysicalWindow::openUio(system, description.registers_address);
  if (!window.ok() && use_memory) {
    window = PhysicalWindow::openMemory(system, description.registers_address, kWindowBytes);
  }
  if (!window.ok()) return window.status();
  const PhysicalWindow& registers = **window;
  source = registers.source();
  HardwareIdentity identity;
  identity.id = registers.read(reg::kId);
  identity.version = registers.read(reg::kVersion);
  identity.fingerprint =
      registers.read(reg::kFingerprint) | uint64_t{registers.read(reg::kFingerprint + 4)} << 32;
  identity.config = registers.read(reg::kConfig);
  identity.depths = registers.read(reg::kDepths);
  identity.last_uop_inp = registers.read(reg::kLastUopInp);
  identity.last_wgt_acc = registers.read(reg::kLastWgtAcc);
  identity.extension_bits = registers.read(reg::kExtensions);
  return identity;
}

Status checkReadBack(const HardwareIdentity& found, const BoardDescription& description) {
  const HardwareIdentity& wanted = description.identity;
  if (found == wanted) return {};
  if (found.id != wanted.id) {
    return {
        StatusCode::kDeviceFault,
        fmt::format("at 0x{:x} the register id reads 0x{:08x}, not 0x{:08x}: no VTA answers there; "
                    "the bitstream is another one, or the clock of the logic stands still",
                    description.registers_address, found.id, wanted.id)};
  }
  return {StatusCode::kDeviceFault,
          fmt::format(
              "the hardware is another configuration than its description says.\n  hardware:    "
              "fingerprint 0x{:016x}, {}\n  description: fingerprint 0x{:016x}, {}\nThe "
              "description belongs to another bitstream; take both from one build",
              found.fingerprint, describeIdentity(found), wanted.fingerprint,
              describeIdentity(wanted))};
}

}  // namespace vta::flash
