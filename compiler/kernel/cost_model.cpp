#include "compiler/kernel/cost_model.h"

#include <algorithm>
#include <array>

namespace vta::kernel {
namespace {

// Fixed costs in cycles (docs/timing.md). One engine after the other drains each pipeline in
// between.
struct Overheads {
  double dma_insn, dma_row;    // LOAD and STORE: per instruction, per row
  double uop_insn;             // LOAD UOP, in the compute queue
  double gemm_insn, alu_insn;  // per instruction
};
constexpr double kMemoryLatency = 16;
constexpr double kTileCycles = 16;  // tokens and pipeline drains between the steps of one tile
// A shape at the border has fewer taps, and its pixels take both hardware loops.
constexpr double kSkippedShape = 1.5;
// ALU cycles of a maximum of operands with different strides: often both are in one bank.
constexpr double kStridedPooling = 1.4;
constexpr double kMaxShapes = 4;     // of taps at the borders, along one axis
constexpr double kImbalance = 0.02;  // share of hidden work that shows nevertheless
constexpr Overheads kConcurrent = {8, 1, 8 + kMemoryLatency, 6, 6};
constexpr Overheads kInOrder = {8, 1, 12 + kMemoryLatency, 8, 14};

// Valid rows (or columns) that all tiles and steps of one axis load, how many such pieces there
// are, and how many loads need padding (and cannot be merged with their neighbours).
struct AxisLoads {
  double rows = 0;
  double pieces = 0;
};

// What one spatial axis of a kernel and its tiling looks like.
struct Axis {
  int64_t in, out, tile, kernel, step_taps, stride, dilation, pad, row_step;
  const PoolAxis* pool = nullptr;  // out and tile count what it makes of the axis's outputs
  bool carries = false;            // a tile does not compute again what the one before has

  // The outputs of the reduction that a tile [begin, begin + size) needs.
  RegionAxis::Range area(int64_t begin, int64_t size) const {
    if (pool == nullptr) return {begin, begin + size};
    RegionAxis::Range area{pool->in, 0};
    for (int64_t q = 0; q < pool->classes(); ++q) {
      const RegionAxis::Range cells = pool->cells(q, begin, size, carries);
      if (cells.begin >= cells.end) continue;
      area.begin = std::min(area.begin, pool->place(q, cells.begin));
      area.end = std::max(area.end, pool->place(q, cells.end - 1) + 1);
    }
    return area;
  }
  // Outputs of the reduction that are computed, some twice where tiles pool.
  double computed() const {
    if (pool == nullptr) return static_cast<double>(out);
    int64_t sum = 0;
    for (int64_t begin = 0; begin < out; begin += tile) {
      for (int64_t q = 0; q < pool->classes(); ++q) {
        const RegionAxis::Range cells = pool->cells(q, begin, std::min(tile, out - begin), carries);
        sum += cells.end - cells.begin;
      }
    }
    return static_cast<double>(sum);
  }
};

AxisLoads axisLoads(const Axis& a) {
  AxisLoads loads;
  for (int64_t begin = 0; begin < a.out; begin += a.tile) {
    const RegionAxis::Range area = a.area(begin, std::min(a.tile, a.out - begin));
    const int64_t outputs = area.end - area.begin;
    for (int64_t tap = 0; tap < a.kernel; tap += a.step_taps) {
      const int64_t taps = std::min(a.step_taps, a.kernel - tap);
      const int64_t first = area.begin * a.stride - a.pad + tap * a.dilation;
      if (a.row_step > 1) {
        loads.rows += static_cast<double>(outputs);
      } else {
        const int64_t last = first + (outputs - 1) * a.stride + (taps - 1) * a.dilation;
        loads.rows += static_cast<double>(
            std::max<int64_t>(0, std::min(last, a.in - 1) - std::max<int64_t>(first, 0) + 1));
      }
      loads.pieces += 1;
    }
  }
  return loads;
}

// (output, tap) pairs that lie inside the input.
double validTaps(const Axis& a) {
  const int64_t out = a.pool == nullptr ? a.out : a.pool->in;
  int64_t valid = 0;
  for (int64_t tap = 0; tap < a.kernel; ++tap) {
    const int64_t first = a.pad - tap * a.dilation;            // <= out * stride
    const int64_t last = a.in - 1 + a.pad - tap * a.dilation;  // >= out * stride
    if (last < 0) continue;
    const int64_t begin = first <= 0 ? 0 : (first + a.stride - 1) / a.stride;
    valid += std::max<int64_t>(0, std::min(out - 1, last / a.stride) - begin + 1);
  }
  return static_cast<double>(valid);
}

// Runs of taps that reach the same outputs, over all tiles: each tap that a border cuts is its own.
double tapRuns(const Axis& a) {
  int64_t runs = 0;
  for (int64_t begin = 0; begin < a.out; begin += a.tile) {
    const RegionAxis::Range area = a.area(begin, std::min(a.tile, a.out - begin));
    const int64_t before = a.pad - area.begin * a.stride;
    const int64_t after =
        (area.end - 1) * a.stride - a.pad + (a.kernel - 1) * a.dilation - (a.in - 1);
    const auto cut = [&](int64_t overhang) {
      return std::clamp<int64_t>((overhang + a.dilation - 1) / a.dilation, 0, a.kernel);
    };
    const int64_t steps = (a.kernel + a.step_taps - 1) / a.step_taps;
    runs += std::clamp<int64_t>(cut(before) + cut(after) + 1, steps, a.kernel);
  }
  return static_cast<double>(runs);
}

class Estimator {
 public:
  Estimator(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
            const KernelPlan& plan)
      : desc_(desc),
        g_(plan.geometry),
        s_(schedule),
        hw_(hw),
        plan_(plan),
        t_(plan.tiling),
        over_(hw.params().concurrent_compute ? kConcurrent : kInOrder),
        bus_bytes_(hw.params().axi_data_width_bits / 8.0) {}

