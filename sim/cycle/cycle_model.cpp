#include "sim/cycle/cycle_model.h"

#include <utility>

#include "sim/cycle/common/context.h"
#include "sim/cycle/fault_text.h"
#include "sim/cycle/hls/hls_launch.h"
#include "sim/cycle/timed_launch.h"

namespace vta::sim {

Result<std::unique_ptr<CycleModel>> CycleModel::create(const HwConfig& hw,
                                                       const MemoryConfig& memory) {
  const HwParams& p = hw.params();
  VTA_ASSIGN_OR_RETURN(auto model, MemoryModel::create(memory, p.axi_data_width_bits / 8,
                                                       p.clockMhz(), p.axi_ports));
  return std::unique_ptr<CycleModel>(new CycleModel(hw, std::move(model)));
}

CycleModel::CycleModel(const HwConfig& hw, std::unique_ptr<MemoryModel> memory)
    : hw_(hw), memory_(std::move(memory)), uops_(hw.depthElems(MemoryType::kUop)) {}

CycleModel::~CycleModel() = default;

void CycleModel::reset() { uops_.assign(uops_.size(), Uop{}); }

TimingResult CycleModel::run(std::span<const std::byte> bytes, uint64_t address,
                             const BaseAddresses& bases, const Dram& dram, Recording* recording) {
  const Stream& stream = streams_.find(bytes, hw_);
  const auto launch = [&](uint64_t limit) {
    cycle::Context context(hw_, stream, bases, dram);
    context.recording = recording;
    context.bus_errors = bus_errors_;
    context.limit = limit;
    context.give_up_cycle = give_up_cycle_;
    if (recording != nullptr) {
      recording->instructions.assign(stream.instructions.size(), InstructionTimes{});
      recording->bursts.clear();
      recording->fault_cycle = InstructionTimes::kNever;
    }
    memory_->reset();
    if (hw_.params().hls_timing) {
      cycle::hls::HlsLaunch(context, *memory_, address, bytes.size()).run();
    } else {
      cycle::TimedLaunch(context, *memory_, uops_, address, bytes.size()).run();
    }
    if (recording != nullptr) recording->cycles = context.counters.cycles;
    return std::pair(context.counters, context.fault);
  };
  const std::vector<Uop> uops_before = uops_;
  auto [counters, fault] = launch(cycle::kNever);
  if (fault.cycle == cycle::kNever) return {counters, std::nullopt};
  if (hw_.params().hls_timing) return {counters, cycle::describeFault(fault, stream, hw_)};
  // Units compute ahead of time. Now that the last cycle is known, count up to it only.
  uops_ = uops_before;
  counters = launch(fault.cycle).first;
  if (recording != nullptr) recording->fault_cycle = fault.cycle;
  return {counters, cycle::describeFault(fault, stream, hw_)};
}

}  // namespace vta::sim
