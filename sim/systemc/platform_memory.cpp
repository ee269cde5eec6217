#include "sim/systemc/platform_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "isa/spec/timing.h"
#include "sim/systemc/memory_port.h"

namespace vta::sim {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_ZERO_TIME;
using tlm::tlm_generic_payload;

PlatformMemory::PlatformMemory(sc_core::sc_module_name name, const PlatformMemoryParams& params,
                               std::unique_ptr<MemoryModel> model, int beat_bytes)
    : sc_module(name),
      socket("socket"),
      params_(params),
      model_(std::move(model)),
      beat_bytes_(static_cast<uint64_t>(beat_bytes)),
      bytes_(params.size_bytes),
      phases_(this, &PlatformMemory::onPhase) {
  socket.register_b_transport(this, &PlatformMemory::accessBlocking);
  socket.register_nb_transport_fw(this, &PlatformMemory::receive);
  socket.register_transport_dbg(this, &PlatformMemory::peek);
}

void PlatformMemory::access(tlm_generic_payload& payload) {
  const uint64_t length = payload.get_data_length();
  const uint64_t offset = payload.get_address() - params_.address;
  if (payload.get_byte_enable_ptr() != nullptr) {
    return payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  }
  if (payload.get_streaming_width() < length) {
    return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  }
  if (payload.get_address() < params_.address || offset > bytes_.size() ||
      length > bytes_.size() - offset) {
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  if (payload.is_read()) std::memcpy(payload.get_data_ptr(), bytes_.data() + offset, length);
  if (payload.is_write()) std::memcpy(bytes_.data() + offset, payload.get_data_ptr(), length);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned PlatformMemory::peek(tlm_generic_payload& payload) {
  const uint64_t address = payload.get_address();
  const uint64_t end = params_.address + bytes_.size();
  if (!payload.is_read() || address < params_.address || address >= end) return 0;
  const auto length =
      static_cast<unsigned>(std::min<uint64_t>(payload.get_data_length(), end - address));
  std::memcpy(payload.get_data_ptr(), bytes_.data() + (address - params_.address), length);
  return length;
}

void PlatformMemory::restart() {
  model_->reset();
  origin_.reset();
}

uint64_t PlatformMemory::cycleOf(const sc_time& request) {
  if (!origin_) {
    // Fetch offers the first burst a cycle before the memory takes it (docs/timing.md, "Fetch").
    const sc_time since_start = static_cast<double>(timing::kBurstLatency) * params_.clock_period;
    origin_ = request > since_start ? request - since_start : request;
  }
  return (request - *origin_).value() / params_.clock_period.value();
}

sc_time PlatformMemory::responseTime(const tlm_generic_payload& payload, const sc_time& request) {
  const uint64_t first = payload.get_address() / beat_bytes_;
  const uint64_t last = (payload.get_address() + payload.get_data_length() - 1) / beat_bytes_;
  const auto beats = static_cast<uint32_t>(last - first + 1);
  const uint64_t address = first * beat_bytes_;
  const uint64_t cycle = cycleOf(request);
  // More ports than the model knows share the last one.
  const int port = std::min(memoryPortOf(payload), model_->numPorts() - 1);
  uint64_t response = 0;
  if (payload.is_read()) {
    model_->acceptRead(std::max(cycle, model_->earliestReadAccept(port)), address, beats, schedule_,
                       port);
    response = schedule_.lastCycle();
  } else {
    // Address and data come as one.
    const uint64_t accepted = std::max(cycle, model_->earliestWriteAccept(port));
    model_->acceptWrite(accepted, address, beats, port);
    response = model_->completeWrite(accepted, port);
  }
  return *origin_ + static_cast<double>(response) * params_.clock_period;
}

void PlatformMemory::accessBlocking(tlm_generic_payload& payload, sc_time& delay) {
  const sc_time response = responseTime(payload, sc_time_stamp() + delay);
  access(payload);
  delay = response - sc_time_stamp();
}

tlm::tlm_sync_enum PlatformMemory::receive(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) payload.acquire();
  phases_.notify(payload, phase, delay);
  return phase == tlm::END_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

void PlatformMemory::onPhase(tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (phase == tlm::BEGIN_REQ) {
    const sc_time response = responseTime(payload, sc_time_stamp());
    if (payload.is_write()) access(payload);
    tlm::tlm_phase end = tlm::END_REQ;
    sc_time delay = SC_ZERO_TIME;
    socket->nb_transport_bw(payload, end, delay);
    phases_.notify(payload, tlm::BEGIN_RESP, response - sc_time_stamp());
  } else if (phase == tlm::BEGIN_RESP) {
    if (payload.is_read()) access(payload);
    responses_.push_back(&payload);
    respondNext();
  } else if (phase == tlm::END_RESP) {
    open_response_ = nullptr;
    payload.release();
    respondNext();
  }
}

// One response at a time is between BEGIN_RESP and END_RESP.
void PlatformMemory::respondNext() {
  while (open_response_ == nullptr && !responses_.empty()) {
    open_response_ = responses_.front();
    responses_.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay = SC_ZERO_TIME;
    const tlm::tlm_sync_enum status = socket->nb_transport_bw(*open_response_, phase, delay);
    if (status == tlm::TLM_ACCEPTED) return;
    phases_.notify(*open_response_, tlm::END_RESP, delay);
    return;
  }
}

}  // namespace vta::sim