  CostEstimate run() {
    tiles_ = static_cast<double>(g_.batch_blocks * t_.pixelTiles() * t_.outTiles());
    const auto planes = static_cast<double>(g_.batch_blocks * g_.out_channel_blocks);
    out_elems_ = planes * static_cast<double>(plan_.outputs.out_height * plan_.outputs.out_width);
    acc_elems_ = planes * rowAxis().computed() * colAxis().computed();
    resets();
    if (plan_.pool) pooling();
    if (plan_.method == Method::kGemm) {
      gemms();
      inputs();
      weights();
    } else {
      int8Inputs();
    }
    epilogue();
    stores();
    combine();
    return cost_;
  }

 private:
  Axis rowAxis() const {
    return {g_.in_height,
            plan_.outputs.out_height,
            t_.height,
            g_.kernel_height,
            t_.kernel_height,
            g_.stride_y,
            g_.dilation_y,
            g_.pad_top,
            t_.row_step,
            plan_.pool ? &plan_.pool->rows : nullptr,
            true};
  }
  Axis colAxis() const {
    return {g_.in_width,
            plan_.outputs.out_width,
            t_.width,
            g_.kernel_width,
            t_.kernel_width,
            g_.stride_x,
            g_.dilation_x,
            g_.pad_left,
            1,
            plan_.pool ? &plan_.pool->cols : nullptr};
  }

  double transferCycles(double elems, MemoryType type) const {
    return elems * hw_.elemBytes(type) / bus_bytes_;
  }

  void read(double& unit_cycles, double elems, double rows, double insns, MemoryType type) {
    cost_.read_bytes += elems * hw_.elemBytes(type);
    unit_cycles += transferCycles(elems, type) + rows * over_.dma_row + insns * over_.dma_insn;
    instructions_ += insns;
  }

  void resets() {
    if (plan_.reset_by_alu) {
      alu(acc_elems_, tiles_);
    } else {
      gemm(acc_elems_, tiles_);
    }
  }

