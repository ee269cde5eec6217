#include "explore/tune/space/features.h"

#include <algorithm>
#include <cmath>

#include "compiler/kernel/schedule/kernel_work.h"

namespace vta::tune {
namespace {

// The order in which FeatureWriter writes: those of the task first.
constexpr std::array<std::string_view, kFeatureCount> kNames = {
    // Kernel.
    "kind", "log_macs", "log_out_elems", "log_in_blocks", "log_out_blocks", "groups_per_block",
    "kernel_height", "kernel_width", "stride", "epilogue_steps", "residual_steps", "params",
    "has_pool",
    // Accelerator and memory.
    "log_batch", "log_block_in", "log_block_out", "log_bus_bytes", "outstanding_bursts",
    "log_burst_beats", "log_ports", "log_uop_depth", "log_inp_depth", "log_wgt_depth",
    "log_acc_depth", "concurrent", "alu_passes", "acc_banks", "log_command_depth",
    "log_token_depth", "has_requant", "has_lut", "depthwise_taps", "latency_cycles",
    "cycles_per_beat", "shared_cycles_per_beat", "memory_outstanding",
    // Schedule.
    "log_tile_height", "log_tile_width", "log_tile_out_blocks", "log_tile_in_blocks", "step_taps",
    "virtual_threads", "weights_outer", "int8_through_gemm", "skip_padding",
    // Plan.
    "log_tile_elems", "acc_slots", "log_inp_slots", "log_wgt_slots", "pipelined", "alternates",
    "reset_by_alu", "begins_with_bias", "log_steps",
    // Work, as shares of the longest engine.
    "log_tiles", "gemm_share", "alu_share", "load_share", "compute_dma_share", "store_share",
    "uop_share", "bus_share", "log_longest", "log_instructions", "fetch_share",
    // Bytes and reuse.
    "log_read_bytes", "log_write_bytes", "input_passes", "weight_passes", "input_tiles_share",
    "weight_tiles_share",
    // The draft.
    "log_estimate", "estimate_over_longest", "floor_over_estimate"};

float log2Of(double value) { return static_cast<float>(std::log2(std::max(value, 1e-3))); }
float asFloat(double value) { return static_cast<float>(value); }

// Writes features one after the other.
class FeatureWriter {
 public:
  explicit FeatureWriter(Features& features, size_t next = 0) : features_(features), next_(next) {}
  void add(double value) { features_[next_++] = asFloat(value); }
  void addLog(double value) { features_[next_++] = log2Of(value); }
  size_t next() const { return next_; }

