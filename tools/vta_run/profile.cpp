#include "tools/vta_run/profile.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "isa/config/clock_estimate.h"
#include "module/analysis/layer_machines.h"
#include "tools/common/print.h"
#include "tools/vta_run/array_bound.h"

namespace vta::tools {
namespace {

using Align = Table::Align;

constexpr size_t kMostColumns = 100;
constexpr size_t kFewestColumns = 80;
constexpr size_t kNameColumns = 30;
std::string percent(double share) { return fmt::format("{:.0f}", 100 * share); }
std::string percent(double share, bool is_there) { return is_there ? percent(share) : ""; }

std::string milliseconds(double ms) {
  if (ms >= 100) return fmt::format("{:.0f}", ms);
  return fmt::format("{:.{}f}", ms, ms >= 10 ? 1 : ms >= 1 ? 2 : 3);
}

/// How wide the counts of cycles of the layers are, in the run and alone.
size_t cycleColumns(const RunReport& report) {
  size_t in_run = 6, alone = 5;  // their heads
  for (const LayerReport& row : report.layers) {
    in_run = std::max(in_run, formatCount(row.cycles_in_run).size());
    alone = std::max(alone, formatCount(row.counters.cycles).size());
  }
  return in_run + alone;
}

std::string briefTable(const RunReport& report, size_t columns) {
  // Names get what numbers leave of the line; a narrow one has no room for energy.
  constexpr size_t kWithEnergy = 90;
  const bool has_energy = report.energy.has_value() && columns >= kWithEnergy;
  const bool is_cpu_only = report.hw == nullptr;
  const double all_seconds = profileTotals(report).all_ms / 1000;
  const size_t numbers = report.has_cycles ? 36 + cycleColumns(report) : is_cpu_only ? 28 : 10;
  const size_t names = columns - numbers - (has_energy ? 10 : 0) - 6;
  std::vector<Table::Column> heads = {{"layer", Align::kLeft, names * 3 / 5}, {"operator"}, {"on"}};
  if (report.has_cycles) {
    heads.push_back({"cycles", Align::kRight});
    heads.push_back({"alone", Align::kRight});
  }
  heads.push_back({"ms", Align::kRight});
  if (is_cpu_only) {
    heads.push_back({"share %", Align::kRight});
    heads.push_back({"GMAC/s", Align::kRight});
  }
  if (report.has_cycles) {
    heads.push_back({"roofline %", Align::kRight});
    heads.push_back({"limited by"});
  }
  if (has_energy) heads.push_back({"energy", Align::kRight});
  Table table(heads);
  for (const LayerReport& row : report.layers) {
    const LayerInfo& layer = *row.layer;
    const bool ran = row.counters.cycles > 0;
    std::vector<std::string> cells = {layer.name, printableName(layer.op, names * 2 / 5),
                                      row.machine->name};
    if (report.has_cycles) {
      cells.push_back(ran ? formatCount(row.cycles_in_run) : "");
      cells.push_back(ran ? formatCount(row.counters.cycles) : "");
    }
    // Without a clock for its cycles, a step on the VTA has no time.
    const bool has_time = !row.isOnVta() || report.has_cycles;
    cells.push_back(has_time ? milliseconds(stepMilliseconds(report, row)) : "");
    if (is_cpu_only) {
      cells.push_back(percent(row.seconds / all_seconds, all_seconds > 0));
      const double rate = 1e-9 * static_cast<double>(layer.macs) / row.seconds;
      cells.push_back(layer.macs > 0 && row.seconds > 0 ? fmt::format("{:.1f}", rate) : "");
    }
    if (report.has_cycles) {
      cells.push_back(percent(ran ? rooflineShare(report, layer.macs, row.counters) : 0, ran));
      cells.push_back(ran ? limitOf(report, layer.macs, row.counters) : "");
    }
    if (has_energy) cells.push_back(row.energy ? formatPicojoules(row.energy->totalPj()) : "");
    table.addRow(std::move(cells));
  }
  return table.toString();
}

std::string workTable(const RunReport& report) {
  Table table({{"layer", Align::kLeft, kNameColumns},
               {"MACs", Align::kRight},
               {"micro-ops", Align::kRight},
               {"read", Align::kRight},
               {"written", Align::kRight},
               {"peak utilisation %", Align::kRight},
               {"limited by"}});
  for (const LayerReport& row : report.layers) {
    const LaunchCounters& counters = row.counters;
    const uint64_t read_bytes = dramReadBytes(counters);
    const uint64_t uops = counters.gemm_uops + counters.alu_uops;
    std::optional<ArrayBound> bound;
    if (report.hw != nullptr) bound = arrayBound(*report.hw, row.layer->macs, counters);
    const bool has_share = bound && bound->utilisation;
    table.addRow({row.layer->name, row.layer->macs > 0 ? formatCount(row.layer->macs) : "",
                  uops > 0 ? formatCount(uops) : "", read_bytes > 0 ? formatBytes(read_bytes) : "",
                  counters.store.write_bytes > 0 ? formatBytes(counters.store.write_bytes) : "",
                  has_share ? percent(*bound->utilisation) : "", bound ? bound->limit : ""});
  }
  return "What each layer does. Peak utilisation: the share of the multipliers that it can keep "
         "busy at best.\n" +
         table.toString();
}

/// True when the device counts whose tokens the compute unit waits for; the hardware does not.
bool knowsWhoseTokens(const LaunchCounters& total) {
  return total.compute.stall_token_cycles ==
         total.compute_waits_for_load_cycles + total.compute_waits_for_store_cycles;
}

std::string waitTable(const RunReport& report) {
  const bool knows_whose = knowsWhoseTokens(report.total);
  std::vector<Table::Column> heads = {{"layer", Align::kLeft, kNameColumns},
                                      {"busy", Align::kRight}};
  if (knows_whose) {
    heads.push_back({"loads", Align::kRight});
    heads.push_back({"stores", Align::kRight});
  } else {
    heads.push_back({"tokens", Align::kRight});
  }
  for (const char* head : {"bus", "hazards", "fetch"}) heads.push_back({head, Align::kRight});
  Table table(heads);
  const auto cell = [](double value) { return fmt::format("{:.0f}", value); };
  for (const LayerReport& row : report.layers) {
    if (row.counters.cycles == 0) continue;
    const ComputeShares shares = computeShares(row.counters);
    std::vector<std::string> cells = {row.layer->name, cell(shares.busy)};
    if (knows_whose) {
      cells.push_back(cell(shares.token_from_load));
      cells.push_back(cell(shares.token_from_store));
    } else {
      cells.push_back(cell(shares.token));
    }
    for (const double share : {shares.bus, shares.hazard, shares.fetch}) {
      cells.push_back(cell(share));
    }
    table.addRow(std::move(cells));
  }
  return "What the compute unit does (% of the layer's cycles): it works, or it waits for loads, "
         "for stores,\nfor the bus, for earlier results (hazards), or for instructions (fetch).\n" +
         table.toString();
}

std::string energyTable(const RunReport& report) {
  Table table({{"layer", Align::kLeft, kNameColumns},
               {"energy", Align::kRight},
               {"DRAM %", Align::kRight},
               {"scratchpads %", Align::kRight},
               {"arithmetic %", Align::kRight}});
  for (const LayerReport& row : report.layers) {
    if (!row.energy) continue;
    const double total = row.energy->totalPj();
    table.addRow({row.layer->name, formatPicojoules(total), percent(row.energy->dram_pj / total),
                  percent(row.energy->sram_pj / total),
                  percent(row.energy->arithmetic_pj / total)});
  }
  const std::string note = fmt::format("Energy: {}.", energyNote(*report.energy_source));
  return wrapLine(note, kMostColumns, 0) + "\n" + table.toString();
}

// Empty without a GPU.
std::string kernelTable(const RunReport& report) {
  Table table({{"layer", Align::kLeft, kNameColumns},
               {"kernel", Align::kLeft, kNameColumns},
               {"microseconds", Align::kRight}});
  bool has_rows = false;
  const auto add = [&](const LayerReport& row, const std::string& what, double seconds) {
    table.addRow({row.layer->name, what, fmt::format("{:.1f}", 1e6 * seconds)});
    has_rows = true;
  };
  for (const LayerReport& row : report.layers) {
    for (const driver::KernelProfile& kernel : row.kernels) add(row, kernel.name, kernel.seconds);
    if (row.hasCopies()) add(row, "(copies)", row.copy_seconds);
  }
  if (!has_rows) return "";
  return "What the kernels of each layer take, as the GPU measures it, and copies to and from its\n"
         "memory, as the host does.\n" +
         table.toString();
}

std::string scheduleTable(const RunReport& report) {
  Table table({{"layer", Align::kLeft, kNameColumns}, {"schedule, or why it is not on the VTA"}});
  for (const LayerReport& row : report.layers) {
    table.addRow({row.layer->name, row.layer->reason});
    for (const ConvolutionInfo& convolution : row.layer->convolutions) {
      table.addRow({"  " + convolution.name, convolution.schedule});
    }
  }
  return "How each layer runs.\n" + table.toString();
}

// What "alone" means, and why it is more than the run.
std::string aloneLine(const RunReport& report, uint64_t cycles_alone, size_t columns) {
  std::string line = fmt::format(
      "alone: what a layer takes by itself, {} cycles together; roofline %, limits and energy are "
      "of "
      "that. In the run layers overlap",
      formatCount(cycles_alone));
  if (report.shares_are_estimated) {
    line +=
        fmt::format("; {} does not record when they end, so cycles are shared out in proportion",
                    report.device);
  }
  return wrapLine(line, columns, 4) + "\n";
}

// What the user gets for results that may be a step off.
std::string fastRescalingLine(const RunReport& report) {
  const uint64_t fast = report.fast_rescaling_cycles.value_or(report.total.cycles);
  if (fast >= report.total.cycles) return "";
  return fmt::format(
      "{} cycles with --rescaling=fast, {:.1f} % fewer, for integers that may be a "
      "step off\n",
      formatCount(fast),
      100 - 100.0 * static_cast<double>(fast) / static_cast<double>(report.total.cycles));
}

// The time of machines that are neither a VTA nor the CPU.
std::string otherMachineLines(const ProfileTotals& totals) {
  std::string text;
  for (const MachineTotals& sum : totals.machines) {
    if (!sum.hasCopies()) continue;
    text += fmt::format("{} ms on {} for {} step{}, of which {} ms copies, as measured here\n",
                        milliseconds(sum.ms), sum.machine->name, sum.steps,
                        sum.steps == 1 ? "" : "s", milliseconds(sum.copy_ms));
  }
  return text;
}

// Which machine takes which part of the time, where there are several whose time is known.
std::string shareLine(const RunReport& report, const ProfileTotals& totals) {
  if (totals.machines.size() < 2 || totals.all_ms <= 0) return "";
  if (report.hw != nullptr && !report.has_cycles) return "";
  std::string text;
  for (const MachineTotals& sum : totals.machines) {
    text += fmt::format("{}{} {} %", text.empty() ? "share of the time: " : ", ", sum.machine->name,
                        percent(sum.ms / totals.all_ms));
  }
  return text + "\n";
}

std::string totalLines(const RunReport& report, size_t columns) {
  const ProfileTotals totals = profileTotals(report);
  const double all_ms = totals.all_ms;
  std::string text = shareLine(report, totals) + otherMachineLines(totals);
  if (report.has_cycles && report.total.cycles > 0) {
    text += fmt::format("{} cycles on the VTA: {} ms at {} MHz\n", formatCount(report.total.cycles),
                        milliseconds(totals.vta_ms), report.hw->params().clockMhz());
    text += clockWarningLine(report, columns);
    text += aloneLine(report, totals.cycles_alone, columns);
    text += fastRescalingLine(report);
    text += fmt::format("{} ms on the CPU, as measured here; together {:.1f} frames per second\n",
                        milliseconds(totals.host_ms), 1000 / all_ms);
  }
  if (const auto& energy = report.energy) {
    text += fmt::format(
        "{} on the VTA for one inference, {} % of it DRAM (an estimate: "
        "docs/energy.md)\n",
        formatPicojoules(energy->totalPj()), percent(energy->dram_pj / energy->totalPj()));
  }
  if (report.hw == nullptr) {
    const char* together = totals.host_ms < all_ms ? "; together " : ": ";
    return text + fmt::format("{} ms on the CPU, as measured here{}{:.1f} frames per second\n",
                              milliseconds(totals.host_ms), together, 1000 / all_ms);
  }
  return text + fmt::format("{} of {} steps run on the CPU\n", totals.host_steps, totals.steps);
}

// "conversion between float and integers (2 steps); float operator (1 step)".
std::string hostReasons(const RunReport& report, size_t columns) {
  std::map<std::string, int64_t> reasons;
  for (const LayerReport& row : report.layers) {
    if (row.isOnCpu() && row.begins_step && !row.layer->reason.empty())
      ++reasons[row.layer->reason];
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [reason, count] : reasons) sorted.emplace_back(-count, reason);
  std::ranges::sort(sorted);
  constexpr size_t kMostReasons = 4;
  std::string text;
  for (size_t i = 0; i < std::min(kMostReasons, sorted.size()); ++i) {
    const int64_t count = -sorted[i].first;
    const std::string line =
        fmt::format("  {} step{}: {}", count, count == 1 ? "" : "s", sorted[i].second);
    text += wrapLine(line, columns, 4) + "\n";
  }
  if (sorted.size() > kMostReasons) {
    text += fmt::format("  and {} other reasons: --profile=full\n", sorted.size() - kMostReasons);
  }
  return text;
}

}  // namespace

size_t profileColumns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kMostColumns;
  return std::clamp<size_t>(size.ws_col, kFewestColumns, kMostColumns);
}

