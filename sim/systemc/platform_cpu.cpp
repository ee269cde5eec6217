#include "sim/systemc/platform_cpu.h"

#include "isa/registers/registers.h"

namespace vta::sim {
namespace {

constexpr uint32_t kCountersEnd = reg::kUnitCounters + 4 * reg::kUnitCounterStride;

}  // namespace

PlatformCpu::PlatformCpu(sc_core::sc_module_name name, const sc_core::sc_time& clock_period)
    : sc_module(name), socket("socket"), irq("irq"), period_(clock_period) {
  SC_HAS_PROCESS(PlatformCpu);
  SC_THREAD(run);
}

void PlatformCpu::start(const PlatformJob& job) {
  job_ = job;
  outcome_.reset();
  started_.notify(sc_core::SC_ZERO_TIME);
}

void PlatformCpu::run() {
  while (true) {
    while (!job_) wait(started_);
    keeper_.reset();
    launch(*job_);
    job_.reset();
  }
}

void PlatformCpu::launch(const PlatformJob& job) {
  write(reg::kInsnCount, job.instruction_count);
  writeAddress(reg::kInsnAddr, reg::kInsnAddrHi, job.instruction_address);
  writeAddress(reg::kUopBase, reg::kUopBaseHi, job.bases.uop);
  writeAddress(reg::kInpBase, reg::kInpBaseHi, job.bases.inp);
  writeAddress(reg::kWgtBase, reg::kWgtBaseHi, job.bases.wgt);
  writeAddress(reg::kAccBase, reg::kAccBaseHi, job.bases.acc);
  writeAddress(reg::kOutBase, reg::kOutBaseHi, job.bases.out);
  write(reg::kIrqEnable, reg::kIrqDone | reg::kIrqFault);
  keeper_.sync();
  const sc_core::sc_time begin = sc_core::sc_time_stamp();
  write(reg::kControl, reg::kControlLaunch);
  keeper_.sync();
  while (!irq.read()) wait(irq.posedge_event());

  PlatformOutcome outcome;
  outcome.duration = sc_core::sc_time_stamp() - begin;
  keeper_.reset();
  outcome.status = read(reg::kStatus);
  outcome.fault = read(reg::kFault);
  outcome.fault_instruction = read(reg::kFaultInsn);
  for (uint32_t offset = reg::kCounterCycles; offset < kCountersEnd; offset += 8) {
    const uint64_t low = read(offset);
    outcome.counters.push_back(low | uint64_t{read(offset + 4)} << 32);
  }
  write(reg::kIrqStatus, reg::kIrqDone | reg::kIrqFault);
  keeper_.sync();
  while (irq.read()) wait(irq.negedge_event());
  outcome_ = outcome;
}

void PlatformCpu::writeAddress(uint32_t low, uint32_t high, uint64_t address) {
  write(low, static_cast<uint32_t>(address));
  write(high, static_cast<uint32_t>(address >> 32));
}

void PlatformCpu::write(uint32_t offset, uint32_t value) {
  access(tlm::TLM_WRITE_COMMAND, offset, value);
}

uint32_t PlatformCpu::read(uint32_t offset) {
  uint32_t value = 0;
  access(tlm::TLM_READ_COMMAND, offset, value);
  return value;
}

void PlatformCpu::access(tlm::tlm_command command, uint32_t offset, uint32_t& value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  sc_core::sc_time delay = keeper_.get_local_time();
  socket->b_transport(payload, delay);
  if (payload.is_response_error()) ++errors_;
  keeper_.set(delay + period_);
  if (keeper_.need_sync()) keeper_.sync();
}

}  // namespace vta::sim
