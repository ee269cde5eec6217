#include "compiler/kernel/schedule/kernel_work.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/kernel/plan/cost_constants.h"
#include "compiler/kernel/schedule/work_axis.h"

namespace vta::kernel {
namespace {

class WorkCounter {
 public:
  WorkCounter(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
              const KernelPlan& plan, const MemoryTraits& memory)
      : desc_(desc),
        g_(plan.geometry),
        s_(schedule),
        hw_(hw),
        plan_(plan),
        t_(plan.tiling),
        over_(overheadsOf(hw)),
        bus_bytes_(hw.params().axi_data_width_bits / 8.0),
        latency_(memory.latency_cycles),
        cycles_per_beat_(memory.cycles_per_beat),
        cycles_per_burst_(
            memory.latency_cycles /
            std::min<double>(memory.outstanding_bursts, hw.params().axi_outstanding_bursts)) {}

  KernelWork run() {
    work_.tiles = static_cast<double>(g_.batch_blocks * t_.pixelTiles() * t_.outTiles());
    const auto planes = static_cast<double>(g_.batch_blocks * g_.out_channel_blocks);
    work_.out_elems =
        planes * static_cast<double>(plan_.outputs.out_height * plan_.outputs.out_width);
    work_.acc_elems = planes * rowAxis().computed() * colAxis().computed();
    resets();
    if (plan_.pool) pooling();
    if (plan_.method == Method::kGemm) {
      gemms();
      factors();
      inputs();
      weights();
    } else {
      int8Inputs();
    }
    epilogue();
    stores();
    work_.cost.load_cycles = loadUnitCycles(work_.cost.load_cycles, weight_cycles_, hw_);
    return work_;
  }

 private:
  WorkAxis rowAxis() const {
    return {.in = g_.in_height,
            .out = plan_.outputs.out_height,
            .tile = t_.height,
            .kernel = g_.kernel_height,
            .step_taps = t_.kernel_height,
            .stride = g_.stride_y,
            .dilation = g_.dilation_y,
            .pad = g_.pad_top,
            .row_step = t_.row_step,
            .pool = plan_.pool ? &plan_.pool->rows : nullptr,
            .carries = true};
  }
  WorkAxis colAxis() const {
    return {.in = g_.in_width,
            .out = plan_.outputs.out_width,
            .tile = t_.width,
            .kernel = g_.kernel_width,
            .step_taps = t_.kernel_width,
            .stride = g_.stride_x,
            .dilation = g_.dilation_x,
            .pad = g_.pad_left,
            .row_step = 1,
            .pool = plan_.pool ? &plan_.pool->cols : nullptr,
            .carries = false};
  }

  double transferCycles(double elems, MemoryType type) const {
    return elems * hw_.elemBytes(type) / bus_bytes_ * cycles_per_beat_;
  }

  // The published HLS core: how often its units take a beat.
  double beatCycles(MemoryType type) const {
    if (type != MemoryType::kInp && type != MemoryType::kWgt) return cycles_per_beat_;
    const auto interval = static_cast<double>(hls_timing::beatInterval(hw_.elemBytes(type)));
    return std::max(interval, cycles_per_beat_);
  }

  // The same for DMA rows. On the published HLS core each waits for the one before. Short rows are
  // short bursts, of which only so many are in flight that the memory's latency shows.
  double rowsCycles(double elems, double rows, MemoryType type) const {
    const double beats = elems * hw_.elemBytes(type) / bus_bytes_;
    if (hw_.params().hls_timing) return rows * latency_ + beats * beatCycles(type);
    const double longest = hw_.params().axi_max_burst_beats;
    const double bursts = rows > 0 ? rows * std::ceil(beats / rows / longest) : 0;
    return std::max(beats * cycles_per_beat_, bursts * cycles_per_burst_);
  }

  void countBytes(double bytes, MemoryType type) {
    work_.cost.read_bytes += bytes;
    ReadBytes& read = work_.read_bytes;
    (type == MemoryType::kInp   ? read.inputs
     : type == MemoryType::kWgt ? read.weights
                                : read.rest) += bytes;
  }

  void read(double& unit_cycles, double elems, double rows, double insns, MemoryType type) {
    countBytes(elems * hw_.elemBytes(type), type);
    unit_cycles += rowsCycles(elems, rows, type) + rows * over_.dma_row + insns * over_.dma_insn;
    work_.instructions += insns;
  }

