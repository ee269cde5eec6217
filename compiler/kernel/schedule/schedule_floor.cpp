#include "compiler/kernel/schedule/schedule_floor.h"

#include <algorithm>
#include <map>

#include "base/integer_math.h"
#include "compiler/kernel/primitives/transfer.h"
#include "compiler/kernel/schedule/burst_floor.h"
#include "compiler/kernel/schedule/kernel_work.h"
#include "compiler/kernel/schedule/work_axis.h"
#include "isa/spec/timing.h"

namespace vta::kernel {
namespace {

using timing::gemmDepth;
using timing::kAluDepth;
using timing::leastAccLatency;

uint64_t busBytes(const HwConfig& hw) { return hw.params().axi_data_width_bits / 8; }

uint64_t u64(int64_t value) { return static_cast<uint64_t>(value); }

// Sums over the tiles of `tile` outputs of an axis and their steps of `step_taps` taps, but for
// those that find nothing but padding.
struct StepSums {
  int64_t steps = 0;
  int64_t places = 0;    // inside the input: from a step's first to its last, or each `row_step`th
  int64_t products = 0;  // outputs times taps, padding included
  // How many steps have so many places: whole axes, which may be one row of data with what follows,
  // and parts of it.
  int64_t whole = 0;
  std::map<int64_t, int64_t> parts;
};
StepSums sumSteps(const WorkAxis& a, int64_t tile, int64_t step_taps, int64_t row_step) {
  StepSums sums;
  for (int64_t begin = 0; begin < a.out; begin += tile) {
    const int64_t outputs = std::min(tile, a.out - begin);
    for (int64_t tap = 0; tap < a.kernel; tap += step_taps) {
      const int64_t taps = std::min(step_taps, a.kernel - tap);
      const int64_t first = begin * a.stride - a.pad + tap * a.dilation;
      const int64_t last = first + (outputs - 1) * a.stride + (taps - 1) * a.dilation;
      const int64_t below = std::max<int64_t>(0, ceilDiv(-first, row_step));
      const int64_t end = floorDiv(std::min(last, a.in - 1) - first, row_step) + 1;
      if (end <= below) continue;
      ++sums.steps;
      sums.places += end - below;
      if (end - below == a.in) {
        ++sums.whole;
      } else {
        ++sums.parts[end - below];
      }
      sums.products += outputs * taps;
    }
  }
  return sums;
}

struct Axes {
  WorkAxis rows, cols;
};

// Of the kernel's own geometry, as one tile.
Axes axesOf(const Geometry& g) {
  return {{g.in_height, g.out_height, g.out_height, g.kernel_height, g.kernel_height, g.stride_y,
           g.dilation_y, g.pad_top, 1},
          {g.in_width, g.out_width, g.out_width, g.kernel_width, g.kernel_width, g.stride_x,
           g.dilation_x, g.pad_left, 1}};
}

/// How an axis's outputs are pooled: each by itself where nothing is.
struct Pooled {
  int64_t out, kernel, stride, pad;
};

/// What an axis computes at least: outputs of which some window of the pooling makes use, and their
/// taps inside the input.
struct AxisUse {
  int64_t outputs = 0;
  int64_t valid_taps = 0;
};
AxisUse useOf(const WorkAxis& a, const Pooled& pooled) {
  AxisUse use;
  for (int64_t output = 0; output < a.out; ++output) {
    const int64_t last_window = floorDiv(output + pooled.pad, pooled.stride);
    const int64_t window = std::min(last_window, pooled.out - 1);
    if (window < 0 || window * pooled.stride - pooled.pad + pooled.kernel <= output) continue;
    ++use.outputs;
    for (int64_t tap = 0; tap < a.kernel; ++tap) {
      const int64_t place = output * a.stride - a.pad + tap * a.dilation;
      use.valid_taps += place >= 0 && place < a.in ? 1 : 0;
    }
  }
  return use;
}

enum class Engine : uint8_t { kNone, kGemm, kAlu, kLoad };

// One engine after the other: each begins when the one before has written its last result.
class InOrderCycles {
 public:
  InOrderCycles(const HwConfig& hw, const MemoryTraits& memory)
      : gemm_depth_(gemmDepth(hw.params())),
        acc_latency_(leastAccLatency(hw.params())),
        load_latency_(static_cast<uint64_t>(memory.least_latency_cycles)) {}

