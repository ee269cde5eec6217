// What vta-run found out, and how it is printed.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "driver/runtime/session.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"
#include "sim/energy/energy_estimate.h"
#include "tools/vta_run/classes.h"
#include "tools/vta_run/features.h"
#include "tools/vta_run/runner.h"

namespace vta::tools {

struct OutputReport {
  std::string name;
  std::vector<int64_t> shape;
  DType dtype = DType::kF32;
  std::string file;  // where it was written, "" if nowhere
  std::vector<ClassScore> top;
  std::optional<Difference> difference;  // from --reference
};

/// One row of the profile: a step of the module, or on the CPU a layer that is part of one. All but
/// `cycles_in_run` is of the step by itself; in the run it overlaps with its neighbours.
struct LayerReport {
  const LayerInfo* layer = nullptr;
  const ExecutorInfo* machine = nullptr;  // what runs it
  double seconds = 0;
  LaunchCounters counters;
  uint64_t cycles_in_run = 0;                    // its share; shares add up to the run's cycles
  std::optional<sim::EnergyEstimate> energy;     // of what runs on a VTA
  std::vector<driver::KernelProfile> kernels{};  // of what runs on a GPU that records times
  double copy_seconds = 0;  // of `seconds`: between the memories of the host and the machine
  bool begins_step = true;  // not another part of the step that the row before belongs to

  bool isOnVta() const { return machine->kind == kVtaKind; }
  bool isOnCpu() const { return machine->kind == kCpuKind; }
  /// The time of a VTA is that of its cycles, without copies.
  bool hasCopies() const { return !isOnVta() && !isOnCpu(); }
};

/// Results over more than one sample.
struct BatchReport {
  struct Entry {
    std::string name;
    std::vector<ClassScore> top;
  };
  std::vector<Entry> entries;
  double seconds = 0;  // from the first sample to the end of the last; one sample: its run
  std::optional<Scoreboard> score;
  std::optional<Scoreboard> float_score;
  Agreement agreement;  // with the float model
};

struct RunReport {
  const ModuleInfo* module = nullptr;
  const HwConfig* hw = nullptr;  // null: nothing ran on a VTA
  std::string device;
  bool has_cycles = false;
  bool is_simulated = false;  // a simulator ran: its wall time is not the VTA's time
  LaunchCounters total;       // of all launches of the first sample
  /// Cycles of those with --rescaling=fast, where it is known.
  std::optional<uint64_t> fast_rescaling_cycles;
  std::vector<std::string> warnings;          // of making the module
  std::string input;                          // name of the first sample
  std::vector<OutputReport> outputs;          // of the first sample
  std::vector<LayerReport> layers;            // of the first sample, when profiled
  std::deque<LayerInfo> parts;                // what rows describe that are parts of steps
  bool shares_are_estimated = false;          // see driver::RunResult
  std::optional<sim::EnergyEstimate> energy;  // of all launches, when profiled
  std::optional<EnergySource> energy_source;
  std::optional<AreaFigures> area;  // of `hw`
  uint64_t verified_steps = 0;      // over all samples
  std::vector<std::string> labels;
  BatchReport batch;
  PhaseSeconds seconds;
  uint64_t peak_memory_bytes = 0;
};

/// MACs of all layers, and of those on a VTA or a GPU.
struct MacTotals {
  int64_t all = 0;
  int64_t on_vta = 0;
  int64_t on_gpu = 0;
};
MacTotals countMacs(const ModuleInfo& module);

/// Least cycles in which `hw` can do a layer: its array busy with `macs` all the time, or its bus
/// with the bytes that the layer moved.
uint64_t rooflineCycles(const HwConfig& hw, int64_t macs, const LaunchCounters& counters);

/// What the compute unit did, in percent of all cycles.
struct ComputeShares {
  double busy = 0;
  double token_from_load = 0;
  double token_from_store = 0;
  double token = 0;   // of either of them
  double bus = 0;     // waiting for its own loads
  double hazard = 0;  // waiting for results or for an engine
  double fetch = 0;   // nothing to do: instructions have not come yet, or no more come
};
ComputeShares computeShares(const LaunchCounters& counters);

/// Bytes that all units read from device memory.
uint64_t dramReadBytes(const LaunchCounters& counters);
/// The least beats that the busiest port reads, whatever it shares with the others.
uint64_t leastReadBeats(const HwConfig& hw, const LaunchCounters& counters);

/// What the energy figures are, in one sentence without a full stop.
std::string energyNote(const EnergySource& source);

/// "three", or "class 3" without labels.
std::string labelOf(const RunReport& report, int64_t index);

/// What --verify has compared, and how nearly: so many layers of the module.
std::string verifiedLine(uint64_t layers, const ModuleInfo& module);

/// Text for people; with --profile, the profile.
std::string textReport(const RunReport& report, const RunOptions& options);

/// One JSON object. Its "version" counts changes that older readers misunderstand.
inline constexpr const char* kRunFormat = "vta-run";
inline constexpr int kRunVersion = 1;
std::string jsonReport(const RunReport& report);

/// The JSON Schema of that object, with what each member means.
std::string jsonReportSchema();

}  // namespace vta::tools