double rooflineShare(const RunReport& report, int64_t macs, const LaunchCounters& counters) {
  return static_cast<double>(rooflineCycles(*report.hw, macs, counters)) /
         static_cast<double>(counters.cycles);
}

double vtaMilliseconds(const RunReport& report, uint64_t cycles) {
  if (report.hw == nullptr) return 0;
  return static_cast<double>(cycles) / (1000.0 * report.hw->params().clockMhz());
}

double stepMilliseconds(const RunReport& report, const LayerReport& row) {
  if (!row.isOnVta()) return 1000 * row.seconds;
  return vtaMilliseconds(report, row.cycles_in_run);
}

std::string limitOf(const RunReport& report, int64_t macs, const LaunchCounters& counters) {
  constexpr double kBusyPercent = 60;
  const ComputeShares shares = computeShares(counters);
  // An ALU with fewer lanes works on an element while the unit waits for it.
  const double alu = 100.0 * aluCycles(*report.hw, counters) / static_cast<double>(counters.cycles);
  if (std::max(shares.busy, alu) >= kBusyPercent) {
    const auto bound = arrayBound(*report.hw, macs, counters);
    return bound ? bound->limit : "";
  }
  const std::pair<double, const char*> waits[] = {{shares.token_from_load, "loads"},
                                                  {shares.token_from_store, "stores"},
                                                  {shares.bus, "bus"},
                                                  {shares.hazard, "hazards"},
                                                  {shares.fetch, "fetch"}};
  return std::ranges::max_element(waits)->second;
}