  void add(Engine engine, uint64_t cycles) {
    if (cycles == 0) return;
    if (engine != engine_) {
      const uint64_t overheads[] = {0, gemm_depth_, kAluDepth, load_latency_};
      cycles_ += overheads[static_cast<int>(engine)] + acc_latency_;
      engine_ = engine;
    }
    cycles_ += cycles;
  }
  uint64_t cycles() const { return cycles_; }

 private:
  uint64_t gemm_depth_;
  uint64_t acc_latency_;
  uint64_t load_latency_;
  Engine engine_ = Engine::kNone;
  uint64_t cycles_ = 0;
};

}  // namespace

ScheduleFloor::ScheduleFloor(const KernelDesc& desc, const HwConfig& hw, const MemoryTraits& memory)
    : desc_(desc), hw_(hw), bursts_(hw, memory) {
  const Geometry& g = desc.geometry;
  const int64_t pixels = desc.outHeight() * desc.outWidth();
  const int64_t stored_pixels = desc.pool ? pixels : g.storedHeight() * g.storedWidth();
  write_bytes_ =
      u64(g.batch_blocks * g.storedBlocks() * stored_pixels) * hw.elemBytes(MemoryType::kOut);
  // One step may be part of the reduction.
  const size_t steps = desc.epilogue.empty() ? 0 : desc.epilogue.size() - 1;
  alu_cycles_ =
      steps * u64(g.batch_blocks * g.out_channel_blocks * pixels * hw.params().alu_passes);
  if (desc.kind != KernelKind::kContraction) return;
  const auto [rows, cols] = axesOf(g);
  Pooled y{g.out_height, 1, 1, 0}, x{g.out_width, 1, 1, 0};
  if (desc.pool) {
    y = {desc.pool->out_height, desc.pool->kernel_height, desc.pool->stride_y, desc.pool->pad_top};
    x = {desc.pool->out_width, desc.pool->kernel_width, desc.pool->stride_x, desc.pool->pad_left};
  }
  const AxisUse row_use = useOf(rows, y), col_use = useOf(cols, x);
  if (g.folds()) {
    valid_products_ = u64(g.batch_blocks * g.out_channel_blocks * row_use.outputs *
                          col_use.outputs * g.weightElems());
    return;
  }
  valid_products_ = u64(g.batch_blocks * g.out_channel_blocks * g.inBlocksPerGroup() *
                        row_use.valid_taps * col_use.valid_taps);
}

ScheduleFloor::Sums ScheduleFloor::sumsOf(const KernelPlan& plan) const {
  const Geometry& g = plan.geometry;
  const Tiling& t = plan.tiling;
  const auto [rows, cols] = axesOf(g);
  const StepSums y = sumSteps(rows, t.height, t.kernel_height, t.row_step);
  const StepSums x = sumSteps(cols, t.width, t.kernel_width, 1);
  Sums sums = {g.batch_blocks * y.steps * x.steps,
               g.batch_blocks * y.places * x.places,
               g.batch_blocks * y.products * x.products,
               {}};
  const auto pieces = static_cast<double>(g.batch_blocks * g.in_channel_blocks * y.places);
  const double place_bytes = hw_.elemBytes(MemoryType::kInp);
  sums.inputs =
      streamOfBytes(pieces * static_cast<double>(x.whole * g.in_width) * place_bytes, hw_);
  for (const auto& [places, steps] : x.parts) {
    sums.inputs.add(streamOfRows(pieces * static_cast<double>(steps),
                                 static_cast<double>(places) * place_bytes, hw_));
  }
  return sums;
}

// Rows of a tile that is as wide as the output may be one row of data with what follows.
Stream ScheduleFloor::storesOf(const KernelPlan& plan) const {
  const Geometry& g = plan.geometry;
  const Tiling& t = plan.tiling;
  if (desc_.pool || plan.pool || !g.storesAll() || t.tiles_x == 1) {
    return streamOfBytes(static_cast<double>(write_bytes_), hw_);
  }
  Stream stores;
  const double rows = static_cast<double>(g.batch_blocks * g.out_channel_blocks * g.out_height);
  for (int64_t x = 0; x < g.out_width; x += t.width) {
    const auto places = static_cast<double>(std::min(t.width, g.out_width - x));
    stores.add(streamOfRows(rows, places * hw_.elemBytes(MemoryType::kOut), hw_));
  }
  return stores;
}

void ScheduleFloor::addResidual(const Schedule& schedule, Streams& streams) const {
  if (!desc_.residual.has_value() || desc_.residual_per_image || desc_.pool) return;
  const MemoryType type = schedule.int8_through_gemm ? MemoryType::kInp : MemoryType::kAcc8;
  const Geometry& g = desc_.geometry;
  const auto elems =
      static_cast<double>(g.batch_blocks * g.out_channel_blocks * g.out_height * g.out_width);
  Stream& stream = schedule.int8_through_gemm ? streams.inputs : streams.compute;
  stream.add(streamOfBytes(elems * hw_.elemBytes(type), hw_));
}

uint64_t ScheduleFloor::leastCycles(const Schedule& schedule, const KernelPlan& plan) const {
  const Tiling& t = plan.tiling;
  const int64_t tiles = desc_.geometry.batch_blocks * t.pixelTiles() * t.outTiles();
  int64_t instructions = tiles;  // STOREs
  Streams streams;
  uint64_t engines = 0;
  // Pooling tiles have other input regions.
  if (plan.method == Method::kGemm && !plan.pool) {
    const Sums sums = sumsOf(plan);
    instructions += sums.steps * t.steps_in * t.outTiles();  // GEMMs
    streams.inputs = inputs(schedule, plan, sums);
    const auto weight_bytes = static_cast<double>(weightBytes(schedule, plan, sums));
    streams.weights = streamOfBytes(weight_bytes, hw_);
    engines = gemmOperations(schedule, plan, sums);
  } else if (plan.method == Method::kGemm && desc_.kind == KernelKind::kContraction) {
    engines = static_cast<uint64_t>(countWork(desc_, schedule, hw_, plan).acc_elems);
    if (!schedule.skip_padding && loadsPadding()) {
      engines *= u64(desc_.geometry.inBlocksPerGroup() * t.kernel_height * t.weight_columns);
    }
    engines = std::max(engines, valid_products_);
  }
  addResidual(schedule, streams);
  streams.fetch = streamOfBytes(static_cast<double>(instructions * hw_.instructionBytes()), hw_);
  streams.stores = storesOf(plan);
  if (hw_.params().concurrent_compute) {
    engines = std::max(engines, alu_cycles_);
  } else {
    // Each tile has its turn of the GEMM core, then of the ALU.
    const uint64_t turns = alu_cycles_ > 0 && engines > 0 ? u64(tiles) : 0;
    engines += alu_cycles_ +
               turns * (gemmDepth(hw_.params()) + kAluDepth + 2 * leastAccLatency(hw_.params()));
  }
  const double ends =
      bursts_.beforeEngines() + static_cast<double>(engines) + bursts_.afterEngines();
  return static_cast<uint64_t>(
      std::max({ends, bursts_.endOfReads(streams), bursts_.endOfStores(streams.stores)}));
}

// Whether LOADs can make all the padding there is.
bool ScheduleFloor::loadsPadding() const {
  const Geometry& g = desc_.geometry;
  return std::max({g.pad_top, g.pad_left, g.pad_bottom, g.pad_right}) <= Transfer::kMaxPad;
}

uint64_t ScheduleFloor::gemmOperations(const Schedule& schedule, const KernelPlan& plan,
                                       const Sums& sums) const {
  const Geometry& g = desc_.geometry;
  const uint64_t accumulators =
      u64(g.batch_blocks * g.out_channel_blocks * g.out_height * g.out_width);
  uint64_t operations = valid_products_;
  if (!g.folds() && desc_.kind == KernelKind::kContraction && !schedule.skip_padding &&
      loadsPadding()) {
    operations = u64(g.out_channel_blocks * g.inBlocksPerGroup() * sums.products);
  }
  if (!plan.reset_by_alu && !plan.begins_with_bias && !plan.gemm_assigns)
    operations += accumulators;
  if (desc_.residual.has_value() && !desc_.residual_per_image && schedule.int8_through_gemm) {
    operations += accumulators;
  }
  return operations;
}

// Each tile of pixels and groups has its own input regions. Where channel tiles share them, each
// needs all of them, of which at most as many as there are slots can have stayed.
Stream ScheduleFloor::inputs(const Schedule& schedule, const KernelPlan& plan,
                             const Sums& sums) const {
  const Geometry& g = plan.geometry;
  const Tiling& t = plan.tiling;
  const int64_t once = g.in_channel_blocks * sums.places;
  const int64_t again = t.tiles_out_per_group - 1;
  // How many sets of regions are in use one after the other.
  const bool inner = schedule.order == Schedule::Order::kWeightsInner;
  const int64_t sets = inner ? g.batch_blocks * t.pixelTiles() * t.tiles_group : t.tiles_group;
  const int64_t kept = sets * int64_t{plan.sram.inp.count} * plan.sram.inp.elems;
  const auto more = static_cast<double>(again * std::max<int64_t>(0, once - kept));
  Stream stream = sums.inputs;
  stream.add(streamOfBytes(more * hw_.elemBytes(MemoryType::kInp), hw_));
  return stream;
}

// Each tile of pixels needs all weights of its steps, of a channel tile or of all; at most as many
// as there are slots can have stayed.
uint64_t ScheduleFloor::weightBytes(const Schedule& schedule, const KernelPlan& plan,
                                    const Sums& sums) const {
  if (plan.identity_weights) return 0;
  const Geometry& g = desc_.geometry;
  const Tiling& t = plan.tiling;
  const int64_t of_tap = g.out_channel_blocks * g.inBlocksPerGroup();
  const int64_t of_step = of_tap * t.kernel_height * t.weight_columns;
  const bool outer = schedule.order == Schedule::Order::kWeightsOuter;
  const int64_t sets = outer ? t.outTiles() : 1;
  const int64_t visits = sets * (g.batch_blocks * t.pixelTiles() - 1);  // but for each set's first
  const int64_t kept = visits * int64_t{plan.sram.wgt.count} * plan.sram.wgt.elems;
  const int64_t elems = std::max(of_tap, sums.steps * of_step - kept);
  return u64(elems) * hw_.elemBytes(MemoryType::kWgt);
}

namespace {

/// What the transfers of a program move.
class ProgramStreams {
 public:
  explicit ProgramStreams(const HwConfig& hw) : hw_(hw) {}

