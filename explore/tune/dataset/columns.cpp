#include "explore/tune/dataset/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/kernel/desc/fields.h"
#include "compiler/kernel/desc/schedule.h"
#include "isa/spec/parameters.h"

namespace vta::tune {
namespace {

using kernel::Geometry;

/// Sizes of a geometry that the kernels of the data set do not vary.
constexpr std::string_view kSameForAll[] = {
    "dilation_y", "dilation_x", "pad_value", "interleave_y", "interleave_x",
    "phases",     "crop_top",   "crop_left", "crop_bottom",  "crop_right"};

struct DdrColumn {
  const char* name;
  int sim::DdrTiming::*member;
};
constexpr DdrColumn kDdr[] = {
    {"clock_mhz", &sim::DdrTiming::clock_mhz},
    {"bus_bytes", &sim::DdrTiming::bus_bytes},
    {"burst_length", &sim::DdrTiming::burst_length},
    {"banks", &sim::DdrTiming::banks},
    {"rows", &sim::DdrTiming::rows},
    {"row_bytes", &sim::DdrTiming::row_bytes},
    {"tRCD", &sim::DdrTiming::t_rcd},
    {"tRP", &sim::DdrTiming::t_rp},
    {"tCL", &sim::DdrTiming::t_cl},
    {"tCWL", &sim::DdrTiming::t_cwl},
    {"tCCD", &sim::DdrTiming::t_ccd},
    {"tRAS", &sim::DdrTiming::t_ras},
    {"tRFC", &sim::DdrTiming::t_rfc},
    {"tREFI", &sim::DdrTiming::t_refi},
    {"tWR", &sim::DdrTiming::t_wr},
    {"tWTR", &sim::DdrTiming::t_wtr},
};

struct UnitColumn {
  const char* name;
  uint64_t UnitCounters::*member;
  const char* doc;
};
constexpr UnitColumn kUnit[] = {
    {"instructions", &UnitCounters::instructions, "instructions of the unit"},
    {"busy_cycles", &UnitCounters::busy_cycles, "cycles in which the unit works"},
    {"stall_token_cycles", &UnitCounters::stall_token_cycles,
     "cycles in which the unit waits for a dependence token"},
    {"stall_memory_cycles", &UnitCounters::stall_memory_cycles,
     "cycles in which the unit waits for the bus"},
    {"stall_hazard_cycles", &UnitCounters::stall_hazard_cycles,
     "cycles in which the unit waits for a result in flight or a busy engine"},
    {"read_bytes", &UnitCounters::read_bytes, "bytes that the unit reads from DRAM"},
    {"write_bytes", &UnitCounters::write_bytes, "bytes that the unit writes to DRAM"},
};

constexpr std::pair<const char*, UnitCounters LaunchCounters::*> kUnits[] = {
    {"fetch", &LaunchCounters::fetch},
    {"load", &LaunchCounters::load},
    {"compute", &LaunchCounters::compute},
    {"store", &LaunchCounters::store}};

bool isDdr(const Point& p) { return p.memory->kind == sim::MemoryKind::kDdr; }

class Columns {
 public:
  std::vector<Column> make() {
    addWide("group", "number of the kernel on its accelerator; all its points have it",
            [](const Point& p) { return p.group; });
    addWorkload();
    addHardware();
    addSchedule();
    addMemory();
    addResults();
    return std::move(columns_);
  }

 private:
  using Get = std::function<int64_t(const Point&)>;
  void add(std::string name, std::string doc, Get get) {
    columns_.push_back({std::move(name), std::move(doc), false, std::move(get)});
  }
  void addWide(std::string name, std::string doc, Get get) {
    columns_.push_back({std::move(name), std::move(doc), true, std::move(get)});
  }

  void addWorkload() {
    add("workload_kind",
        "0: convolution, dense layer or matrix product, 1: maximum pooling, 2: sum pooling, "
        "3: elementwise",
        [](const Point& p) { return static_cast<int64_t>(p.desc->kind); });
    kernel::forEachField<Geometry>([this](const auto& field) { addSize(field.key, field.member); });
    add("workload_epilogue_steps", "ALU operations on every result",
        [](const Point& p) { return std::ssize(p.desc->epilogue); });
    add("workload_params", "parameter vectors of each block of output channels",
        [](const Point& p) { return p.desc->num_params; });
    add("workload_residual", "1: a second activation is added",
        [](const Point& p) { return int64_t{p.desc->residual.has_value()}; });
    addWide("workload_macs", "multiply-accumulate operations, on sizes padded to blocks",
            [](const Point& p) { return p.desc->macs(*p.hw); });
  }

  void addSize(std::string_view name, int64_t Geometry::*member) {
    if (std::ranges::find(kSameForAll, name) != std::end(kSameForAll)) return;
    add(fmt::format("workload_{}", name),
        fmt::format("{} of compiler/kernel/desc/kernel_desc.h", name),
        [member](const Point& p) { return p.desc->geometry.*member; });
  }
  /// What is no size has no column.
  template <typename Member>
  void addSize(std::string_view, Member) {}

