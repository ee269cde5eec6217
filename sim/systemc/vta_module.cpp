#include "sim/systemc/vta_module.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "isa/spec/timing.h"

namespace vta::sim {
namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_ZERO_TIME;
using tlm::tlm_generic_payload;

constexpr uint64_t kRegisterBytes = 0x1000;
constexpr uint64_t kMostPeekedBytes = 65536;

}  // namespace

Result<std::unique_ptr<VtaModule>> VtaModule::create(const char* name, const HwConfig& hw,
                                                     const MemoryConfig& timing, TlmCoding coding) {
  VTA_ASSIGN_OR_RETURN(auto cycles, CycleModel::create(hw, timing));
  VTA_ASSIGN_OR_RETURN(auto values, FunctionalModel::create(hw));
  return std::unique_ptr<VtaModule>(
      new VtaModule(name, hw, std::move(cycles), std::move(values), coding));
}

VtaModule::VtaModule(sc_core::sc_module_name name, const HwConfig& hw,
                     std::unique_ptr<CycleModel> timing, std::unique_ptr<FunctionalModel> values,
                     TlmCoding coding)
    : sc_module(name),
      registers("registers"),
      memory("memory"),
      irq("irq"),
      hw_(hw),
      timing_(std::move(timing)),
      values_(std::move(values)),
      coding_(coding),
      period_(1e6 / hw.params().clockMhz(), sc_core::SC_PS),
      file_(hw),
      phases_(this, &VtaModule::onPhase) {
  registers.register_b_transport(this, &VtaModule::accessRegister);
  registers.register_transport_dbg(this, &VtaModule::peekRegister);
  memory.register_nb_transport_bw(this, &VtaModule::receive);
  SC_HAS_PROCESS(VtaModule);
  SC_THREAD(run);
  SC_METHOD(driveIrq);
  sensitive << irq_changed_;
}

void VtaModule::driveIrq() { irq.write(file_.irq()); }