  void resets() {
    if (plan_.gemm_assigns) return;
    if (plan_.begins_with_bias) {
      const double cleared = std::min(
          work_.tiles, static_cast<double>(plan_.sram.acc.count) + work_.tiles * smallBiasShare());
      gemm(work_.acc_elems * cleared / work_.tiles, cleared);
    } else if (plan_.reset_by_alu) {
      alu(work_.acc_elems, work_.tiles);
    } else {
      gemm(work_.acc_elems, work_.tiles);
    }
  }

  // The share of tiles that hold blocks with a bias below results.
  double smallBiasShare() const {
    int64_t tiles = 0;
    int64_t last = -1;
    for (const int32_t block : desc_.small_bias_blocks) {
      const int64_t tile = block / t_.outBlocks();
      tiles += tile != last ? 1 : 0;
      last = tile;
    }
    return static_cast<double>(tiles) / static_cast<double>(t_.outTiles());
  }

  // Maxima of accumulators in place, and the rows that tiles leave to those below.
  void pooling() {
    const PoolPlan& pool = *plan_.pool;
    // Instructions of one tile follow each other closely.
    alu(work_.out_elems * pool.aluPerOutput() * (pool.rows.slides ? slidingShare() : 1),
        work_.tiles);
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
    work_.cost.gemm_cycles += uops + insns * over_.gemm_insn;
    work_.instructions += insns;
  }

  void alu(double uops, double insns) {
    work_.cost.alu_cycles +=
        uops * over_.alu_operation * hw_.params().alu_passes + insns * over_.alu_insn;
    work_.instructions += insns;
  }

  // Hardware with hazards takes one instruction for each reduction of a tile with so few elements.
  bool isSerialised() const {
    return hw_.params().compat_0_0_2 && t_.outBlocks() * t_.pixels() < 3;
  }

  // Whether padding is an element of INP times the weights.
  bool padsByElement() const {
    return g_.isPadded() && !plan_.identity_weights && !loadedPadding(g_.pad_value, hw_);
  }

  // GEMMs of a step of a tile, on average, where padding is an element: one for each run of taps,
  // and those for the outputs that a run does not reach.
  double borderGemms() const {
    const double rows = tapRuns(rowAxis()) / static_cast<double>(t_.tiles_y);
    const double cols = tapRuns(colAxis()) / static_cast<double>(t_.tiles_x);
    return rows * cols + std::max(0.0, rows - 1) * cols + rows * std::max(0.0, cols - 1);
  }

  void gemms() {
    const double taps = static_cast<double>(g_.weightElems());
    const double grids = plan_.pool ? static_cast<double>(plan_.pool->cellsPerOutput()) : 1;
    double insns = work_.tiles * static_cast<double>(t_.steps()) * grids;
    // Depthwise the first GEMM assigns, the others add.
    if (plan_.gemm_assigns && g_.weightElems() > 1) insns *= 2;
    double shapes = grids;  // of the micro-op kernels of a step
    if (s_.skip_padding) {
      // Per axis: (output, tap) pairs inside the input, and runs of taps that share an instruction.
      const double runs =
          tapRuns(rowAxis()) * tapRuns(colAxis()) / static_cast<double>(t_.pixelTiles());
      insns = work_.tiles * static_cast<double>(t_.steps_in) * runs * grids;
      shapes = grids * std::min(kMaxShapes, tapRuns(rowAxis())) *
               std::min(kMaxShapes, tapRuns(colAxis()));
      const double share = validTaps(rowAxis()) * validTaps(colAxis()) /
                           (static_cast<double>(g_.out_height * g_.out_width) * taps);
      gemm(work_.acc_elems * share * taps * static_cast<double>(g_.inBlocksPerGroup()), insns);
    } else {
      if (padsByElement()) {
        insns = work_.tiles * static_cast<double>(t_.steps_in) * borderGemms() * grids;
        shapes = grids * std::min(2 * kMaxShapes * kMaxShapes, borderGemms());
      }
      gemm(work_.acc_elems * static_cast<double>(g_.inBlocksPerGroup()) * taps, insns);
    }
    if (isSerialised()) {
      const int64_t reductions = t_.stepGemms();
      gemm(0, insns * static_cast<double>(reductions - 1));
    }
    // Micro-ops are what two hardware loops, over the largest dimensions, leave.
    std::array<double, 6> dims = {
        static_cast<double>(t_.groups),           static_cast<double>(t_.group_in_blocks),
        static_cast<double>(t_.kernel_height),    static_cast<double>(t_.weight_columns),
        static_cast<double>(t_.group_out_blocks), static_cast<double>(t_.pixels())};
    std::sort(dims.begin(), dims.end());
    double kernel = dims[0] * dims[1] * dims[2] * dims[3];
    if (s_.skip_padding) kernel *= kSkippedShape;
    uopLoads(insns, kernel, shapes);
  }