 private:
  Features& features_;
  size_t next_;
};

constexpr size_t kTaskFeatures = 36;

void addKernel(const Task& task, FeatureWriter& out) {
  const kernel::KernelDesc& desc = task.desc;
  const kernel::Geometry& g = desc.geometry;
  out.add(static_cast<int>(desc.kind));
  out.addLog(static_cast<double>(desc.macs(task.hw)));
  out.addLog(
      static_cast<double>(g.batch_blocks * g.out_channel_blocks * g.out_height * g.out_width));
  out.addLog(static_cast<double>(g.in_channel_blocks));
  out.addLog(static_cast<double>(g.out_channel_blocks));
  out.add(static_cast<double>(g.groups) / static_cast<double>(g.out_channel_blocks));
  out.add(static_cast<double>(g.kernel_height));
  out.add(static_cast<double>(g.kernel_width));
  out.add(static_cast<double>(g.stride_y * g.stride_x));
  out.add(static_cast<double>(desc.epilogue.size()));
  out.add(desc.residual ? static_cast<double>(desc.residual->steps.size()) + 1 : 0);
  out.add(static_cast<double>(desc.num_params));
  out.add(desc.pool ? 1 : 0);
}

void addTarget(const Task& task, FeatureWriter& out) {
  const HwConfig& hw = task.hw;
  const kernel::MemoryTraits memory = memoryTraits(task.memory, hw);
  out.addLog(hw.batch());
  out.addLog(hw.blockIn());
  out.addLog(hw.blockOut());
  const int bus_bytes = hw.params().axi_data_width_bits / 8;
  out.addLog(bus_bytes);
  out.add(hw.params().axi_outstanding_bursts);
  out.addLog(hw.params().axi_max_burst_beats);
  out.addLog(hw.params().axi_ports);
  out.addLog(hw.depthElems(MemoryType::kUop));
  out.addLog(hw.depthElems(MemoryType::kInp));
  out.addLog(hw.depthElems(MemoryType::kWgt));
  out.addLog(hw.depthElems(MemoryType::kAcc));
  out.add(hw.params().concurrent_compute ? 1 : 0);
  out.add(hw.params().alu_passes);
  out.add(hw.params().acc_banks);
  out.addLog(hw.params().command_queue_depth);
  out.addLog(hw.params().token_queue_depth);
  out.add(hw.params().ext_requant ? 1 : 0);
  out.add(hw.params().ext_lut ? 1 : 0);
  out.add(hw.params().ext_depthwise ? hw.params().depthwise_taps : 0);
  out.add(memory.latency_cycles);
  out.add(memory.cycles_per_beat);
  out.add(memory.shared_cycles_per_beat);
  out.add(memory.outstanding_bursts);
}

void addSchedule(const kernel::Schedule& s, const kernel::KernelPlan& plan, FeatureWriter& out) {
  out.addLog(static_cast<double>(s.tile_height));
  out.addLog(static_cast<double>(s.tile_width));
  out.addLog(static_cast<double>(s.tile_out_blocks));
  out.addLog(static_cast<double>(s.tile_in_blocks));
  out.add(static_cast<double>(plan.tiling.kernel_height * plan.tiling.weight_columns));
  out.add(s.virtual_threads);
  out.add(s.order == kernel::Schedule::Order::kWeightsOuter ? 1 : 0);
  out.add(s.int8_through_gemm ? 1 : 0);
  out.add(s.skip_padding ? 1 : 0);
}

void addPlan(const kernel::KernelPlan& plan, FeatureWriter& out) {
  out.addLog(static_cast<double>(plan.tile_elems));
  out.add(plan.sram.acc.count);
  out.addLog(plan.sram.inp.count);
  out.addLog(plan.sram.wgt.count);
  out.add(plan.pipelined ? 1 : 0);
  out.add(plan.alternates ? 1 : 0);
  out.add(plan.reset_by_alu ? 1 : 0);
  out.add(plan.begins_with_bias ? 1 : 0);
  out.addLog(static_cast<double>(plan.tiling.steps()));
}

}  // namespace

static_assert(!kNames.back().empty(), "as many names as features");

std::span<const std::string_view> featureNames() { return kNames; }

FeatureExtractor::FeatureExtractor(const Task& task)
    : task_(task),
      memory_(memoryTraits(task.memory, task.hw)),
      floor_(task.desc, task.hw, memory_),
      bus_bytes_(task.hw.params().axi_data_width_bits / 8.0),
      instruction_bytes_(task.hw.instructionBytes()) {
  FeatureWriter out(of_task_);
  addKernel(task, out);
  addTarget(task, out);
}

ScheduleFacts FeatureExtractor::extract(const kernel::Schedule& schedule,
                                        const kernel::KernelPlan& plan) const {
  const kernel::KernelWork work = countWork(task_.desc, schedule, task_.hw, plan, memory_);
  const kernel::CostEstimate cost =
      estimateWorkCost(task_.desc, schedule, task_.hw, plan, work, memory_);
  ScheduleFacts facts = {cost.cycles, floor_.leastCycles(schedule, plan), of_task_};
  FeatureWriter out(facts.features, kTaskFeatures);
  addSchedule(schedule, plan, out);
  addPlan(plan, out);
  const double bus = cost.read_bytes / bus_bytes_;
  const double longest = std::max({cost.gemm_cycles, cost.alu_cycles, cost.load_cycles,
                                   cost.compute_dma_cycles, cost.store_cycles, bus, 1.0});
  out.addLog(work.tiles);
  for (const double cycles : {cost.gemm_cycles, cost.alu_cycles, cost.load_cycles,
                              cost.compute_dma_cycles, cost.store_cycles, work.uop_cycles, bus}) {
    out.add(cycles / longest);
  }
  out.addLog(longest);
  out.addLog(work.instructions);
  out.add(work.instructions * instruction_bytes_ / bus_bytes_ / longest);
  out.addLog(cost.read_bytes);
  out.addLog(cost.write_bytes);
  const kernel::OperandPasses passes = kernel::operandPasses(plan, schedule.order);
  out.add(passes.inputs);
  out.add(passes.weights);
  out.add(work.input_loads.tiles / work.tiles);
  out.add(work.weight_loads.tiles / work.tiles);
  out.addLog(cost.cycles);
  out.add(cost.cycles / longest);
  out.add(static_cast<double>(facts.floor_cycles) / cost.cycles);
  return facts;
}

}  // namespace vta::tune