  // Maxima of accumulators in place, and the rows that tiles leave to those below.
  void pooling() {
    const PoolPlan& pool = *plan_.pool;
    // Instructions of one tile follow each other closely.
    alu(out_elems_ * pool.aluPerOutput() * (pool.rows.slides ? slidingShare() : 1), tiles_);
    const auto carried = static_cast<double>(pool.rows.sharedClasses() * (t_.tiles_y - 1));
    const auto planes = static_cast<double>(g_.batch_blocks * g_.out_channel_blocks);
    alu(2 * carried * planes * static_cast<double>(plan_.outputs.out_width), 0);
  }

  // Of windows that slide: maxima of a tile's whole rectangle, padding included, for each of its
  // outputs.
  double slidingShare() const {
    const PoolPlan& pool = *plan_.pool;
    const auto width = static_cast<double>(t_.width + pool.cols.kernel - 1);
    const auto height = static_cast<double>(t_.height + pool.rows.kernel - 1);
    const double along = static_cast<double>(pool.cols.kernel - 1) * width * height;
    const double down =
        static_cast<double>(pool.rows.kernel - 1) * width * static_cast<double>(t_.height + 1);
    return (along + down) / (pool.aluPerOutput() * static_cast<double>(t_.pixels()));
  }

  void gemm(double uops, double insns) {
    cost_.gemm_cycles += uops + insns * over_.gemm_insn;
    instructions_ += insns;
  }

  void alu(double uops, double insns) {
    cost_.alu_cycles += uops + insns * over_.alu_insn;
    instructions_ += insns;
  }

  // Hardware with hazards takes one instruction for each reduction of a tile with so few elements.
  bool isSerialised() const {
    return hw_.params().compat_0_0_2 && t_.outBlocks() * t_.pixels() < 3;
  }

  void gemms() {
    const double taps = static_cast<double>(g_.kernel_height * g_.kernel_width);
    const double grids = plan_.pool ? static_cast<double>(plan_.pool->cellsPerOutput()) : 1;
    double insns = tiles_ * static_cast<double>(t_.steps()) * grids;
    double shapes = grids;  // of the micro-op kernels of a step
    if (s_.skip_padding) {
      // Per axis: (output, tap) pairs inside the input, and runs of taps that share an instruction.
      const double runs =
          tapRuns(rowAxis()) * tapRuns(colAxis()) / static_cast<double>(t_.pixelTiles());
      insns = tiles_ * static_cast<double>(t_.steps_in) * runs * grids;
      shapes = grids * std::min(kMaxShapes, tapRuns(rowAxis())) *
               std::min(kMaxShapes, tapRuns(colAxis()));
      const double share = validTaps(rowAxis()) * validTaps(colAxis()) /
                           (static_cast<double>(g_.out_height * g_.out_width) * taps);
      gemm(acc_elems_ * share * taps * static_cast<double>(g_.inBlocksPerGroup()), insns);
    } else {
      gemm(acc_elems_ * static_cast<double>(g_.inBlocksPerGroup()) * taps, insns);
    }
    if (isSerialised()) {
      const int64_t reductions = t_.group_in_blocks * t_.kernel_height * t_.kernel_width;
      gemm(0, insns * static_cast<double>(reductions - 1));
    }
    // Micro-ops are what two hardware loops, over the largest dimensions, leave.
    std::array<double, 6> dims = {
        static_cast<double>(t_.groups),           static_cast<double>(t_.group_in_blocks),
        static_cast<double>(t_.kernel_height),    static_cast<double>(t_.kernel_width),
        static_cast<double>(t_.group_out_blocks), static_cast<double>(t_.pixels())};
    std::sort(dims.begin(), dims.end());
    double kernel = dims[0] * dims[1] * dims[2] * dims[3];
    if (s_.skip_padding) kernel *= kSkippedShape;
    uopLoads(insns, kernel, shapes);
  }

  // Kernels differ by slots; those that the buffer cannot keep are loaded for every use.
  void uopLoads(double insns, double kernel_uops, double shapes = 1) {
    const SramPlan& sram = plan_.sram;
    const double variants =
        std::min(insns, shapes * std::max({sram.inp.count, sram.wgt.count, 1u}) * sram.acc.count);
    const double room = hw_.depthElems(MemoryType::kUop);
    const bool fits = variants * kernel_uops <= room;
    const double uops = (fits ? variants : insns) * kernel_uops;
    const double loads = fits ? 1 : insns;
    uop_cycles_ += loads * over_.uop_insn + transferCycles(uops, MemoryType::kUop);
    instructions_ += loads;
    cost_.read_bytes += uops * hw_.uopBytes();
  }