  // Multiplications of accumulators between GEMMs of the same tile, which wait for them.
  void factors() {
    const auto count = static_cast<double>(desc_.numFactors());
    const double before = work_.cost.alu_cycles;
    alu(count * work_.acc_elems, count * work_.tiles);
    if (plan_.pipelined) work_.cost.gemm_cycles += work_.cost.alu_cycles - before;
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
    work_.uop_cycles +=
        loads * (over_.uop_insn + latency_) + transferCycles(uops, MemoryType::kUop);
    work_.instructions += loads;
    countBytes(uops * hw_.uopBytes(), MemoryType::kUop);
  }

  void inputs() {
    const AxisLoads rows = axisLoads(rowAxis());
    const AxisLoads cols = axisLoads(colAxis());
    const double passes = operandPasses(plan_, s_.order).inputs;
    const double blocks = static_cast<double>(g_.batch_blocks * g_.in_channel_blocks) * passes;
    // Full-width regions without padding merge their rows.
    const bool merges =
        t_.tiles_x == 1 && cols.rows == static_cast<double>(g_.in_width) &&
        (s_.skip_padding || padsByElement() || (g_.pad_left == 0 && g_.pad_right == 0)) &&
        t_.row_step == 1;
    const double row_count = merges ? rows.pieces : rows.rows;
    const double before = work_.cost.load_cycles;
    read(work_.cost.load_cycles, rows.rows * cols.rows * blocks, row_count * cols.pieces * blocks,
         rows.pieces * cols.pieces * blocks, MemoryType::kInp);
    work_.input_loads = {work_.cost.load_cycles - before,
                         work_.tiles * passes / static_cast<double>(t_.tiles_out_per_group)};
    const double steps = static_cast<double>(t_.steps()) * work_.tiles;
    work_.first_load += transferCycles(rows.rows * cols.rows * blocks / steps, MemoryType::kInp);
  }

  // DMA rows of the weights of a tile and step.
  double weightRows() const {
    if (desc_.weight_layout == WeightLayout::kOutputRows) {
      return t_.tiles_out_per_group > 1 ? static_cast<double>(t_.inBlocks()) : 1;
    }
    return t_.steps_in > 1 || t_.steps_ky > 1 ? static_cast<double>(t_.outBlocks()) : 1;
  }

  void weights() {
    if (plan_.identity_weights) return;
    const double elems =
        static_cast<double>(g_.out_channel_blocks * g_.inBlocksPerGroup() * g_.weightElems());
    const double chunks = static_cast<double>(t_.steps() * t_.outTiles());
    const double passes = operandPasses(plan_, s_.order).weights;
    read(weight_cycles_, elems * passes, chunks * passes * weightRows(), chunks * passes,
         MemoryType::kWgt);
    work_.weight_loads = {weight_cycles_, static_cast<double>(t_.outTiles()) * passes};
    work_.first_load += transferCycles(elems / chunks, MemoryType::kWgt);
  }

  // An int8 operand of `elems` elements: through INP and GEMM, or by ACC_8BIT in the compute queue.
  void int8Operand(double elems, double pieces, double rows, bool resets_first) {
    if (s_.int8_through_gemm) {
      read(work_.cost.load_cycles, elems, rows, pieces, MemoryType::kInp);
      gemm(resets_first ? 2 * elems : elems, resets_first ? 2 * pieces : pieces);
      // Distinct micro-ops for each piece of a tile.
      const double per_tile = std::max(1.0, pieces / work_.tiles);
      uopLoads(pieces, 1);
      work_.cost.compute_dma_cycles += per_tile * (over_.uop_insn + latency_);
    } else {
      read(work_.cost.compute_dma_cycles, elems, rows, pieces, MemoryType::kAcc8);
      work_.cost.compute_dma_cycles += pieces * latency_;
    }
  }

  double stagedPieces(double elems) const {
    const double room = std::max(1u, plan_.sram.staging.elems);
    return std::max(work_.tiles, s_.int8_through_gemm ? elems / room : work_.tiles);
  }

