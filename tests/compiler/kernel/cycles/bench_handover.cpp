// What chains are worth: pairs of layers of a network, each pair as one program with a hand-over,
// beside the two layers by themselves.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "compiler/kernel/chain/chain.h"
#include "compiler/kernel/desc/depthwise_fold.h"
#include "program/text/assembler.h"
#include "sim/memory/memory_config.h"
#include "tests/compiler/kernel/cycles/network_program.h"

namespace vta::kernel::testing {
namespace {

struct Options {
  std::string network = "mobilenetv2";
  std::string hw = VTA_SOURCE_DIR "/configs/hw/default.yaml";
  std::string dram;
  int trials = 300;
  std::string trace;
  std::string only;
};

// The input as it was stored: in blocks of the outputs, each of which is several columns.
KernelDesc readStored(KernelDesc desc, const HwConfig& hw) {
  const int64_t parts = hw.blockOut() / hw.blockIn();
  if (desc.kind != KernelKind::kContraction || parts < 2) return desc;
  Geometry& g = desc.geometry;
  g.fold_taps = g.fold_pitch = 1;
  const bool depthwise = g.groups > 1;
  g.in_channel_blocks = (g.in_channel_blocks + parts - 1) / parts;
  if (depthwise) g.in_channel_blocks = g.groups = g.out_channel_blocks;
  g.in_width *= parts;
  g.kernel_width *= parts;
  g.stride_x *= parts;
  g.pad_left *= parts;
  g.pad_right *= parts;
  if (depthwise) {
    if (const auto folded = foldGeometry(desc, hw)) return *folded;
  }
  return desc;
}

using Rng = std::mt19937;

int64_t pick(Rng& rng, const std::vector<int64_t>& values) {
  return values[std::uniform_int_distribution<size_t>(0, values.size() - 1)(rng)];
}

std::vector<int64_t> divisions(int64_t size) {
  std::vector<int64_t> parts;
  for (int64_t n = 1; n <= size; ++n) {
    const int64_t part = (size + n - 1) / n;
    if (parts.empty() || parts.back() != part) parts.push_back(part);
  }
  return parts;
}

ChainSchedule randomSchedule(const Chain& chain, Rng& rng) {
  const Geometry& g = chain.consumer.geometry;
  const bool flat = g.kernel_height == 1 && pick(rng, {0, 1}) == 0;
  ChainSchedule s;
  s.consumer.tile_height = flat ? 1 : pick(rng, divisions(g.out_height));
  s.consumer.tile_width = flat ? pick(rng, divisions(g.out_height * g.out_width))
                               : pick(rng, {g.out_width, g.out_width, (g.out_width + 1) / 2});
  s.consumer.tile_out_blocks = pick(rng, divisions(g.out_channel_blocks));
  s.consumer.tile_in_blocks = pick(rng, divisions(g.inBlocksPerGroup()));
  s.consumer.order = pick(rng, {0, 1}) == 0 ? Schedule::Order::kWeightsInner
                                            : Schedule::Order::kWeightsOuter;
  s.producer_in_blocks = pick(rng, divisions(chain.producer.geometry.inBlocksPerGroup()));
  s.shares = {int(pick(rng, {1, 2, 3, 4, 5, 6, 7})), int(pick(rng, {1, 2, 3, 4, 5, 6, 7})),
              int(pick(rng, {1, 2, 3, 4, 5, 6, 7}))};
  return s;
}

ChainSchedule neighbour(const Chain& chain, const ChainSchedule& of, Rng& rng) {
  const ChainSchedule other = randomSchedule(chain, rng);
  ChainSchedule s = of;
  switch (pick(rng, {0, 1, 2, 3, 4, 5, 6})) {
    case 0:
      s.consumer.tile_height = other.consumer.tile_height;
      s.consumer.tile_width = other.consumer.tile_width;
      break;
    case 1: s.consumer.tile_out_blocks = other.consumer.tile_out_blocks; break;
    case 2: s.consumer.tile_in_blocks = other.consumer.tile_in_blocks; break;
    case 3: s.consumer.order = other.consumer.order; break;
    case 4: s.producer_in_blocks = other.producer_in_blocks; break;
    case 5: s.shares.inp = other.shares.inp; s.shares.wgt = other.shares.wgt; break;
    default: s.shares.acc = other.shares.acc; break;
  }
  return s;
}

struct Found {
  uint64_t cycles = UINT64_MAX;
  ChainSchedule schedule;
  int measured = 0;
};

Found searchChain(const Chain& chain, const HwConfig& hw, sim::ProgramTimer& timer, int trials) {
  Rng rng(1);
  Found best;
  for (int i = 0; i < 40 * trials && best.measured < trials; ++i) {
    const bool local = best.measured > trials / 3;
    const ChainSchedule s =
        local ? neighbour(chain, best.schedule, rng) : randomSchedule(chain, rng);
    const auto program = lowerChain(chain, s, hw);
    if (!program.ok()) continue;
    const auto cycles = timer.cyclesUpTo(*program, best.cycles);
    if (!cycles.ok()) {
      fmt::print("{}: {}\n", s.consumer.toString(), cycles.status().message());
      continue;
    }
    ++best.measured;
    if (!*cycles || **cycles >= best.cycles) continue;
    best.cycles = **cycles;
    best.schedule = s;
  }
  return best;
}

Status run(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const HwConfig file, loadHwConfig(options.hw));
  HwParams params = file.params();
  params.ext_handover = true;
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, HwConfig::create(params));
  sim::MemoryConfig memory;
  if (!options.dram.empty()) {
    VTA_ASSIGN_OR_RETURN(memory, sim::resolveMemoryConfig(options.dram));
  }
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(hw, memory));
  std::vector<NetworkLayer> layers = networks().at(options.network)(hw);
  for (NetworkLayer& layer : layers) layer.desc = readStored(layer.desc, hw);
  VTA_ASSIGN_OR_RETURN(const std::vector<Schedule> schedules, chooseSchedules(layers, hw, &timer));
  VTA_ASSIGN_OR_RETURN(const NetworkProgram network, lowerNetwork(layers, schedules, hw));
  std::vector<uint64_t> cycles;
  uint64_t sum = 0;
  for (const Program& layer : network.layers) {
    VTA_ASSIGN_OR_RETURN(const LaunchCounters counters, timer.run(layer));
    cycles.push_back(counters.cycles);
    sum += counters.cycles;
  }
  VTA_ASSIGN_OR_RETURN(const LaunchCounters whole, runNetwork(network, timer));
  fmt::print("layers one by one {}, network {}\n", sum, whole.cycles);
  int64_t won = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    const int tensor = static_cast<int>(i) + 1;
    std::vector<size_t> readers;
    for (size_t j = 0; j < layers.size(); ++j) {
      if (layers[j].input == tensor || layers[j].residual == tensor) readers.push_back(j);
    }
    if (readers.size() != 1 || layers[readers[0]].residual == tensor) continue;
    if (!options.only.empty() && layers[i].desc.name != options.only) continue;
    const Chain chain{layers[i].desc, layers[readers[0]].desc};
    const Status legal = checkChain(chain, hw);
    if (!legal.ok()) {
      fmt::print("{}\n", legal.message());
      continue;
    }
    const Found found = searchChain(chain, hw, timer, options.trials);
    const uint64_t apart = cycles[i] + cycles[readers[0]];
    fmt::print("{:<40}{:>10}{:>10} {:>6.1f}%  {} trials  {} in={} shares {} {} {}\n",
               chain.producer.name + " + " + chain.consumer.name, apart,
               found.measured > 0 ? found.cycles : 0,
               100.0 * (double(apart) - double(found.cycles)) / double(apart), found.measured,
               found.schedule.consumer.toString(), found.schedule.producer_in_blocks,
               found.schedule.shares.inp, found.schedule.shares.wgt, found.schedule.shares.acc);
    if (found.measured > 0) {
      const auto show = [&](const char* name, const LaunchCounters& c) {
        fmt::print("   {:<10}{:>8} gemm {:>7} alu {:>7} (x passes) compute busy {:>7} token {:>7} memory {:>6} hazard {:>7} load busy {:>7} token {:>7} read {:>8} written {:>8}\n",
                   name, c.cycles, c.gemm_uops, c.alu_uops, c.compute.busy_cycles, c.compute.stall_token_cycles,
                   c.compute.stall_memory_cycles, c.compute.stall_hazard_cycles, c.load.busy_cycles,
                   c.load.stall_token_cycles, c.load.read_bytes + c.compute.read_bytes, c.store.write_bytes);
      };
      show("first", *timer.run(network.layers[i]));
      show("second", *timer.run(network.layers[readers[0]]));
      const auto program = lowerChain(chain, found.schedule, hw);
      show("chain", *timer.run(*program));
      if (options.trace == chain.producer.name) {
        Recording recording;
        (void)timer.run(*program, &recording);
        for (size_t k = 0; k < program->instructions.size() && k < 400; ++k) {
          const InstructionTimes& times = recording.instructions[k];
          fmt::print("{:>6}{:>10}{:>10}  {:<8}{}\n", k, times.started, times.retired,
                     unitName(program->instructions[k].unit()), disassemble(program->instructions[k]));
        }
      }
    }
    std::fflush(stdout);
    if (found.measured > 0 && found.cycles < apart) won += int64_t(apart - found.cycles);
  }
  fmt::print("won by pairs that overlap: {}\n", won);
  return {};
}

}  // namespace
}  // namespace vta::kernel::testing

int main(int argc, char** argv) {
  vta::kernel::testing::Options options;
  CLI::App app{"Cycles of pairs of layers with a hand-over between them"};
  app.add_option("--network", options.network);
  app.add_option("--hw", options.hw);
  app.add_option("--dram", options.dram);
  app.add_option("--trace", options.trace);
  app.add_option("--only", options.only);
  app.add_option("--trials", options.trials);
  CLI11_PARSE(app, argc, argv);
  const auto status = vta::kernel::testing::run(options);
  if (status.ok()) return 0;
  fmt::print(stderr, "{}\n", status.message());
  return 1;
}