  void inputs() {
    const AxisLoads rows = axisLoads(rowAxis());
    const AxisLoads cols = axisLoads(colAxis());
    double passes = static_cast<double>(t_.tiles_out_per_group);
    const bool inner =
        s_.order == Schedule::Order::kWeightsInner || g_.batch_blocks * t_.pixelTiles() == 1;
    if (inner && plan_.sram.inp.count >= t_.steps()) passes = 1;
    const double blocks = static_cast<double>(g_.batch_blocks * g_.in_channel_blocks) * passes;
    // Full-width regions without padding merge their rows.
    const bool merges = t_.tiles_x == 1 && cols.rows == static_cast<double>(g_.in_width) &&
                        (s_.skip_padding || (g_.pad_left == 0 && g_.pad_right == 0)) &&
                        t_.row_step == 1;
    const double row_count = merges ? rows.pieces : rows.rows;
    const double before = cost_.load_cycles;
    read(cost_.load_cycles, rows.rows * cols.rows * blocks, row_count * cols.pieces * blocks,
         rows.pieces * cols.pieces * blocks, MemoryType::kInp);
    input_loads_ = {cost_.load_cycles - before,
                    tiles_ * passes / static_cast<double>(t_.tiles_out_per_group)};
    const double steps = static_cast<double>(t_.steps()) * tiles_;
    first_load_ += transferCycles(rows.rows * cols.rows * blocks / steps, MemoryType::kInp);
  }

  void weights() {
    if (plan_.identity_weights) return;
    const double elems = static_cast<double>(g_.out_channel_blocks * g_.inBlocksPerGroup() *
                                             g_.kernel_height * g_.kernel_width);
    const double chunks = static_cast<double>(t_.steps() * t_.outTiles());
    const double pixel_tiles = static_cast<double>(g_.batch_blocks * t_.pixelTiles());
    const bool outer =
        s_.order == Schedule::Order::kWeightsOuter && plan_.sram.wgt.count >= t_.steps();
    const bool resident = plan_.sram.wgt.count >= chunks;
    const double passes = outer || resident ? 1 : pixel_tiles;
    double rows_per_chunk = 1;
    if (t_.steps_in > 1 || t_.steps_ky > 1) rows_per_chunk = static_cast<double>(t_.outBlocks());
    const double before = cost_.load_cycles;
    read(cost_.load_cycles, elems * passes, chunks * passes * rows_per_chunk, chunks * passes,
         MemoryType::kWgt);
    weight_loads_ = {cost_.load_cycles - before, static_cast<double>(t_.outTiles()) * passes};
    first_load_ += transferCycles(elems / chunks, MemoryType::kWgt);
  }

  // An int8 operand of `elems` elements: through INP and GEMM, or by ACC_8BIT in the compute queue.
  void int8Operand(double elems, double pieces, double rows, bool resets_first) {
    if (s_.int8_through_gemm) {
      read(cost_.load_cycles, elems, rows, pieces, MemoryType::kInp);
      gemm(resets_first ? 2 * elems : elems, resets_first ? 2 * pieces : pieces);
      // Distinct micro-ops for each piece of a tile.
      const double per_tile = std::max(1.0, pieces / tiles_);
      uopLoads(pieces, 1);
      cost_.compute_dma_cycles += per_tile * over_.uop_insn;
    } else {
      read(cost_.compute_dma_cycles, elems, rows, pieces, MemoryType::kAcc8);
      cost_.compute_dma_cycles += pieces * kMemoryLatency;
    }
  }

  double stagedPieces(double elems) const {
    const double room = std::max(1u, plan_.sram.staging.elems);
    return std::max(tiles_, s_.int8_through_gemm ? elems / room : tiles_);
  }