  void int8Inputs() {
    double elems = work_.out_elems;
    double rows = work_.tiles * static_cast<double>(t_.outBlocks() * t_.height);
    if (plan_.method == Method::kAluPool) {
      const AxisLoads y = axisLoads(rowAxis());
      const AxisLoads x = axisLoads(colAxis());
      const double planes = static_cast<double>(g_.batch_blocks * g_.in_channel_blocks);
      elems = y.rows * x.rows * planes;
      rows = y.rows * x.pieces * planes;
      const double taps = static_cast<double>(g_.kernel_height * g_.kernel_width);
      const double insns = work_.tiles * static_cast<double>(t_.steps());
      alu(work_.out_elems * (taps * kStridedPooling + 1), insns + work_.tiles);
      uopLoads(insns, static_cast<double>(t_.kernel_height * t_.kernel_width * t_.outBlocks()));
    }
    int8Operand(elems, stagedPieces(elems), rows, plan_.method == Method::kAluPool);
    work_.first_load += transferCycles(elems / work_.tiles, MemoryType::kInp);
  }

  void aluSteps(size_t count) {
    alu(static_cast<double>(count) * work_.out_elems, static_cast<double>(count) * work_.tiles);
  }

  void epilogue() {
    const auto tile_rows = static_cast<double>(t_.outBlocks() * t_.height);
    aluSteps(desc_.epilogue.size() - (plan_.residual_by_gemm ? 1 : 0));
    if (desc_.residual_per_image) {
      const auto steps = static_cast<double>(desc_.residual->steps.size());
      const double elems = work_.tiles * static_cast<double>(t_.outBlocks());
      alu(steps * elems, steps * work_.tiles);
      int8Operand(elems, stagedPieces(elems), work_.tiles, true);
    } else if (desc_.residual.has_value()) {
      aluSteps(desc_.residual->steps.size());
      double pieces = stagedPieces(work_.out_elems);
      if (plan_.sram.residual_in_pieces) {
        pieces = std::max(pieces, work_.out_elems / plan_.sram.residual.elems);
        const double steps = static_cast<double>(desc_.residual->steps.size()) + 1;
        alu(0, (pieces - work_.tiles) * steps);
      }
      int8Operand(work_.out_elems, pieces, work_.tiles * tile_rows, !plan_.residual_by_gemm);
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
    read(work_.cost.compute_dma_cycles, params * blocks * passes, insns, insns, MemoryType::kAcc);
    work_.cost.compute_dma_cycles += insns * latency_;
  }

  void stores() {
    const bool slides = plan_.pool && plan_.pool->rows.slides;
    const bool merges = t_.tiles_x == 1 && !slides;
    const double blocks = work_.tiles * static_cast<double>(t_.outBlocks());
    double rows = merges ? blocks : blocks * static_cast<double>(t_.height);
    double elems = work_.out_elems;
    double insns = work_.tiles;
    if (g_.extends()) {
      // Each row of the image, and each of its elements in the columns beyond, is a STORE.
      const int64_t columns =
          std::max<int64_t>(0, -g_.crop_left) + std::max<int64_t>(0, -g_.crop_right);
      const double image_rows =
          static_cast<double>(g_.batch_blocks * g_.storedBlocks() * g_.storedHeight());
      elems = image_rows * static_cast<double>(g_.storedWidth());
      insns = image_rows * static_cast<double>(1 + columns);
      rows = g_.interleave_x > 1 ? elems : insns;
    } else if (g_.isInterleaved()) {
      // Each of a row's elements is a DMA row of its own, or each row, at all of its places.
      elems *= static_cast<double>(g_.interleave_y * g_.interleave_x);
      elems /= static_cast<double>(g_.phases);
      rows = g_.interleave_x > 1 ? elems : elems / static_cast<double>(t_.width);
    }
    work_.cost.write_bytes = elems * hw_.elemBytes(MemoryType::kOut);
    work_.cost.store_cycles =
        rowsCycles(elems, rows, MemoryType::kOut) + rows * over_.dma_row + insns * over_.dma_insn;
    work_.instructions += insns;
  }

  const KernelDesc& desc_;
  const Geometry& g_;
  const Schedule& s_;
  const HwConfig& hw_;
  const KernelPlan& plan_;
  const Tiling& t_;
  const Overheads& over_;
  double bus_bytes_;
  double latency_;
  double cycles_per_beat_;    // of a stream
  double cycles_per_burst_;   // where as many are in flight as may be
  double weight_cycles_ = 0;  // of the load unit; `work_.cost.load_cycles` is without until the end
  KernelWork work_;
};

}  // namespace

KernelWork countWork(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                     const KernelPlan& plan, const MemoryTraits& memory) {
  return WorkCounter(desc, schedule, hw, plan, memory).run();
}

}  // namespace vta::kernel