ProfileTotals profileTotals(const RunReport& report) {
  ProfileTotals totals;
  for (const ExecutorInfo& machine : report.module->executors) {
    MachineTotals sum = {&machine};
    for (const LayerReport& row : report.layers) {
      if (row.machine != &machine) continue;
      totals.cycles_alone += row.counters.cycles;
      sum.ms += stepMilliseconds(report, row);
      if (row.hasCopies()) sum.copy_ms += 1000 * row.copy_seconds;
      if (row.begins_step) ++sum.steps;
    }
    if (sum.steps == 0) continue;
    totals.all_ms += sum.ms;
    totals.steps += sum.steps;
    if (machine.kind == kVtaKind) totals.vta_ms += sum.ms;
    if (machine.kind == kCpuKind) totals.host_ms += sum.ms;
    if (machine.kind == kCpuKind) totals.host_steps += sum.steps;
    totals.machines.push_back(sum);
  }
  return totals;
}

std::string profileText(const RunReport& report, ProfileDetail detail, size_t columns) {
  if (detail == ProfileDetail::kNone) return "";
  std::string text =
      briefTable(report, columns) + totalLines(report, columns) + hostReasons(report, columns);
  if (detail == ProfileDetail::kBrief) return text;
  if (report.hw != nullptr) text += "\n" + workTable(report);
  if (report.has_cycles) text += "\n" + waitTable(report);
  if (report.energy) text += "\n" + energyTable(report);
  const std::string kernels = kernelTable(report);
  if (!kernels.empty()) text += "\n" + kernels;
  return text + "\n" + scheduleTable(report) + "\n";
}

