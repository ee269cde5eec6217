// What hand-overs are worth: pairs of layers of a network as chains, each pair as one program,
// beside the two layers by themselves. Schedules of chains are searched at random, then among
// neighbours of the best.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/integer_math.h"
#include "compiler/kernel/chain/chain.h"
#include "compiler/kernel/desc/depthwise_fold.h"
#include "sim/memory/memory_config.h"
#include "tests/compiler/kernel/cycles/network_program.h"

namespace vta::kernel::testing {
namespace {

using Json = nlohmann::ordered_json;
using Rng = std::mt19937;

struct Options {
  std::vector<std::string> networks = {"mobilenetv2"};
  std::vector<std::string> hws = {VTA_SOURCE_DIR "/configs/hw/default.yaml"};
  std::vector<std::string> memories = {"simple"};
  int trials = 1000;
};

template <typename T>
T pick(Rng& rng, const std::vector<T>& values) {
  return values[std::uniform_int_distribution<size_t>(0, values.size() - 1)(rng)];
}

// The sizes that cut `extent` into 1, 2, 3, ... parts.
int64_t pickPart(Rng& rng, int64_t extent) {
  std::vector<int64_t> sizes;
  for (int64_t parts = 1; parts <= extent; ++parts) sizes.push_back(ceilDiv(extent, parts));
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return pick(rng, sizes);
}

/// The layer as the compiler has it where an element of OUT is several of INP: they are columns of
/// the pixel.
KernelDesc readStored(KernelDesc desc, const HwConfig& hw) {
  const int64_t parts = hw.blockOut() / hw.blockIn();
  if (desc.kind != KernelKind::kContraction || parts < 2) return desc;
  Geometry& g = desc.geometry;
  const bool is_depthwise = g.groups > 1;
  g.fold_taps = g.fold_pitch = 1;
  g.in_channel_blocks = ceilDiv(g.in_channel_blocks, parts);
  if (is_depthwise) g.in_channel_blocks = g.groups = g.out_channel_blocks;
  g.in_width *= parts;
  g.kernel_width *= parts;
  g.stride_x *= parts;
  g.pad_left *= parts;
  g.pad_right *= parts;
  const auto folded = is_depthwise ? foldGeometry(desc, hw) : std::nullopt;
  return folded ? *folded : desc;
}

ChainSchedule randomSchedule(const Chain& chain, Rng& rng) {
  const Geometry& g = chain.consumer.geometry;
  const bool is_one_row = g.kernel_height == 1 && pick<int>(rng, {0, 1}) == 0;
  const std::vector<int> shares = {1, 2, 3, 4, 5, 6, 7};
  ChainSchedule s;
  s.consumer.tile_height = is_one_row ? 1 : pickPart(rng, g.out_height);
  s.consumer.tile_width = is_one_row ? pickPart(rng, g.out_height * g.out_width)
                                     : ceilDiv(g.out_width, pick<int64_t>(rng, {1, 1, 2, 4}));
  s.consumer.tile_out_blocks = pickPart(rng, g.out_channel_blocks);
  s.consumer.tile_in_blocks = pickPart(rng, g.inBlocksPerGroup());
  s.consumer.order =
      pick(rng, std::vector{Schedule::Order::kWeightsInner, Schedule::Order::kWeightsOuter});
  s.producer_in_blocks = pickPart(rng, chain.producer.geometry.inBlocksPerGroup());
  s.shares = {pick(rng, shares), pick(rng, shares), pick(rng, shares)};
  return s;
}

/// `of` with one decision drawn again.
ChainSchedule neighbour(const Chain& chain, const ChainSchedule& of, Rng& rng) {
  const ChainSchedule other = randomSchedule(chain, rng);
  ChainSchedule s = of;
  switch (pick<int>(rng, {0, 1, 2, 3, 4, 5, 6, 7})) {
    case 0:
      s.consumer.tile_height = other.consumer.tile_height;
      s.consumer.tile_width = other.consumer.tile_width;
      break;
    case 1:
      s.consumer.tile_out_blocks = other.consumer.tile_out_blocks;
      break;
    case 2:
      s.consumer.tile_in_blocks = other.consumer.tile_in_blocks;
      break;
    case 3:
      s.consumer.order = other.consumer.order;
      break;
    case 4:
      s.producer_in_blocks = other.producer_in_blocks;
      break;
    case 5:
      s.shares.inp = other.shares.inp;
      break;
    case 6:
      s.shares.wgt = other.shares.wgt;
      break;
    default:
      s.shares.acc = other.shares.acc;
  }
  return s;
}

/// The program of the fastest chain that was found; none where no schedule fits.
Result<std::optional<Program>> searchChain(const Chain& chain, const HwConfig& hw,
                                           sim::ProgramTimer& timer, int trials) {
  constexpr int kDrawsForEachTrial = 40;  // most do not fit
  Rng rng(1);
  std::optional<Program> best;
  ChainSchedule schedule;
  uint64_t cycles = UINT64_MAX;
  int measured = 0;
  for (int draw = 0; draw < kDrawsForEachTrial * trials && measured < trials; ++draw) {
    const bool is_near = measured > trials / 3;
    const ChainSchedule tried =
        is_near ? neighbour(chain, schedule, rng) : randomSchedule(chain, rng);
    Result<Program> program = lowerChain(chain, tried, hw);
    if (!program.ok()) continue;
    VTA_ASSIGN_OR_RETURN(const auto taken, timer.cyclesUpTo(*program, cycles));
    ++measured;
    if (!taken || *taken >= cycles) continue;
    cycles = *taken;
    schedule = tried;
    best = *std::move(program);
  }
  return best;
}

/// The only layer that reads what layer `number` makes; none where others do, or it adds it.
std::optional<size_t> onlyReader(const std::vector<NetworkLayer>& layers, size_t number) {
  const int tensor = static_cast<int>(number) + 1;
  std::optional<size_t> reader;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].input != tensor && layers[i].residual != tensor) continue;
    if (reader || layers[i].residual == tensor || layers[i].after_host) return std::nullopt;
    reader = i;
  }
  return reader;
}

