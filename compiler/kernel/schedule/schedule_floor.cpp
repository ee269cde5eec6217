#include "compiler/kernel/schedule/schedule_floor.h"

#include <algorithm>

#include "base/integer_math.h"
#include "compiler/kernel/plan/read_cycles.h"
#include "compiler/kernel/primitives/transfer.h"
#include "compiler/kernel/schedule/kernel_work.h"
#include "compiler/kernel/schedule/work_axis.h"
#include "isa/spec/timing.h"

namespace vta::kernel {
namespace {

using timing::kAluDepth;
using timing::kGemmDepth;
using timing::kLeastAccLatency;

uint64_t busBytes(const HwConfig& hw) { return hw.params().axi_data_width_bits / 8; }

// Cycles of the bus that so many bytes take at least.
uint64_t busCycles(uint64_t bytes, const HwConfig& hw, const MemoryTraits& memory) {
  const uint64_t beats = bytes / busBytes(hw);
  return static_cast<uint64_t>(static_cast<double>(beats) * memory.cycles_per_beat);
}

uint64_t u64(int64_t value) { return static_cast<uint64_t>(value); }

// Sums over the tiles of `tile` outputs of an axis and their steps of `step_taps` taps, but for
// those that find nothing but padding.
struct StepSums {
  int64_t steps = 0;
  int64_t places = 0;    // inside the input: from a step's first to its last, or each `row_step`th
  int64_t products = 0;  // outputs times taps, padding included
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

enum class Engine : uint8_t { kNone, kGemm, kAlu, kLoad };

// One engine after the other: each begins when the one before has written its last result.
class InOrderCycles {
 public:
  explicit InOrderCycles(const MemoryTraits& memory)
      : load_latency_(static_cast<uint64_t>(memory.least_latency_cycles)) {}

  void add(Engine engine, uint64_t cycles) {
    if (cycles == 0) return;
    if (engine != engine_) {
      const uint64_t overheads[] = {0, kGemmDepth, kAluDepth, load_latency_};
      cycles_ += overheads[static_cast<int>(engine)] + kLeastAccLatency;
      engine_ = engine;
    }
    cycles_ += cycles;
  }
  uint64_t cycles() const { return cycles_; }

 private:
  uint64_t load_latency_;
  Engine engine_ = Engine::kNone;
  uint64_t cycles_ = 0;
};

}  // namespace

ScheduleFloor::ScheduleFloor(const KernelDesc& desc, const HwConfig& hw, const MemoryTraits& memory)
    : desc_(desc), hw_(hw), memory_(memory) {
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
  // Of what is computed before pooling, windows may leave something out.
  if (desc.pool.has_value()) return;
  if (g.folds()) {
    valid_products_ = u64(g.batch_blocks * g.out_channel_blocks * pixels * g.weightElems());
    return;
  }
  const auto [rows, cols] = axesOf(g);
  valid_products_ = u64(g.batch_blocks * g.out_channel_blocks * g.inBlocksPerGroup()) *
                    static_cast<uint64_t>(validTaps(rows) * validTaps(cols));
}

ScheduleFloor::Sums ScheduleFloor::sumsOf(const KernelPlan& plan) const {
  const Geometry& g = plan.geometry;
  const Tiling& t = plan.tiling;
  const auto [rows, cols] = axesOf(g);
  const StepSums y = sumSteps(rows, t.height, t.kernel_height, t.row_step);
  const StepSums x = sumSteps(cols, t.width, t.kernel_width, 1);
  return {g.batch_blocks * y.steps * x.steps, g.batch_blocks * y.places * x.places,
          g.batch_blocks * y.products * x.products};
}

uint64_t ScheduleFloor::leastCycles(const Schedule& schedule, const KernelPlan& plan) const {
  const Tiling& t = plan.tiling;
  const int64_t tiles = desc_.geometry.batch_blocks * t.pixelTiles() * t.outTiles();
  int64_t instructions = tiles;  // STOREs
  ReadBytes read;
  uint64_t engines = 0;
  // Pooling tiles have other input regions.
  if (plan.method == Method::kGemm && !plan.pool) {
    const Sums sums = sumsOf(plan);
    instructions += sums.steps * t.steps_in * t.outTiles();  // GEMMs
    read.inputs = static_cast<double>(inputBytes(schedule, plan, sums));
    read.weights = static_cast<double>(weightBytes(schedule, plan, sums));
    engines = gemmOperations(schedule, plan, sums);
  } else if (plan.method == Method::kGemm && desc_.kind == KernelKind::kContraction) {
    engines = static_cast<uint64_t>(countWork(desc_, schedule, hw_, plan).acc_elems);
    if (!schedule.skip_padding && loadsPadding()) {
      engines *= u64(desc_.geometry.inBlocksPerGroup() * t.kernel_height * t.weight_columns);
    }
  }
  read.rest = static_cast<double>(instructions * hw_.instructionBytes());
  if (!hw_.params().concurrent_compute) {
    // Each tile has its turn of the GEMM core, then of the ALU.
    const uint64_t turns = alu_cycles_ > 0 && engines > 0 ? u64(tiles) : 0;
    engines += alu_cycles_ + turns * (kGemmDepth + kAluDepth + 2 * kLeastAccLatency);
  }
  return std::max({engines, static_cast<uint64_t>(readCycles(read, hw_, memory_)),
                   busCycles(write_bytes_, hw_, memory_)});
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
uint64_t ScheduleFloor::inputBytes(const Schedule& schedule, const KernelPlan& plan,
                                   const Sums& sums) const {
  const Geometry& g = plan.geometry;
  const Tiling& t = plan.tiling;
  const int64_t once = g.in_channel_blocks * sums.places;
  const int64_t again = t.tiles_out_per_group - 1;
  // How many sets of regions are in use one after the other.
  const bool inner = schedule.order == Schedule::Order::kWeightsInner;
  const int64_t sets = inner ? g.batch_blocks * t.pixelTiles() * t.tiles_group : t.tiles_group;
  const int64_t kept = sets * int64_t{plan.sram.inp.count} * plan.sram.inp.elems;
  const int64_t elems = once + again * std::max<int64_t>(0, once - kept);
  return u64(elems) * hw_.elemBytes(MemoryType::kInp);
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

uint64_t leastCycles(const Program& program, const HwConfig& hw, const MemoryTraits& memory) {
  uint64_t gemm = 0;
  uint64_t alu = 0;
  ReadBytes read;
  read.rest = static_cast<double>(program.instructions.size()) * hw.instructionBytes();
  uint64_t write_bytes = 0;
  InOrderCycles in_order(memory);
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
      const uint64_t elems = uint64_t{mem->y_size} * mem->x_size;
      const uint64_t bytes = elems * u64(hw.elemBytes(mem->memory_type));
      if (instruction.opcode == Opcode::kStore) {
        write_bytes += bytes;
        continue;
      }
      const MemoryType type = scratchpadOf(mem->memory_type);
      (type == MemoryType::kInp   ? read.inputs
       : type == MemoryType::kWgt ? read.weights
                                  : read.rest) += static_cast<double>(bytes);
      const bool by_load_unit = type == MemoryType::kInp || type == MemoryType::kWgt;
      if (!by_load_unit) in_order.add(Engine::kLoad, (bytes + busBytes(hw) - 1) / busBytes(hw));
    }
  }
  const uint64_t engines = hw.params().concurrent_compute ? std::max(gemm, alu) : in_order.cycles();
  return std::max({engines, static_cast<uint64_t>(readCycles(read, hw, memory)),
                   busCycles(write_bytes, hw, memory)});
}

}  // namespace vta::kernel
