#include <algorithm>
#include <cstring>

#include "sim/rtl/bus/axi_slave.h"
#include "sim/rtl/bus/write_collector.h"

namespace vta::sim {
namespace {

constexpr size_t kIds = 4;

struct RandomRead {
  uint64_t address = 0;
  uint32_t beats = 0;
  uint32_t sent = 0;
  uint64_t ready_cycle = 0;
  uint32_t bad_beat = ~0u;
};

class RandomSlave final : public AxiSlave {
 public:
  RandomSlave(AxiMemory memory, const RandomBusOptions& options)
      : memory_(memory), options_(options), rng_(options.seed), writes_(memory) {}

  void reset() override {
    for (auto& queue : reads_) queue.clear();
    responses_.clear();
    writes_.reset();
    reads_in_flight_ = writes_in_flight_ = 0;
    beat_offered_ = response_offered_ = false;
  }

  void beginLaunch() override {}

  void drive(VtaAxiPort& ports) override {
    ports.arready = reads_in_flight_ < options_.max_outstanding && !stalls();
    ports.awready = writes_in_flight_ < options_.max_outstanding && !stalls();
    ports.wready = !stalls();
    driveBeat(ports);
    driveResponse(ports);
  }

  void observe(const VtaAxiPort& ports) override {
    if (ports.rvalid && ports.rready) {
      beat_offered_ = false;
      RandomRead& burst = reads_[ports.rid].front();
      if (++burst.sent == burst.beats) {
        reads_[ports.rid].pop_front();
        --reads_in_flight_;
      }
    }
    if (ports.bvalid && ports.bready) {
      response_offered_ = false;
      responses_.pop_front();
      --writes_in_flight_;
    }
    if (ports.arvalid && ports.arready) {
      RandomRead burst = {ports.araddr, ports.arlen + 1u, 0, cycle_ + latency(), ~0u};
      if (fails()) burst.bad_beat = rng_.pick(0, burst.beats - 1);
      reads_[ports.arid % kIds].push_back(burst);
      ++reads_in_flight_;
    }
    if (ports.awvalid && ports.awready) ++writes_in_flight_;
    for (const FinishedWrite& write : writes_.observe(ports)) {
      const uint8_t code = fails() ? kRespSlaveError : write.response;
      responses_.push_back({cycle_ + latency(), write.id, code});
    }
    ++cycle_;
  }

 private:
  struct Response {
    uint64_t ready_cycle = 0;
    uint8_t id = 0;
    uint8_t code = kRespOkay;
  };

  bool stalls() { return options_.stall_one_in != 0 && rng_.oneIn(options_.stall_one_in); }
  bool fails() { return options_.error_one_in != 0 && rng_.oneIn(options_.error_one_in); }
  uint64_t latency() { return rng_.pick(1, std::max(options_.max_latency, 1u)); }

  // A beat of any id whose first burst is ready; what is offered stays until it is taken.
  void driveBeat(VtaAxiPort& ports) {
    if (!beat_offered_ && !stalls()) {
      const uint32_t first = rng_.pick(0, kIds - 1);
      for (uint32_t i = 0; i < kIds && !beat_offered_; ++i) {
        const uint32_t id = (first + i) % kIds;
        beat_offered_ = !reads_[id].empty() && reads_[id].front().ready_cycle <= cycle_;
        offered_id_ = id;
      }
    }
    ports.rvalid = beat_offered_;
    if (!beat_offered_) return;
    const RandomRead& burst = reads_[offered_id_].front();
    ports.rid = static_cast<uint8_t>(offered_id_);
    ports.rlast = burst.sent + 1 == burst.beats;
    ports.rresp =
        memory_.read(burst.address + uint64_t{burst.sent} * memory_.beatBytes(), ports.rdata);
    if (burst.sent == burst.bad_beat) {
      ports.rresp = kRespSlaveError;
      for (uint32_t i = 0; i < memory_.beatBytes(); ++i) {
        ports.rdata[i] = static_cast<uint8_t>(0xa5 ^ i);
      }
    }
  }

  void driveResponse(VtaAxiPort& ports) {
    if (!response_offered_) {
      response_offered_ =
          !responses_.empty() && responses_.front().ready_cycle <= cycle_ && !stalls();
    }
    ports.bvalid = response_offered_;
    if (!response_offered_) return;
    ports.bid = responses_.front().id;
    ports.bresp = responses_.front().code;
  }

  AxiMemory memory_;
  RandomBusOptions options_;
  Rng rng_;
  WriteCollector writes_;
  std::array<std::deque<RandomRead>, kIds> reads_;
  std::deque<Response> responses_;
  uint32_t reads_in_flight_ = 0;
  uint32_t writes_in_flight_ = 0;
  bool beat_offered_ = false;
  bool response_offered_ = false;
  uint32_t offered_id_ = 0;
  uint64_t cycle_ = 0;
};

}  // namespace

std::unique_ptr<AxiSlave> makeRandomSlave(AxiMemory memory, const RandomBusOptions& options) {
  return std::make_unique<RandomSlave>(memory, options);
}

}  // namespace vta::sim
