#include "explore/sweep/area/area_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "explore/sweep/area/area_data.h"
#include "explore/sweep/area/least_squares.h"
#include "explore/sweep/area/memories.h"
#include "isa/spec/memory_ports.h"
#include "isa/spec/parameters.h"
#include "isa/spec/user_operation.h"

namespace vta::sweep {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kNames[] = {"lut", "ff", "dsp", "bram36", "uram"};
constexpr double kRidge = 1e-3;
constexpr const char* kByModule = "by module";

/// The multiplexers of a transposing LOAD, one for each bit of an element of WGT that moves. They
/// are known, so nothing is fitted. Weight k of m x n comes from place k * n modulo m * n - 1, but
/// for the last: gcd(m - 1, n - 1) + 1 weights stay where they are.
double transposeLuts(const HwParams& p) {
  if (!p.ext_transpose) return 0;
  const int stay = std::gcd(p.block_in - 1, p.block_out - 1) + 1;
  return static_cast<double>(p.block_in * p.block_out - stay) * p.wgt_width_bits;
}

/// The multiplexers between the read channel and OUT, one for each bit of an element of INP.
double handoverLuts(const HwParams& p) {
  if (!p.ext_handover) return 0;
  return static_cast<double>(p.batch * p.block_in) * p.inp_width_bits;
}

/// The bits of an accumulator as a share of 32: what a lane is made of grows with them.
double accShare(const HwParams& p) { return p.acc_width_bits / 32.0; }

/// LUTs that are counted, not fitted.
double countedLuts(const HwConfig& hw) {
  return transposeLuts(hw.params()) + handoverLuts(hw.params()) + memoriesOf(hw).select_luts;
}

/// What the lanes have for users' operations: the operands and the results of all stages in
/// registers, once for all operations, and each one's function. Its LUTs are as its file says, else
/// those of adders and multiplexers of 32 bits.
AreaEstimate userOperationArea(const HwParams& p) {
  if (p.operations.empty()) return {};
  constexpr int kLutsOfStep = 32;
  const int stages = 4 + (p.ext_requant ? 1 : 0) + (p.pipeline == Pipeline::kRelaxed ? 0 : 1);
  AreaEstimate lane;
  lane.ff = 2 * kLaneBits + (stages - 1) * (p.acc_width_bits + 1);
  lane.lut = p.acc_width_bits;  // the choice between the results
  for (const auto& operation : p.operations.list()) {
    const LaneCost& cost = operation->text.cost;
    lane.lut += cost.luts != 0 ? cost.luts : kLutsOfStep * operation->row.adds;
    lane.dsp += cost.dsps;
  }
  const double lanes = static_cast<double>(p.batch * p.block_out) / p.alu_passes;
  return {lane.lut * lanes, lane.ff * lanes, lane.dsp * lanes, 0, 0};
}

/// Flip-flops that a relaxed pipeline does without: those behind the first of two stages of adders
/// (vta_gemm_dot.sv), and what a lane of the ALU shifts, {x, 0}, with its amount (vta_alu_lane.sv).
/// They are known, so nothing is fitted.
double savedFlipFlops(const HwParams& p) {
  if (p.pipeline != Pipeline::kRelaxed) return 0;
  constexpr int kZeros = 32;
  constexpr int kAmountBits = 6;
  const int levels = static_cast<int>(std::bit_width(static_cast<unsigned>(p.block_in))) - 1;
  const int first_levels = (levels + 1) / 2;
  const int sum_bits = p.inp_width_bits + p.wgt_width_bits + first_levels;
  const double outputs = p.batch * p.block_out;
  return outputs * (p.block_in >> first_levels) * sum_bits +
         outputs / p.alu_passes * (p.acc_width_bits + kZeros + kAmountBits);
}

/// A term for each extension: most add to every lane of the ALU, or of the GEMM core. pad_min is a
/// constant beside the others, handover one beside its multiplexers; transpose is counted and no
/// term.
void appendExtensions(const HwParams& p, std::vector<double>& features) {
  const double outputs = p.batch * p.block_out;
  const double lanes = outputs * accShare(p) / p.alu_passes;
  const auto is_apart = [](const IsaExtension& each) {
    return each.member == &HwParams::ext_transpose || each.member == &HwParams::ext_handover;
  };
  const bool has_others = std::ranges::any_of(isaExtensions(), [&](const IsaExtension& each) {
    return each.member != &HwParams::ext_pad_min && !is_apart(each) && p.*each.member;
  });
  for (const IsaExtension& extension : isaExtensions()) {
    double term = extension.member == &HwParams::ext_depthwise ? outputs : lanes;
    if (extension.member == &HwParams::ext_pad_min) term = has_others ? 1 : 0;
    if (extension.member == &HwParams::ext_handover) term = 1;
    if (extension.member == &HwParams::ext_transpose) continue;
    features.push_back(p.*extension.member ? term : 0);
  }
}

/// What LUTs and flip-flops are spent on. Every term is at least 0 and grows with what it counts.
std::vector<double> featuresOf(const HwConfig& hw) {
  const HwParams& p = hw.params();
  const double outputs = p.batch * p.block_out;
  const double lanes = outputs * accShare(p);
  // A product has the bits of both operands; in LUTs it has a row for each bit of the weight.
  const double products = outputs * p.block_in;
  const double macs = products * (p.inp_width_bits + p.wgt_width_bits) / 16;
  const double bus = p.axi_data_width_bits;
  const MemoryArea memories = memoriesOf(hw);
  std::vector<double> features = {
      1, macs, lanes, lanes / p.alu_passes,
      p.multipliers == Multipliers::kLut ? products * p.wgt_width_bits / 8 : 0,
      p.multipliers == Multipliers::kDoublePumped ? macs : 0, bus, memories.lutram_luts,
      memories.bram36, p.concurrent_compute ? 1.0 : 0, hw.encoding() == Encoding::kWide ? 1.0 : 0,
      static_cast<double>(p.axi_addr_width_bits), static_cast<double>(p.axi_outstanding_bursts),
      std::log2(p.axi_max_burst_beats),
      std::log2(static_cast<double>(p.token_queue_depth) * p.command_queue_depth),
      // A DMA of its own for weights: beats become elements, and elements addresses.
      (memoryPorts(p).loadDmas() - 1) * bus};
  appendExtensions(p, features);
  return features;
}

/// DSP blocks for a product of 8 bits (vta_gemm_sums.sv).
double blocksPerProduct(const HwParams& p) {
  if (p.multipliers == Multipliers::kLut) return 0;
  if (p.multipliers == Multipliers::kSingle || p.block_out == 1) return 1;
  return p.multipliers == Multipliers::kDoublePumped && p.block_in > 1 ? 0.25 : 0.5;
}

double dspOf(const HwConfig& hw) {
  const HwParams& p = hw.params();
  const double lanes = p.batch * p.block_out;
  const double alu_lanes = lanes / p.alu_passes;
  // The multiplier of each lane of the ALU has three, or two where 24 bits fit a port of a block.
  const double lane = p.acc_width_bits == 24 ? 2 : 3;
  // Seven are for addresses, and an eighth of what is handed over.
  const int addresses = p.ext_handover ? 8 : 7;
  return std::ceil(lanes * p.block_in * blocksPerProduct(p)) + lane * alu_lanes + addresses;
}

AreaEstimate areaFromJson(const Json& json) {
  return {json.at("lut"), json.at("ff"), json.at("dsp"), json.at("bram36"),
          json.value("uram", 0.0)};
}

// The data are part of the build, and a test reads them all.
std::vector<AreaPoint> readPoints() {
  std::vector<AreaPoint> points;
  for (const Json& json : Json::parse(kAreaPointsJson)) {
    if (!json.contains("used")) continue;  // not synthesised yet
    const auto hw = parseHwConfig(json.at("configuration").get<std::string>(), "area_points.json");
    assert(hw.ok());
    if (!hw.ok()) continue;
    points.push_back({*hw, areaFromJson(json.at("used")), json.at("method").get<std::string>()});
  }
  return points;
}

/// Counts of LUTs and flip-flops by module, which are higher, as flattened ones: by the mean ratio
/// of the configurations that were synthesised both ways.
std::array<double, 2> moduleRatios(const std::vector<AreaPoint>& points) {
  std::array<double, 2> sums = {0, 0};
  int pairs = 0;
  for (const AreaPoint& a : points) {
    for (const AreaPoint& b : points) {
      const bool is_pair = a.source == kByModule && b.source != kByModule;
      HwParams same = a.hw.params();
      same.name = b.hw.name();
      if (!is_pair || same != b.hw.params()) continue;
      sums[0] += a.used.lut / b.used.lut;
      sums[1] += a.used.ff / b.used.ff;
      ++pairs;
    }
  }
  if (pairs == 0) return {1, 1};
  return {sums[0] / pairs, sums[1] / pairs};
}

struct AreaModel {
  std::vector<double> lut;
  std::vector<double> ff;