uint64_t movedBytes(const LaunchCounters& counters) {
  return counters.load.read_bytes + counters.compute.read_bytes + counters.store.write_bytes;
}

/// A pair of neighbours as a chain, beside the two by themselves.
struct Pair {
  size_t producer = 0;
  uint64_t apart_cycles = 0, chain_cycles = 0;
  uint64_t apart_bytes = 0, chain_bytes = 0;
  double share() const {
    return 1 - static_cast<double>(chain_cycles) / static_cast<double>(apart_cycles);
  }
};

/// The pairs of a network that are faster as chains.
Result<std::vector<Pair>> fasterPairs(const std::vector<NetworkLayer>& layers,
                                      const std::vector<LaunchCounters>& alone, const HwConfig& hw,
                                      sim::ProgramTimer& timer, int trials) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i + 1 < layers.size(); ++i) {
    if (onlyReader(layers, i) != i + 1) continue;
    const Chain chain{layers[i].desc, layers[i + 1].desc};
    if (!checkChain(chain, hw).ok()) continue;
    VTA_ASSIGN_OR_RETURN(const auto program, searchChain(chain, hw, timer, trials));
    if (!program) continue;
    VTA_ASSIGN_OR_RETURN(const LaunchCounters together, timer.run(*program));
    const Pair pair = {i, alone[i].cycles + alone[i + 1].cycles, together.cycles,
                       movedBytes(alone[i]) + movedBytes(alone[i + 1]), movedBytes(together)};
    fmt::print(stderr, "{}, {}: {} to {} cycles, {} to {} bytes\n", chain.producer.name,
               chain.consumer.name, pair.apart_cycles, pair.chain_cycles, pair.apart_bytes,
               pair.chain_bytes);
    if (pair.chain_cycles < pair.apart_cycles) pairs.push_back(pair);
  }
  return pairs;
}