void VtaModule::accessRegister(tlm_generic_payload& payload, sc_time& delay) {
  const uint64_t address = payload.get_address();
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (payload.get_data_length() != 4 || payload.get_streaming_width() < 4) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (address % 4 != 0 || address >= kRegisterBytes) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const auto offset = static_cast<uint32_t>(address);
  const sc_time now = sc_time_stamp() + delay;
  if (file_.running() && now > start_) {
    file_.setRunningCycles(static_cast<uint64_t>((now - start_) / period_));
  }
  if (payload.is_read()) {
    const uint32_t value = file_.read(offset);
    std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  } else if (payload.is_write()) {
    uint32_t value = 0;
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    const bool was_running = file_.running();
    const bool launches = file_.write(offset, value);
    if (was_running && !file_.running()) given_up_ = true;
    if (launches) {
      start_ = now + static_cast<double>(timing::kLaunchCycles) * period_;
      launched_.notify(start_ - sc_time_stamp());
    }
    irq_changed_.notify(delay);
  }
  delay += period_;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned VtaModule::peekRegister(tlm_generic_payload& payload) {
  const uint64_t address = payload.get_address();
  if (!payload.is_read() || payload.get_data_length() != 4 || address % 4 != 0 ||
      address >= kRegisterBytes) {
    return 0;
  }
  const uint32_t value = file_.read(static_cast<uint32_t>(address));
  std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  return sizeof value;
}

sc_time VtaModule::timeOf(uint64_t cycle) const {
  return start_ + static_cast<double>(cycle) * period_;
}

uint64_t VtaModule::peekMemory(uint64_t address, std::span<std::byte> data) {
  tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
  payload.set_data_length(static_cast<unsigned>(data.size()));
  payload.set_streaming_width(static_cast<unsigned>(data.size()));
  return std::min<uint64_t>(memory->transport_dbg(payload), data.size());
}

void VtaModule::run() {
  while (true) {
    // Else one was written while a launch that was given up went on.
    if (!file_.running()) wait(launched_);
    given_up_ = false;
    if (!file_.running()) continue;
    start_ = std::max(start_, sc_time_stamp());
    launch();
    irq_changed_.notify(SC_ZERO_TIME);
  }
}

void VtaModule::finish(const LaunchCounters& counters, reg::FaultCode fault,
                       uint32_t fault_instruction) {
  if (!given_up_) file_.finish(counters, fault, fault_instruction);
}

void VtaModule::launch() {
  statistics_ = {};
  if (file_.isBadLaunch()) return finish({}, reg::FaultCode::kBadLaunch, 0);
  bases_ = file_.bases();
  stream_address_ = file_.instructionAddress();
  const auto insn_bytes = static_cast<uint64_t>(hw_.instructionBytes());
  const uint64_t size_bytes = file_.instructionCount() * insn_bytes;
  stream_bytes_.clear();
  while (stream_bytes_.size() < size_bytes) {
    const uint64_t have = stream_bytes_.size();
    const uint64_t wanted = std::min(kMostPeekedBytes, size_bytes - have);
    stream_bytes_.resize(have + wanted);
    const uint64_t got = peekMemory(stream_address_ + have, std::span(stream_bytes_).subspan(have));
    if (got == wanted) continue;
    const auto missing = static_cast<uint32_t>((have + got) / insn_bytes);
    return finish({}, reg::FaultCode::kBusError, missing);
  }
  const Stream stream = decodeStream(stream_bytes_, hw_);
  shadow_ = std::make_unique<ShadowMemory>(
      stream, bases_, hw_,
      [this](uint64_t address, std::span<std::byte> data) { return peekMemory(address, data); });
  Recording recording;
  const TimingResult timing =
      timing_->run(stream_bytes_, stream_address_, bases_, *shadow_, &recording);
  failed_instruction_.reset();
  play(stream, planBus(stream, stream_address_, size_bytes, bases_, hw_, recording,
                       timing.counters.cycles));
  advanceTo(timing.counters.cycles);
  if (coding_ == TlmCoding::kLooselyTimed) keeper_.sync();
  if (last_response_ > sc_time_stamp()) wait(last_response_ - sc_time_stamp());
  if (timing.fault) {
    return finish(timing.counters, faultCode(timing.fault->kind), timing.fault->instruction);
  }
  const auto code = failed_instruction_ ? reg::FaultCode::kBusError : reg::FaultCode::kNone;
  finish(timing.counters, code, failed_instruction_.value_or(0));
}

void VtaModule::advanceTo(uint64_t cycle) {
  const sc_time target = timeOf(cycle);
  const sc_time ahead = target > sc_time_stamp() ? target - sc_time_stamp() : SC_ZERO_TIME;
  if (coding_ == TlmCoding::kApproximatelyTimed) {
    if (ahead > SC_ZERO_TIME) wait(ahead);
    return;
  }
  keeper_.set(ahead);
  if (!keeper_.need_sync()) return;
  keeper_.sync();
  ++statistics_.syncs;
}

void VtaModule::play(const Stream& stream, const BusPlan& plan) {
  outstanding_.assign(stream.instructions.size(), 0);
  last_response_ = SC_ZERO_TIME;
  keeper_.reset();
  for (const BusEvent& event : plan.events) {
    advanceTo(event.cycle);
    if (event.kind == BusEvent::Kind::kTransfer) {
      transfer(plan.transfers[event.index]);
      continue;
    }
    const Instruction& insn = stream.instructions[event.index];
    // A memory that answers late holds up the values, not the counters.
    while (insn.opcode == Opcode::kLoad && outstanding_[event.index] > 0) wait(completed_);
    // A violation here is one that the cycle model has found too, and reports with its time.
    if (insn.opcode != Opcode::kFinish) static_cast<void>(values_->step(insn, bases_, *shadow_));
  }
  while (in_flight_ > 0) wait(completed_);
}

void VtaModule::prepare(Payload& payload, const BusTransfer& transfer) {
  payload.transfer = transfer;
  payload.port.port = transfer.port;
  payload.is_over = false;
  std::byte* data = nullptr;
  if (transfer.master == BusMaster::kFetch) {
    data = stream_bytes_.data() + (transfer.address - stream_address_);
  } else if (const auto range = shadow_->findRange(transfer.address);
             range && range->contains(transfer.address, transfer.size_bytes)) {
    data = range->at(transfer.address);
  } else {
    payload.spare.assign(transfer.size_bytes, std::byte{0});
    data = payload.spare.data();
  }
  payload.set_command(transfer.is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(transfer.address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data));
  payload.set_data_length(transfer.size_bytes);
  payload.set_streaming_width(transfer.size_bytes);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

void VtaModule::transfer(const BusTransfer& transfer) {
  Payload& payload = pool_.take();
  prepare(payload, transfer);
  ++statistics_.transfers;
  ++in_flight_;
  if (transfer.master != BusMaster::kFetch) ++outstanding_[transfer.instruction];
  if (coding_ == TlmCoding::kApproximatelyTimed) {
    requests_.push_back(&payload);
    return sendNext();
  }
  sc_time delay = keeper_.get_local_time();
  memory->b_transport(payload, delay);
  complete(payload, sc_time_stamp() + delay);
}

void VtaModule::sendNext() {
  while (open_request_ == nullptr && !requests_.empty()) {
    Payload& payload = *requests_.front();
    requests_.pop_front();
    open_request_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = SC_ZERO_TIME;
    const tlm::tlm_sync_enum status = memory->nb_transport_fw(payload, phase, delay);
    if (status == tlm::TLM_ACCEPTED) return;
    if (status == tlm::TLM_COMPLETED) {
      payload.is_over = true;
      phase = tlm::BEGIN_RESP;
    }
    phases_.notify(payload, phase, delay);
  }
}

tlm::tlm_sync_enum VtaModule::receive(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                      sc_time& delay) {
  phases_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

void VtaModule::onPhase(tlm_generic_payload& generic, const tlm::tlm_phase& phase) {
  auto& payload = static_cast<Payload&>(generic);
  if (open_request_ == &payload) open_request_ = nullptr;  // BEGIN_RESP implies END_REQ
  if (phase == tlm::BEGIN_RESP) {
    if (!payload.is_over) {
      tlm::tlm_phase end = tlm::END_RESP;
      sc_time delay = SC_ZERO_TIME;
      memory->nb_transport_fw(payload, end, delay);
    }
    complete(payload, sc_time_stamp());
  }
  sendNext();
}

void VtaModule::complete(Payload& payload, const sc_time& time) {
  const BusTransfer& transfer = payload.transfer;
  if (time > timeOf(transfer.response_cycle)) ++statistics_.late_responses;
  last_response_ = std::max(last_response_, time);
  if (payload.is_response_error() && !failed_instruction_) {
    failed_instruction_ = transfer.instruction;
  }
  --in_flight_;
  if (transfer.master != BusMaster::kFetch) --outstanding_[transfer.instruction];
  completed_.notify(SC_ZERO_TIME);
  payload.release();
}

}  // namespace vta::sim