  AreaEstimate estimate(const HwConfig& hw) const {
    const std::vector<double> features = featuresOf(hw);
    const MemoryArea memories = memoriesOf(hw);
    const AreaEstimate own = userOperationArea(hw.params());
    return {dot(lut, features) + countedLuts(hw) + own.lut,
            dot(ff, features) - savedFlipFlops(hw.params()) + own.ff, dspOf(hw) + own.dsp,
            memories.bram36, memories.uram};
  }
};

AreaModel fitModel(const std::vector<AreaPoint>& points) {
  std::vector<std::vector<double>> rows;
  std::vector<double> luts;
  std::vector<double> ffs;
  for (const AreaPoint& point : points) {
    rows.push_back(featuresOf(point.hw));
    luts.push_back(point.used.lut - countedLuts(point.hw));
    ffs.push_back(point.used.ff + savedFlipFlops(point.hw.params()));
  }
  return {fitNonNegative(rows, luts, kRidge), fitNonNegative(rows, ffs, kRidge)};
}

/// The points that the model is fitted to: one for each configuration, flattened where it was.
std::vector<AreaPoint> fittedPoints() {
  const std::vector<AreaPoint> all = readPoints();
  const std::array<double, 2> ratios = moduleRatios(all);
  std::vector<AreaPoint> points;
  for (const AreaPoint& point : all) {
    const bool is_flattened_too = std::ranges::any_of(all, [&](const AreaPoint& other) {
      HwParams same = point.hw.params();
      same.name = other.hw.name();
      return other.source != kByModule && same == other.hw.params();
    });
    if (point.source == kByModule && is_flattened_too) continue;
    points.push_back(point);
    if (point.source != kByModule) continue;
    points.back().used.lut /= ratios[0];
    points.back().used.ff /= ratios[1];
  }
  return points;
}

const AreaModel& model() {
  static const AreaModel fitted = fitModel(areaPoints());
  return fitted;
}

constexpr NeutralParameter kNeutral[] = {
    {"clock_mhz", "the RTL does not depend on the clock"},
    {"isa.depthwise_taps", "the taps use multipliers that are there"},
    {"isa.qmul_multiplier_bits", "the multiplier is in DSP blocks, two for 12 and for 18 bits"},
    {"isa.compat", "only programs are restricted; the RTL is the same"},
    {"timing", "the published core is not the RTL of this project, which the estimate is of"},
    {"operands.inp_width_bits", "one value is legal"},
    {"operands.out_width_bits", "one value is legal"},
};

}  // namespace