/// Those that win most together, of which no two have a layer in common.
std::vector<Pair> bestPairs(const std::vector<Pair>& pairs) {
  struct Choice {
    uint64_t won = 0;
    std::vector<Pair> pairs;
  };
  Choice last;    // of the pairs so far
  Choice before;  // of those that do not have the newest one's first layer
  size_t end = 0;
  for (const Pair& pair : pairs) {
    Choice with = pair.producer < end ? before : last;
    with.won += pair.apart_cycles - pair.chain_cycles;
    with.pairs.push_back(pair);
    before = last;
    if (with.won <= last.won) continue;
    last = std::move(with);
    end = pair.producer + 2;
  }
  return last.pairs;
}

Result<Json> measure(const std::string& name, const HwConfig& hw, const sim::MemoryConfig& memory,
                     int trials) {
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(hw, memory));
  std::vector<NetworkLayer> layers = networks().at(name)(hw);
  for (NetworkLayer& layer : layers) layer.desc = readStored(layer.desc, hw);
  VTA_ASSIGN_OR_RETURN(const std::vector<Schedule> schedules, chooseSchedules(layers, hw, &timer));
  VTA_ASSIGN_OR_RETURN(const NetworkProgram network, lowerNetwork(layers, schedules, hw));
  std::vector<LaunchCounters> alone;
  uint64_t cycles = 0;
  for (const Program& layer : network.layers) {
    VTA_ASSIGN_OR_RETURN(alone.emplace_back(), timer.run(layer));
    cycles += alone.back().cycles;
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<Pair> faster,
                       fasterPairs(layers, alone, hw, timer, trials));
  const std::vector<Pair> best = bestPairs(faster);
  Json row = {{"apart_cycles", cycles}, {"pairs", best.size()}, {"best", "none"}};
  uint64_t won = 0;
  double most = 0;
  for (const Pair& pair : best) {
    won += pair.apart_cycles - pair.chain_cycles;
    if (pair.share() <= most) continue;
    most = pair.share();
    row["best"] = fmt::format("{}: {:.1f} %", layers[pair.producer].desc.name, 100 * most);
  }
  row["chain_cycles"] = cycles - won;
  row["won_cycles"] = won;
  return row;
}

Status run(const Options& options) {
  Json rows = Json::object();
  for (const std::string& file : options.hws) {
    VTA_ASSIGN_OR_RETURN(const HwConfig without, loadHwConfig(file));
    HwParams params = without.params();
    params.ext_handover = true;
    VTA_ASSIGN_OR_RETURN(const HwConfig hw, HwConfig::create(params));
    for (const std::string& spec : options.memories) {
      VTA_ASSIGN_OR_RETURN(const sim::MemoryConfig memory, sim::resolveMemoryConfig(spec));
      for (const std::string& network : options.networks) {
        const std::string name = fmt::format("{}, {}, {}", network, hw.name(),
                                             std::filesystem::path(spec).stem().string());
        VTA_ASSIGN_OR_RETURN(rows[name], measure(network, hw, memory, options.trials));
      }
    }
  }
  fmt::print("{}\n", rows.dump(1));
  return {};
}

}  // namespace
}  // namespace vta::kernel::testing

int main(int argc, char** argv) {
  vta::kernel::testing::Options options;
  CLI::App app{"Cycles of pairs of layers with a hand-over between them, as JSON"};
  app.add_option("--network", options.networks)
      ->check(CLI::IsMember(vta::kernel::testing::networks()));
  app.add_option("--hw", options.hws, "accelerators; they get extension handover");
  app.add_option("--dram", options.memories, "memories");
  app.add_option("--trials", options.trials, "schedules of each pair that are measured")
      ->check(CLI::Range(1, 1000000));
  CLI11_PARSE(app, argc, argv);
  const vta::Status status = vta::kernel::testing::run(options);
  if (status.ok()) return 0;
  fmt::print(stderr, "bench_handover: {}\n", status.message());
  return 1;
}