  void int8Inputs() {
    double elems = out_elems_;
    double rows = tiles_ * static_cast<double>(t_.outBlocks() * t_.height);
    if (plan_.method == Method::kAluPool) {
      const AxisLoads y = axisLoads(rowAxis());
      const AxisLoads x = axisLoads(colAxis());
      const double planes = static_cast<double>(g_.batch_blocks * g_.in_channel_blocks);
      elems = y.rows * x.rows * planes;
      rows = y.rows * x.pieces * planes;
      const double taps = static_cast<double>(g_.kernel_height * g_.kernel_width);
      const double insns = tiles_ * static_cast<double>(t_.steps());
      alu(out_elems_ * (taps * kStridedPooling + 1), insns + tiles_);
      uopLoads(insns, static_cast<double>(t_.kernel_height * t_.kernel_width * t_.outBlocks()));
    }
    int8Operand(elems, stagedPieces(elems), rows, plan_.method == Method::kAluPool);
    first_load_ += transferCycles(elems / tiles_, MemoryType::kInp);
  }

  void aluSteps(size_t count) {
    alu(static_cast<double>(count) * out_elems_, static_cast<double>(count) * tiles_);
  }

  void epilogue() {
    const auto tile_rows = static_cast<double>(t_.outBlocks() * t_.height);
    aluSteps(desc_.epilogue.size() - (plan_.residual_by_gemm ? 1 : 0));
    if (!desc_.residual.empty()) {
      aluSteps(desc_.residual[0].steps.size());
      int8Operand(out_elems_, stagedPieces(out_elems_), tiles_ * tile_rows,
                  !plan_.residual_by_gemm);
    }
    if (desc_.num_params == 0) return;
    const double params = static_cast<double>(desc_.num_params);
    const double blocks = static_cast<double>(g_.out_channel_blocks);
    const double pixel_tiles = static_cast<double>(g_.batch_blocks * t_.pixelTiles());
    double passes = 1;
    double insns = 1;
    if (plan_.sram.param_mode != ParamMode::kResident) {
      const bool outer = s_.order == Schedule::Order::kWeightsOuter || t_.outTiles() == 1;
      const bool once = outer && (plan_.sram.param_mode == ParamMode::kPerTile || params == 1);
      passes = once ? 1 : pixel_tiles;
      insns = static_cast<double>(t_.outTiles()) * passes *
              (plan_.sram.param_mode == ParamMode::kPerStep ? params : 1);
    }
    read(cost_.compute_dma_cycles, params * blocks * passes, insns, insns, MemoryType::kAcc);
    cost_.compute_dma_cycles += insns * kMemoryLatency;
  }

  void stores() {
    const bool slides = plan_.pool && plan_.pool->rows.slides;
    const bool merges = t_.tiles_x == 1 && !slides;
    const double blocks = tiles_ * static_cast<double>(t_.outBlocks());
    double rows = merges ? blocks : blocks * static_cast<double>(t_.height);
    double elems = out_elems_;
    if (g_.isInterleaved()) {
      // Each of a row's elements is a DMA row of its own, or each row, at all of its places.
      elems *= static_cast<double>(g_.interleave_y * g_.interleave_x);
      elems /= static_cast<double>(g_.phases);
      rows = g_.interleave_x > 1 ? elems : elems / static_cast<double>(t_.width);
    }
    cost_.write_bytes = elems * hw_.elemBytes(MemoryType::kOut);
    cost_.store_cycles =
        cost_.write_bytes / bus_bytes_ + rows * over_.dma_row + tiles_ * over_.dma_insn;
    instructions_ += tiles_;
  }

  // GEMM core and ALU side by side, with instructions issued and tokens pushed in order. While tile
  // i's GEMMs run, the ALU finishes tile i - 1 and clears tile i + 1.
  double pipelinedCycles() const {
    const double clear = plan_.reset_by_alu || plan_.pool ? 0 : acc_elems_;
    const double gemm = cost_.gemm_cycles;
    if (plan_.method != Method::kGemm) return std::max(gemm, cost_.alu_cycles);
    if (plan_.sram.acc.count > 2) return std::max({gemm, cost_.alu_cycles, cost_.store_cycles});
    // Tile i + 1 takes the slot of i - 1, which the ALU finishes and which is stored beside tile
    // i's GEMMs.
    return std::max(gemm, cost_.alu_cycles + clear + cost_.store_cycles);
  }

