#include "driver/flash/board/clock_registers.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/flash/board/physical_window.h"

namespace vta::flash {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr uint32_t kDivisorMask = 0x3f;

/// Where a family has its dividers and PLLs: UG585 for SLCR, UG1087 for CRL_APB.
struct ClockLayout {
  int divisor0_lsb, divisor1_lsb, source_lsb;
  uint32_t source_mask;
  uint64_t plls[4];  // register by the source's number; 0: no PLL that these registers tell about
  int multiplier_lsb;
  uint32_t multiplier_mask;
  uint32_t halves_bit;  // set: the PLL's output is halved
  uint32_t enable_bit;
};
constexpr ClockLayout kZynqLayout = {
    8, 20, 4, 3, {0xf8000108, 0xf8000108, 0xf8000100, 0xf8000104}, 12, 0x7f, 0, 0};
constexpr ClockLayout kZynqMpLayout = {8, 16,   0,        7,       {0xff5e0020, 0, 0xff5e0030, 0},
                                       8, 0x7f, 1u << 16, 1u << 24};
constexpr uint64_t kZynqUnlock = 0xf8000008;
constexpr uint32_t kZynqUnlockKey = 0xdf0d;

const ClockLayout& layoutOf(FpgaFamily family) {
  return family == FpgaFamily::kZynq7000 ? kZynqLayout : kZynqMpLayout;
}

/// The page with the clock's register; PLLs and the lock are in the same one.
struct ClockPage {
  std::unique_ptr<PhysicalWindow> window;
  uint64_t base = 0;

  uint32_t read(uint64_t address) const { return window->read(address - base); }
  void write(uint64_t address, uint32_t value) { window->write(address - base, value); }
};

Result<ClockPage> openPage(const System& system, const ClockInfo& clock) {
  ClockPage page;
  page.base = clock.control_address / kPageBytes * kPageBytes;
  VTA_ASSIGN_OR_RETURN(page.window, PhysicalWindow::openMemory(system, page.base, kPageBytes));
  return page;
}

Result<double> sourceMhz(const ClockPage& page, const ClockInfo& clock, double reference_mhz) {
  const ClockLayout& layout = layoutOf(clock.family);
  const uint32_t source =
      page.read(clock.control_address) >> layout.source_lsb & layout.source_mask;
  const uint64_t pll = source < std::size(layout.plls) ? layout.plls[source] : 0;
  if (pll == 0) {
    return unsupported(fmt::format(
        "clock {} comes from source {}, whose frequency is not known here", clock.name, source));
  }
  const uint32_t control = page.read(pll);
  const double multiplier = control >> layout.multiplier_lsb & layout.multiplier_mask;
  return reference_mhz * multiplier / ((control & layout.halves_bit) != 0 ? 2 : 1);
}

/// What two divisors make of a PLL's frequency.
struct Divisors {
  uint32_t first = 0;  // 0: there are none
  uint32_t second = 0;
  double mhz = 0;
};

/// The nearest frequencies on both sides of a wanted one.
struct NearestClocks {
  Divisors below;  // may be the wanted one
  Divisors above;
};

NearestClocks nearestClocks(double source_mhz, double wanted_mhz) {
  NearestClocks nearest;
  for (uint32_t second = 1; second <= kDivisorMask; ++second) {
    for (uint32_t first = 1; first <= kDivisorMask; ++first) {
      const Divisors made = {first, second, source_mhz / first / second};
      const bool is_below = made.mhz <= wanted_mhz * 1.000001;
      Divisors& side = is_below ? nearest.below : nearest.above;
      if (side.first == 0 || (is_below ? made.mhz > side.mhz : made.mhz < side.mhz)) side = made;
    }
  }
  return nearest;
}

/// That the PLL makes the wanted frequency, or may be slower.
Status checkNearest(const ClockInfo& clock, const NearestClocks& nearest, double source_mhz,
                    double mhz, bool take_slower) {
  if (nearest.below.first != 0 && (take_slower || nearest.below.mhz >= mhz * kLowestClockShare)) {
    return {};
  }
  std::string made = fmt::format("{:.6g} MHz", nearest.above.mhz);
  std::string remedy = "build the bitstream for that (clock_mhz)";
  if (nearest.below.first != 0) {
    made = nearest.above.first != 0 ? fmt::format("{:.6g} and {}", nearest.below.mhz, made)
                                    : fmt::format("{:.6g} MHz", nearest.below.mhz);
    remedy = fmt::format(
        "build the bitstream for what it makes (clock_mhz), or give --slower-clock to run it at "
        "{:.6g} MHz",
        nearest.below.mhz);
  }
  return unsupported(
      fmt::format("clock {} cannot have {:.6g} MHz: of its PLL's {:.6g} MHz the "
                  "divisors make {} next to it; {}",
                  clock.name, mhz, source_mhz, made, remedy));
}

}  // namespace

Result<double> readClockRegister(const System& system, const ClockInfo& clock,
                                 double reference_mhz) {
  VTA_ASSIGN_OR_RETURN(const ClockPage page, openPage(system, clock));
  VTA_ASSIGN_OR_RETURN(const double source_mhz, sourceMhz(page, clock, reference_mhz));
  const ClockLayout& layout = layoutOf(clock.family);
  const uint32_t control = page.read(clock.control_address);
  const uint32_t divisor0 = std::max(1u, control >> layout.divisor0_lsb & kDivisorMask);
  const uint32_t divisor1 = std::max(1u, control >> layout.divisor1_lsb & kDivisorMask);
  return source_mhz / divisor0 / divisor1;
}

Status setClockRegister(const System& system, const ClockInfo& clock, double reference_mhz,
                        double mhz, bool take_slower) {
  VTA_ASSIGN_OR_RETURN(ClockPage page, openPage(system, clock));
  VTA_ASSIGN_OR_RETURN(const double source_mhz, sourceMhz(page, clock, reference_mhz));
  const NearestClocks nearest = nearestClocks(source_mhz, mhz);
  VTA_RETURN_IF_ERROR(checkNearest(clock, nearest, source_mhz, mhz, take_slower));
  const ClockLayout& layout = layoutOf(clock.family);
  uint32_t control = page.read(clock.control_address);
  control &= ~(kDivisorMask << layout.divisor0_lsb | kDivisorMask << layout.divisor1_lsb);
  control |= nearest.below.first << layout.divisor0_lsb |
             nearest.below.second << layout.divisor1_lsb | layout.enable_bit;
  system.announceChange();
  if (clock.family == FpgaFamily::kZynq7000) page.write(kZynqUnlock, kZynqUnlockKey);
  page.write(clock.control_address, control);
  return {};
}

}  // namespace vta::flash
