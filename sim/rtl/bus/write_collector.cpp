#include "sim/rtl/bus/write_collector.h"

#include <cstring>

namespace vta::sim {

void WriteCollector::reset() {
  bursts_.clear();
  beats_.clear();
}

const std::vector<FinishedWrite>& WriteCollector::observe(const VtaAxiPort& ports) {
  finished_.clear();
  if (ports.awvalid && ports.awready) {
    bursts_.push_back({ports.awaddr, ports.awlen + 1u, {ports.awid, kRespOkay}});
  }
  if (ports.wvalid && ports.wready) {
    Beat& beat = beats_.emplace_back();
    std::memcpy(beat.data.data(), ports.wdata, memory_.beatBytes());
    std::memcpy(beat.strobes.data(), ports.wstrb, sizeof(ports.wstrb));
  }
  while (!bursts_.empty() && !beats_.empty()) {
    Burst& burst = bursts_.front();
    const Beat& beat = beats_.front();
    const uint8_t response = memory_.write(burst.address, beat.data.data(), beat.strobes.data());
    if (response != kRespOkay) burst.result.response = response;
    beats_.pop_front();
    burst.address += memory_.beatBytes();
    if (--burst.beats_left > 0) continue;
    finished_.push_back(burst.result);
    bursts_.pop_front();
  }
  return finished_;
}

}  // namespace vta::sim
