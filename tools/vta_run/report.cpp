#include "tools/vta_run/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "module/analysis/crossings.h"
#include "module/analysis/float_tolerance.h"
#include "module/analysis/layer_machines.h"
#include "tools/vta_run/profile.h"

namespace vta::tools {
namespace {

// The time that the hardware would take.
std::string cycleLine(const RunReport& report, size_t columns) {
  if (!report.has_cycles || report.total.cycles == 0) return "";
  return fmt::format("{} cycles on the VTA: {:.3g} ms at {} MHz\n{}",
                     formatCount(report.total.cycles), vtaMilliseconds(report, report.total.cycles),
                     report.hw->params().clockMhz(), clockWarningLine(report, columns));
}

std::string macLine(const RunReport& report) {
  const MacTotals macs = countMacs(*report.module);
  if (macs.all == 0) return "";
  if (report.hw == nullptr) return fmt::format("{} MACs\n", formatCount(macs.all));
  return fmt::format("{} MACs, {:.2f} % of them on the VTA\n", formatCount(macs.all),
                     100.0 * static_cast<double>(macs.on_vta) / static_cast<double>(macs.all));
}

// How often data leaves the VTA between two of its layers.
std::string crossingLine(const RunReport& report, size_t columns) {
  if (report.module->hw() == nullptr) return "";
  const std::vector<Crossing> crossings = findCrossings(*report.module);
  if (crossings.empty()) return "no crossing: nothing leaves the VTA between two of its layers\n";
  constexpr size_t kMostNames = 4;
  std::vector<std::string> names;
  for (const Crossing& crossing : crossings) {
    const StepInfo& step = report.module->steps[crossing.step];
    std::string name = report.module->layers[step.layer].op;
    if (names.size() < kMostNames && std::ranges::find(names, name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  const std::string line =
      fmt::format("{} crossing{}: tensors that go from the VTA to the CPU and back, for {}",
                  crossings.size(), crossings.size() == 1 ? "" : "s", fmt::join(names, ", "));
  return wrapLine(line, columns, 4) + "\n";
}

std::string outputText(const RunReport& report, const OutputReport& output) {
  std::string text = fmt::format("{}: {}\n", output.name, describe(output.dtype, output.shape));
  for (const ClassScore& entry : output.top) {
    text += fmt::format("  {:>12.6g}  {}\n", entry.score, labelOf(report, entry.index));
  }
  if (!output.file.empty()) text += fmt::format("  written to {}\n", output.file);
  if (output.difference) {
    const Difference& d = *output.difference;
    text += fmt::format("  reference: largest difference {:.6g}, mean {:.6g}, {} of {} differ\n",
                        d.max_abs, d.mean_abs, d.different, d.count);
  }
  return text;
}

/// What layers run on that have references: "the VTA", or the names of the machines.
std::string otherMachines(const ModuleInfo& module) {
  std::vector<std::string> names;
  for (const ExecutorInfo& executor : module.executors) {
    if (executor.kind != kCpuKind) names.push_back(executor.name);
  }
  const bool is_vta = names.empty() || (names.size() == 1 && module.hw() != nullptr);
  return is_vta ? "the VTA" : fmt::format("{}", fmt::join(names, ", "));
}

std::string percent(int64_t part, int64_t all) {
  return fmt::format("{:.1f} % ({} of {})", all == 0 ? 0.0 : 100.0 * part / all, part, all);
}

std::string batchText(const RunReport& report) {
  const BatchReport& batch = report.batch;
  std::string text;
  for (const BatchReport::Entry& entry : batch.entries) {
    if (entry.top.empty()) continue;
    text += fmt::format("  {}: {} ({:.4g})\n", entry.name, labelOf(report, entry.top[0].index),
                        entry.top[0].score);
  }
  const auto count = batch.entries.size();
  text += fmt::format("{} samples in {}: {:.1f} samples/s\n", count, formatSeconds(batch.seconds),
                      static_cast<double>(count) / batch.seconds);
  const auto scoreLine = [&](const char* title, const Scoreboard& score) {
    text += fmt::format("{}top-1 {:.2f} %, top-5 {:.2f} % of {} labelled samples\n", title,
                        100 * score.top1(), 100 * score.top5(), score.scored());
  };
  if (batch.score) scoreLine("", *batch.score);
  if (batch.float_score) scoreLine("float: ", *batch.float_score);
  return text;
}

}  // namespace

std::string verifiedLine(uint64_t layers, const ModuleInfo& module) {
  double tolerance = 0;
  for (const ExecutorInfo& executor : module.executors) {
    tolerance = std::max(tolerance, floatToleranceOf(executor));
  }
  const std::string floats =
      tolerance == 0
          ? ""
          : fmt::format(", floats within {:g} of the largest element of their tensor", tolerance);
  return fmt::format("verified: {} layers on {} equal their references bit for bit{}\n", layers,
                     otherMachines(module), floats);
}

std::string energyNote(const EnergySource& source) {
  return fmt::format(
      "an estimate from published figures for {} ({}): DRAM, scratchpads and arithmetic of what "
      "runs "
      "on the VTA, {} leakage and clocks; see docs/energy.md",
      source.node, source.name, source.has_static ? "with" : "without");
}

uint64_t dramReadBytes(const LaunchCounters& counters) {
  return counters.load.read_bytes + counters.compute.read_bytes + counters.fetch.read_bytes;
}

uint64_t leastReadBeats(const HwConfig& hw, const LaunchCounters& counters) {
  // The ports that only INP and WGT are read through share the load unit's bytes in a way that its
  // counter does not tell.
  const auto beat_bytes = static_cast<uint64_t>(hw.params().axi_data_width_bits) / 8;
  const auto read_ports = static_cast<uint64_t>(std::min(hw.params().axi_ports, 3));
  const uint64_t first_port = counters.compute.read_bytes + counters.fetch.read_bytes;
  const uint64_t of_all = dramReadBytes(counters) / read_ports;
  return (read_ports > 1 ? std::max(first_port, of_all) : of_all) / beat_bytes;
}

uint64_t rooflineCycles(const HwConfig& hw, int64_t macs, const LaunchCounters& counters) {
  const auto array = static_cast<uint64_t>(hw.batch()) * static_cast<uint64_t>(hw.blockIn()) *
                     static_cast<uint64_t>(hw.blockOut());
  const auto beat_bytes = static_cast<uint64_t>(hw.params().axi_data_width_bits) / 8;
  return std::max({static_cast<uint64_t>(macs) / array, leastReadBeats(hw, counters),
                   counters.store.write_bytes / beat_bytes});
}

ComputeShares computeShares(const LaunchCounters& counters) {
  if (counters.cycles == 0) return {};
  const auto percent = [&](uint64_t cycles) {
    return 100.0 * static_cast<double>(cycles) / static_cast<double>(counters.cycles);
  };
  const UnitCounters& compute = counters.compute;
  const uint64_t known = compute.busy_cycles + compute.stall_token_cycles +
                         compute.stall_memory_cycles + compute.stall_hazard_cycles;
  return {percent(compute.busy_cycles),
          percent(counters.compute_waits_for_load_cycles),
          percent(counters.compute_waits_for_store_cycles),
          percent(compute.stall_token_cycles),
          percent(compute.stall_memory_cycles),
          percent(compute.stall_hazard_cycles),
          percent(counters.cycles - std::min(known, counters.cycles))};
}

MacTotals countMacs(const ModuleInfo& module) {
  MacTotals totals;
  const std::vector<uint32_t> executors = executorsOfLayers(module);
  for (size_t i = 0; i < module.layers.size(); ++i) {
    const int64_t macs = module.layers[i].macs;
    totals.all += macs;
    const std::string& kind = module.executors[executors[i]].kind;
    if (kind == kVtaKind) totals.on_vta += macs;
    if (kind == kGpuKind) totals.on_gpu += macs;
  }
  return totals;
}

std::string labelOf(const RunReport& report, int64_t index) {
  const bool has_label = index >= 0 && static_cast<size_t>(index) < report.labels.size();
  return has_label ? report.labels[index] : fmt::format("class {}", index);
}

std::string textReport(const RunReport& report, const RunOptions& options) {
  const size_t columns = profileColumns();
  std::string head = fmt::format("{} on {}", report.module->model, report.device);
  if (report.hw != nullptr) head += fmt::format(", {}", report.hw->summary());
  std::string text = wrapLine(head, columns, 4) + "\n";
  text += fmt::format("input: {}\n", report.input);
  const std::string profile = profileText(report, options.profile, columns);
  text += profile.empty() ? cycleLine(report, columns) : profile;
  text += macLine(report);
  text += crossingLine(report, columns);
  if (report.batch.entries.size() > 1) {
    text += batchText(report);
  } else {
    if (options.timing_only)
      text += "outputs: none, --timing-only computes no values\n";
    else
      for (const OutputReport& output : report.outputs) text += outputText(report, output);
    if (report.batch.score && report.batch.score->scored() > 0) text += batchText(report);
  }
  if (report.batch.agreement.compared() > 0) {
    text +=
        fmt::format("same class as the float model: {}\n",
                    percent(report.batch.agreement.agreed(), report.batch.agreement.compared()));
  }
  if (options.verify) text += verifiedLine(report.verified_steps, *report.module);
  const PhaseSeconds& s = report.seconds;
  // Time on this machine: a simulation's says nothing about the accelerator.
  const std::string phases =
      fmt::format("import {}, quantise {}, compile {}, load {}, {} {}; peak memory {}",
                  formatSeconds(s.import), formatSeconds(s.quantise), formatSeconds(s.compile),
                  formatSeconds(s.load), report.is_simulated ? "simulation" : "run",
                  formatSeconds(s.run), formatBytes(report.peak_memory_bytes));
  return text + wrapLine(phases, columns, 4) + "\n";
}

}  // namespace vta::tools
