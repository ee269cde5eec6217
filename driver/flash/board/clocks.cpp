#include "driver/flash/board/clocks.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "driver/flash/board/clock_registers.h"
#include "driver/flash/format/ports.h"

namespace vta::flash {
namespace {

/// The attribute of the kernel's device for a clock: "xlnx,fclk" nodes, whose place depends on the
/// kernel; empty if there is none.
std::string clockAttribute(const System& system, const std::string& name) {
  for (const char* folder :
       {"/sys/devices/soc0/", "/sys/devices/platform/", "/sys/devices/platform/axi/",
        "/sys/devices/platform/amba/", "/sys/devices/soc0/amba/", "/sys/bus/platform/devices/"}) {
    for (const std::string& device : {name, "amba:" + name, "axi:" + name}) {
      const std::string file = folder + device + "/set_rate";
      if (system.exists(file)) return file;
    }
  }
  return "";
}

Result<double> attributeMhz(const System& system, const std::string& attribute) {
  VTA_ASSIGN_OR_RETURN(const std::string text, system.readAttribute(attribute));
  return std::strtod(text.c_str(), nullptr) / 1e6;
}

/// A clock through one of its two ways.
class Clock {
 public:
  Clock(const System& system, const BoardDescription& description, const ClockNeed& need)
      : system_(system),
        description_(description),
        need_(need),
        attribute_(clockAttribute(system, need.name)) {}

  bool hasAttribute() const { return !attribute_.empty(); }

  Result<double> read() const {
    if (hasAttribute()) return attributeMhz(system_, attribute_);
    return readClockRegister(system_, *info(), description_.reference_mhz);
  }
  Status set(bool take_slower) const {
    if (hasAttribute()) {
      return system_.writeAttribute(attribute_, fmt::format("{:.0f}", need_.mhz * 1e6));
    }
    return setClockRegister(system_, *info(), description_.reference_mhz, need_.mhz, take_slower);
  }

 private:
  const ClockInfo* info() const { return findClock(description_.family, need_.name); }

  const System& system_;
  const BoardDescription& description_;
  const ClockNeed& need_;
  std::string attribute_;
};

Status checkClockRate(const ClockNeed& need, bool take_slower, NeedReport& report) {
  report.found = fmt::format("{:.6g} MHz", report.mhz);
  if (report.mhz > need.mhz * kHighestClockShare) {
    return {
        StatusCode::kDeviceFault,
        fmt::format("{} runs at {:.6g} MHz, but the design was timed for {:.6g} MHz: results would "
                    "be wrong; something else sets this clock, or the kernel refuses to",
                    report.what, report.mhz, need.mhz)};
  }
  if (report.mhz >= need.mhz * kLowestClockShare) return {};
  if (!take_slower) {
    return unsupported(fmt::format(
        "{}: the kernel makes {:.6g} MHz of the {:.6g} MHz that the design was timed for; build it "
        "for a clock that the PLL can make, or give --slower-clock to run it at {:.6g} MHz",
        report.what, report.mhz, need.mhz, report.mhz));
  }
  report.warning = fmt::format("slower than the {:.6g} MHz that the design allows", need.mhz);
  return {};
}

Result<NeedReport> meetClock(const System& system, const BoardDescription& description,
                             const ClockNeed& need, const ClockRules& rules) {
  NeedReport report;
  report.what = "clock " + need.name;
  const Clock clock(system, description, need);
  if (!clock.hasAttribute() && !rules.use_memory) {
    if (need.multiplied) {
      return unsupported(report.what +
                         " has to be right before the design is loaded, whose own PLL multiplies "
                         "it, and the kernel has no device for it; give --dev-mem");
    }
    report.warning =
        "not checked: the kernel has no device for it; load with --via overlay, or give --dev-mem";
    return report;
  }
  VTA_ASSIGN_OR_RETURN(report.mhz, clock.read());
  const bool fits =
      report.mhz <= need.mhz * kHighestClockShare && report.mhz >= need.mhz * kLowestClockShare;
  if (!fits) {
    const double before_mhz = report.mhz;
    VTA_RETURN_IF_ERROR(clock.set(rules.take_slower));
    VTA_ASSIGN_OR_RETURN(report.mhz, clock.read());
    report.was_set = std::abs(report.mhz - before_mhz) > before_mhz * (1 - kLowestClockShare);
  }
  VTA_RETURN_IF_ERROR(checkClockRate(need, rules.take_slower, report));
  return report;
}

}  // namespace

Result<std::vector<NeedReport>> meetClocks(const System& system,
                                           const BoardDescription& description,
                                           const ClockRules& rules) {
  std::vector<NeedReport> reports;
  for (const ClockNeed& need : description.clocks) {
    VTA_ASSIGN_OR_RETURN(NeedReport report, meetClock(system, description, need, rules));
    reports.push_back(std::move(report));
  }
  return reports;
}

Result<std::vector<NeedReport>> confirmClocks(const System& system,
                                              const BoardDescription& description,
                                              const ClockRules& rules,
                                              const std::vector<NeedReport>& before) {
  VTA_ASSIGN_OR_RETURN(std::vector<NeedReport> reports, meetClocks(system, description, rules));
  for (size_t i = 0; i < reports.size(); ++i) {
    const double change_mhz = std::abs(reports[i].mhz - before[i].mhz);
    if (description.clocks[i].multiplied &&
        (reports[i].was_set || change_mhz > before[i].mhz * (1 - kLowestClockShare))) {
      return Status(
          StatusCode::kDeviceFault,
          fmt::format("{} changed from {:.6g} MHz while the design was loaded: the PLL that "
                      "multiplies it may have lost its lock; load the bitstream again",
                      reports[i].what, before[i].mhz));
    }
    reports[i].was_set |= before[i].was_set;
  }
  return reports;
}

}  // namespace vta::flash
