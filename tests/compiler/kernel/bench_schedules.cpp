// How good schedules are: for each distinct layer of a network, the cycles of the analytic default
// and of the compiler's choice, which simulates some candidates, beside those of the best that
// simulation finds among all whose estimate is within a factor of the smallest estimate.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/kernel/cost_model.h"
#include "tests/compiler/kernel/network_program.h"

namespace vta::kernel::testing {
namespace {

struct Options {
  std::string network = "resnet18";
  std::string hw = VTA_SOURCE_DIR "/configs/hw/default.yaml";
  std::string layer;     // only this one
  double factor = 1.5;   // of the smallest estimate
  double enough = 1.02;  // of the cycles that no program can beat: then there is nothing to search
  bool json = false;
  bool rank = false;
};

struct Candidate {
  Schedule schedule;
  double estimate = 0;
  uint64_t cycles = 0;
};

struct Found {
  double bound = 0;
  Candidate estimated;
  Candidate chosen;
  size_t simulated = 0;
  std::vector<Candidate> candidates;  // the fastest first
};

/// Cycles of what the program's engines and the bus have to do: it cannot be faster.
uint64_t leastCycles(const Program& program, const HwConfig& hw) {
  uint64_t gemm = 0;
  uint64_t alu = 0;
  uint64_t read_bytes = program.instructions.size() * hw.instructionBytes();
  uint64_t write_bytes = 0;
  const auto iterations = [](const auto& insn) {
    return uint64_t{insn.uop_end - insn.uop_bgn} * insn.iter_out * insn.iter_in;
  };
  for (const Instruction& instruction : program.instructions) {
    if (instruction.opcode == Opcode::kGemm) gemm += iterations(instruction.gemm());
    if (instruction.opcode == Opcode::kAlu) alu += iterations(instruction.alu());
    const auto* mem = std::get_if<MemInsn>(&instruction.body);
    if (mem == nullptr) continue;
    const uint64_t bytes = uint64_t{mem->y_size} * mem->x_size * hw.elemBytes(mem->memory_type);
    (instruction.opcode == Opcode::kStore ? write_bytes : read_bytes) += bytes;
  }
  const uint64_t engines = hw.params().concurrent_compute ? std::max(gemm, alu) : gemm + alu;
  const uint64_t bus_bytes = hw.params().axi_data_width_bits / 8;
  return std::max({engines, read_bytes / bus_bytes, write_bytes / bus_bytes});
}

class Search {
 public:
  Search(const KernelDesc& desc, const Options& options, const HwConfig& hw,
         sim::ProgramTimer& timer)
      : desc_(desc), options_(options), hw_(hw), timer_(timer) {}

  Result<Found> run() {
    Found found;
    found.bound = boundOf(desc_, hw_).cycles(hw_);
    VTA_ASSIGN_OR_RETURN(const Schedule estimated, defaultSchedule(desc_, hw_));
    VTA_ASSIGN_OR_RETURN(found.estimated, simulate(estimated));
    const NetworkLayer layer{.desc = desc_};
    VTA_ASSIGN_OR_RETURN(const auto chosen, chooseSchedules({&layer, 1}, hw_, &timer_));
    VTA_ASSIGN_OR_RETURN(found.chosen, simulate(chosen.front()));
    found.candidates.push_back(found.chosen);
    VTA_RETURN_IF_ERROR(searchAll(found));
    std::ranges::stable_sort(found.candidates, {}, &Candidate::cycles);
    return found;
  }

 private:
  Status searchAll(Found& found) {
    std::vector<Candidate> all;
    for (const Schedule& schedule : enumerateSchedules(desc_, hw_)) {
      all.push_back({schedule, estimateCost(desc_, schedule, hw_).cycles, 0});
    }
    std::ranges::stable_sort(all, {}, &Candidate::estimate);
    uint64_t best = found.chosen.cycles;
    for (const Candidate& candidate : all) {
      if (candidate.estimate > options_.factor * all.front().estimate) break;
      // Good enough to be called the best: what the network's layer asks for takes as long.
      if (static_cast<double>(best) < options_.enough * unavoidable()) break;
      VTA_ASSIGN_OR_RETURN(const Program program, lower(desc_, candidate.schedule, hw_));
      ++found.simulated;
      if (leastCycles(program, hw_) >= best && !options_.rank) continue;
      VTA_ASSIGN_OR_RETURN(const sim::CycleCounters counters, timer_.run(program));
      found.candidates.push_back({candidate.schedule, candidate.estimate, counters.cycles});
      best = std::min(best, counters.cycles);
    }
    return {};
  }