  void addHardware() {
    for (const Parameter& parameter : parameters()) {
      if (parameter.access.get == nullptr) continue;
      std::string name = "hw_" + parameter.fullKey();
      std::ranges::replace(name, '.', '_');
      add(std::move(name),
          fmt::format("{} of the accelerator's configuration; {}", parameter.fullKey(),
                      valuesOf(parameter)),
          // Accelerators that are drawn have whole numbers of units.
          [&parameter](const Point& p) {
            return static_cast<int64_t>(std::llround(parameter.number(p.hw->params())));
          });
    }
  }

  static std::string valuesOf(const Parameter& parameter) {
    if (parameter.names.empty()) {
      if (parameter.memory) return "bytes";
      return parameter.unit.empty() ? "a number" : std::string(parameter.unit);
    }
    std::string text = parameter.kind == ParameterKind::kSet ? "a bit for each of" : "the place in";
    for (const std::string_view name : parameter.names) text += fmt::format(" {}", name);
    return text;
  }

  void addSchedule() {
    for (const kernel::ScheduleField& field : kernel::scheduleFields()) {
      std::string doc = fmt::format("{} of the schedule", field.key);
      if (field.kind == kernel::ScheduleField::Kind::kChoice) {
        doc += fmt::format("; 0: {}, 1: {}", field.names[0], field.names[1]);
      }
      add(fmt::format("schedule_{}", field.key), std::move(doc),
          [get = field.get](const Point& p) { return get(*p.schedule); });
    }
  }

  void addMemory() {
    add("memory_kind", "0: simple, 1: DDR",
        [](const Point& p) { return static_cast<int64_t>(p.memory->kind); });
    add("memory_outstanding", "bursts in flight, reads and writes each",
        [](const Point& p) { return int64_t{p.memory->outstanding}; });
    addSimple("latency_cycles", "cycles from a burst to its first beat; 0 for DDR",
              [](const sim::SimpleMemoryParams& m) { return int64_t{m.latency_cycles}; });
    addSimple("beats_numerator", "beats in beats_denominator cycles; 0 for DDR",
              [](const sim::SimpleMemoryParams& m) { return int64_t{m.beats_numerator}; });
    addSimple("beats_denominator", "see beats_numerator; 0 for DDR",
              [](const sim::SimpleMemoryParams& m) { return int64_t{m.beats_denominator}; });
    add("memory_controller_latency_cycles", "cycles on the way to the DRAM and back; 0 for simple",
        [](const Point& p) { return isDdr(p) ? int64_t{p.memory->controller_latency_cycles} : 0; });
    for (const DdrColumn& column : kDdr) {
      add(fmt::format("memory_ddr_{}", column.name),
          fmt::format("{} of the DRAM (docs/memory.md); 0 for simple", column.name),
          [member = column.member](const Point& p) {
            return isDdr(p) ? int64_t{p.memory->ddr.*member} : 0;
          });
    }
  }

  void addSimple(const char* name, const char* doc,
                 int64_t (*get)(const sim::SimpleMemoryParams&)) {
    add(fmt::format("memory_{}", name), doc,
        [get](const Point& p) { return isDdr(p) ? 0 : get(p.memory->simple); });
  }

  void addCount(std::string name, std::string doc, uint64_t (*get)(const Point&)) {
    addWide(std::move(name), std::move(doc),
            [get](const Point& p) { return static_cast<int64_t>(get(p)); });
  }

  void addResults() {
    addCount("cycles", "cycles of the whole kernel, from the cycle simulator",
             [](const Point& p) { return p.counters.cycles; });
    addCount("estimate_cycles", "what the analytic model of the compiler says, rounded down",
             [](const Point& p) { return p.estimate_cycles; });
    addCount("floor_cycles", "a proven number that cycles is never below",
             [](const Point& p) { return p.floor_cycles; });
    addCount("gemm_uops", "micro-operations of the GEMM core",
             [](const Point& p) { return p.counters.gemm_uops; });
    addCount("alu_uops", "micro-operations of the ALU",
             [](const Point& p) { return p.counters.alu_uops; });
    addCount("compute_waits_for_load_cycles",
             "part of compute_stall_token_cycles: waiting for the load unit",
             [](const Point& p) { return p.counters.compute_waits_for_load_cycles; });
    addCount("compute_waits_for_store_cycles",
             "part of compute_stall_token_cycles: waiting for the store unit",
             [](const Point& p) { return p.counters.compute_waits_for_store_cycles; });
    for (const auto& [unit, its_counters] : kUnits) {
      for (const UnitColumn& column : kUnit) {
        addWide(fmt::format("{}_{}", unit, column.name), fmt::format("{}: {}", unit, column.doc),
                [of_unit = its_counters, member = column.member](const Point& p) {
                  return static_cast<int64_t>(p.counters.*of_unit.*member);
                });
      }
    }
  }

  std::vector<Column> columns_;
};

}  // namespace

const std::vector<Column>& dataSetColumns() {
  static const std::vector<Column> columns = Columns().make();
  return columns;
}

}  // namespace vta::tune