  void add(const Instruction& instruction, const MemInsn& mem) {
    const double row_bytes =
        static_cast<double>(mem.x_size) * static_cast<double>(hw_.elemBytes(mem.memory_type));
    streamOf(instruction, mem).add(streamOfRows(mem.y_size, row_bytes, hw_));
  }
  Streams streams;

 private:
  Stream& streamOf(const Instruction& instruction, const MemInsn& mem) {
    if (instruction.opcode == Opcode::kStore) return streams.stores;
    const MemoryType type = scratchpadOf(mem.memory_type);
    if (type == MemoryType::kInp) return streams.inputs;
    return type == MemoryType::kWgt ? streams.weights : streams.compute;
  }

  const HwConfig& hw_;
};

bool isReadByCompute(const Instruction& instruction, const MemInsn& mem) {
  const MemoryType type = scratchpadOf(mem.memory_type);
  return instruction.opcode != Opcode::kStore && type != MemoryType::kInp &&
         type != MemoryType::kWgt;
}

}  // namespace

uint64_t leastCycles(const Program& program, const HwConfig& hw, const MemoryTraits& memory) {
  uint64_t gemm = 0;
  uint64_t alu = 0;
  ProgramStreams moved(hw);
  InOrderCycles in_order(hw, memory);
  const auto iterations = [](const auto& insn) {
    return uint64_t{insn.uop_end - insn.uop_bgn} * insn.iter_out * insn.iter_in;
  };
  for (const Instruction& instruction : program.instructions) {
    if (instruction.opcode == Opcode::kGemm) {
      const uint64_t operations = iterations(instruction.gemm());
      gemm += operations;
      in_order.add(Engine::kGemm, operations);
    } else if (instruction.opcode == Opcode::kAlu) {
      const uint64_t cycles = iterations(instruction.alu()) * u64(hw.params().alu_passes);
      alu += cycles;
      in_order.add(Engine::kAlu, cycles);
    } else if (const auto* mem = std::get_if<MemInsn>(&instruction.body)) {
      moved.add(instruction, *mem);
      if (!isReadByCompute(instruction, *mem)) continue;
      const uint64_t bytes =
          uint64_t{mem->y_size} * mem->x_size * u64(hw.elemBytes(mem->memory_type));
      in_order.add(Engine::kLoad, (bytes + busBytes(hw) - 1) / busBytes(hw));
    }
  }
  moved.streams.fetch =
      streamOfBytes(static_cast<double>(program.instructions.size()) * hw.instructionBytes(), hw);
  const BurstFloor bursts(hw, memory);
  // In order, the load of the first micro-ops is one of the engines' turns.
  const double engines = hw.params().concurrent_compute
                             ? bursts.beforeEngines() + static_cast<double>(std::max(gemm, alu))
                             : bursts.beforeData() + static_cast<double>(in_order.cycles());
  return static_cast<uint64_t>(
      std::max({engines + bursts.afterEngines(), bursts.endOfReads(moved.streams),
                bursts.endOfStores(moved.streams.stores)}));
}

}  // namespace vta::kernel