  /// The bound, where leaving padding out cannot beat it.
  double unavoidable() const {
    const Geometry& g = desc_.geometry;
    const bool pads = g.pad_top + g.pad_left + g.pad_bottom + g.pad_right > 0;
    return pads && g.pad_kind == PadKind::kZero ? 0 : boundOf(desc_, hw_).cycles(hw_);
  }

  Result<Candidate> simulate(const Schedule& schedule) {
    VTA_ASSIGN_OR_RETURN(const Program program, lower(desc_, schedule, hw_));
    VTA_ASSIGN_OR_RETURN(const sim::CycleCounters counters, timer_.run(program));
    return Candidate{schedule, estimateCost(desc_, schedule, hw_).cycles, counters.cycles};
  }

  const KernelDesc& desc_;
  const Options& options_;
  const HwConfig& hw_;
  sim::ProgramTimer& timer_;
};

void print(const std::string& name, const Found& found, bool rank) {
  const Candidate& best = found.candidates.front();
  const auto behind = [&](const Candidate& candidate) {
    return 100 * (static_cast<double>(candidate.cycles) / static_cast<double>(best.cycles) - 1);
  };
  fmt::print(
      "{:<22}{:>10.0f} estimated{:>9}{:>6.1f}%  chosen{:>9}{:>6.1f}%  best{:>9}  of{:>6}  {}\n",
      name, found.bound, found.estimated.cycles, behind(found.estimated), found.chosen.cycles,
      behind(found.chosen), best.cycles, found.simulated, best.schedule.toString());
  constexpr size_t kRanked = 10;
  for (size_t i = 0; rank && i < std::min(kRanked, found.candidates.size()); ++i) {
    const Candidate& c = found.candidates[i];
    fmt::print("{:>32}{:>10}  estimate{:>10.0f}  {}\n", "", c.cycles, c.estimate,
               c.schedule.toString());
  }
  std::fflush(stdout);
}

Status run(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, loadHwConfig(options.hw));
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(hw));
  std::vector<KernelDesc> searched;
  nlohmann::ordered_json out;
  for (const NetworkLayer& layer : networks().at(options.network)(hw)) {
    if (!options.layer.empty() && layer.desc.name != options.layer) continue;
    KernelDesc shape = layer.desc;
    shape.name.clear();
    if (std::ranges::find(searched, shape) != searched.end()) continue;
    searched.push_back(shape);
    VTA_ASSIGN_OR_RETURN(const Found found, Search(layer.desc, options, hw, timer).run());
    if (!options.json) print(layer.desc.name, found, options.rank);
    out[layer.desc.name] = {{"bound", found.bound},
                            {"estimated", found.estimated.cycles},
                            {"cycles", found.chosen.cycles},
                            {"best", found.candidates.front().cycles},
                            {"simulated", found.simulated}};
  }
  if (options.json) fmt::print("{}\n", out.dump(1));
  return {};
}

}  // namespace
}  // namespace vta::kernel::testing

int main(int argc, char** argv) {
  using vta::kernel::testing::Options;
  Options options;
  CLI::App app{"Schedules beside the best that simulation finds"};
  app.add_option("--network", options.network)
      ->check(CLI::IsMember(vta::kernel::testing::networks()));
  app.add_option("--hw", options.hw, "hardware configuration");
  app.add_option("--layer", options.layer, "only this layer");
  app.add_option("--factor", options.factor,
                 "search the schedules whose estimate is within this factor of the smallest");
  app.add_option("--enough", options.enough,
                 "end a layer's search within this factor of what the hardware needs at least");
  app.add_flag("--rank", options.rank, "print the ten fastest with their estimates");
  app.add_flag("--json", options.json);
  CLI11_PARSE(app, argc, argv);
  const vta::Status status = vta::kernel::testing::run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench_schedules: %s\n", status.message().c_str());
  return 1;
}