std::string clockWarningLine(const RunReport& report, size_t columns) {
  if (report.hw == nullptr) return "";
  const std::string warning = clockWarning(report.hw->params());
  return warning.empty() ? "" : wrapLine("warning: " + warning, columns, 4) + "\n";
}

std::string offloadWarning(const RunReport& report) {
  const MacTotals macs = countMacs(*report.module);
  if (macs.all == 0 || 2 * (macs.on_vta + macs.on_gpu) >= macs.all) return "";
  const double share = static_cast<double>(macs.on_vta) / static_cast<double>(macs.all);
  std::map<std::string, int64_t> macs_by_reason;
  const std::vector<uint32_t> executors = executorsOfLayers(*report.module);
  for (size_t i = 0; i < executors.size(); ++i) {
    const LayerInfo& layer = report.module->layers[i];
    const std::string& kind = report.module->executors[executors[i]].kind;
    const bool is_fallback = kind != kVtaKind && kind != kGpuKind;
    if (is_fallback && layer.macs > 0) macs_by_reason[layer.reason] += layer.macs;
  }
  const auto most =
      std::ranges::max_element(macs_by_reason, {}, [](const auto& entry) { return entry.second; });
  const std::string reason = most == macs_by_reason.end() ? "" : ": " + most->first;
  // Nobody asked for the VTA where no layer has a reason, or where the reasons are those of a GPU.
  const bool has_gpu =
      std::ranges::any_of(report.module->executors,
                          [](const ExecutorInfo& executor) { return executor.kind == kGpuKind; });
  if (report.hw == nullptr && (has_gpu || reason.size() < 3)) return "";
  if (macs.on_vta == 0) return "no layer that multiplies runs on the VTA" + reason;
  return fmt::format("only {:.0f} % of the multiply-accumulates run on the VTA{}", 100 * share,
                     reason);
}

}  // namespace vta::tools