std::array<double, 5> valuesOf(const AreaEstimate& area) {
  return {area.lut, area.ff, area.dsp, area.bram36, area.uram};
}

std::span<const std::string_view> resourceNames() { return kNames; }

const std::vector<DeviceResources>& knownDevices() {
  static const std::vector<DeviceResources> devices = [] {
    std::vector<DeviceResources> read;
    const auto json = nlohmann::ordered_json::parse(kDevicesJson);
    for (const auto& [name, device] : json.items()) {
      read.push_back({name, device.at("boards"), areaFromJson(device)});
    }
    return read;
  }();
  return devices;
}

const DeviceResources* findDevice(std::string_view name) {
  const auto found = std::ranges::find(knownDevices(), name, &DeviceResources::name);
  return found == knownDevices().end() ? nullptr : &*found;
}

const std::vector<AreaPoint>& areaPoints() {
  static const std::vector<AreaPoint> points = fittedPoints();
  return points;
}

AreaEstimate estimateArea(const HwConfig& hw) { return model().estimate(hw); }

std::string fits(const AreaEstimate& area, const DeviceResources& device, double lut_margin) {
  const std::array<double, 5> used = valuesOf(area);
  const std::array<double, 5> has = valuesOf(device.has);
  std::string lacks;
  for (size_t i = 0; i < used.size(); ++i) {
    const bool is_soft = kNames[i] == "lut" || kNames[i] == "ff";
    const double limit = is_soft ? has[i] * (1 - lut_margin) : has[i];
    if (used[i] <= limit) continue;
    lacks +=
        fmt::format("{}{} {:.1f} of {:.1f}", lacks.empty() ? "" : ", ", kNames[i], used[i], limit);
  }
  return lacks;
}

std::array<AreaError, 4> crossValidate() {
  std::array<AreaError, 4> errors = {};
  const std::vector<AreaPoint>& points = areaPoints();
  for (size_t i = 0; i < points.size(); ++i) {
    std::vector<AreaPoint> others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto estimate = valuesOf(fitModel(others).estimate(points[i].hw));
    const auto used = valuesOf(points[i].used);
    for (size_t r = 0; r < errors.size(); ++r) {
      const double error = std::abs(estimate[r] / used[r] - 1);
      errors[r].mean += error / static_cast<double>(points.size());
      errors[r].worst = std::max(errors[r].worst, error);
    }
  }
  return errors;
}

std::span<const NeutralParameter> areaNeutralParameters() { return kNeutral; }

}  // namespace vta::sweep