  // How much longer than their average the tiles take that load more than others: those where the
  // channels or the pixels change, if what they load then stays for the tiles that follow. Slots
  // come free while the tile before runs, so loads have about one tile's time.
  double burstCycles(double compute) const {
    const double tile = compute / tiles_;
    const double inputs = input_loads_.cycles / std::max(1.0, input_loads_.tiles);
    const double weights = weight_loads_.cycles / std::max(1.0, weight_loads_.tiles);
    const double few = std::min(input_loads_.tiles, weight_loads_.tiles);
    if (few >= tiles_ || few <= 1) return 0;
    const bool few_weights = weight_loads_.tiles < input_loads_.tiles;
    const double always = few_weights ? inputs : weights;
    const double burst =
        few * std::max(tile, inputs + weights) + (tiles_ - few) * std::max(tile, always);
    return std::max(0.0, burst - std::max(compute, cost_.load_cycles));
  }

  void combine() {
    cost_.read_bytes += instructions_ * hw_.instructionBytes();
    double compute = plan_.pipelined
                         ? std::max(pipelinedCycles(), cost_.compute_dma_cycles)
                         : cost_.gemm_cycles + cost_.alu_cycles + cost_.compute_dma_cycles;
    // With one tile in ACC, the next begins when it is stored.
    if (plan_.sram.acc.count < 2) compute += cost_.store_cycles + tiles_ * kMemoryLatency;
    // A residual's identity GEMM queues up behind the next tile's, and the ALU waits for it.
    const bool waits = plan_.pipelined && !desc_.residual.empty() && s_.int8_through_gemm;
    if (waits) compute += cost_.alu_cycles;
    // Micro-ops are loaded right before their first use: hardly anything hides that.
    compute += tiles_ * kTileCycles + uop_cycles_;
    cost_.compute_dma_cycles += uop_cycles_;
    const double bus = cost_.read_bytes / bus_bytes_;
    // Nothing hides the first load, and the last tile's ALU steps and store.
    const double fill =
        2 * kMemoryLatency + first_load_ + (cost_.alu_cycles + cost_.store_cycles) / tiles_;
    if (s_.virtual_threads == 1) {
      cost_.cycles = compute + cost_.load_cycles + cost_.store_cycles + fill;
    } else {
      cost_.cycles = std::max({compute, cost_.load_cycles, cost_.store_cycles, bus}) + fill;
      cost_.cycles += burstCycles(compute);
      // Imbalance between neighbouring tiles is not hidden entirely; prefer slack over none.
      cost_.cycles += kImbalance * (compute + cost_.load_cycles + cost_.store_cycles);
    }
  }

  const KernelDesc& desc_;
  const Geometry& g_;
  const Schedule& s_;
  const HwConfig& hw_;
  const KernelPlan& plan_;
  const Tiling& t_;
  const Overheads& over_;
  double bus_bytes_;
  double tiles_ = 1;
  double out_elems_ = 1;  // of the kernel's output
  double acc_elems_ = 1;  // accumulators that its reduction computes
  double first_load_ = 0;
  // Cycles of loads, and how many tiles they are made for.
  struct Loads {
    double cycles = 0;
    double tiles = 0;
  };
  Loads input_loads_, weight_loads_;
  double instructions_ = 0;
  double uop_cycles_ = 0;
  CostEstimate cost_;
};

}  // namespace

CostEstimate estimatePlanCost(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                              const KernelPlan& plan) {
  return Estimator(desc, schedule, hw, plan).run();
}

CostEstimate estimateCost(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw) {
  KernelPlan plan;
  PlanFailure failure;
  if (!makePlan(desc, schedule, hw, plan, failure)) return {};
  return estimatePlanCost(desc, schedule, hw, plan);
}

}  // namespace vta::kernel
