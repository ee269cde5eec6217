#include <cstring>

#include "sim/rtl/bus/axi_slave.h"
#include "sim/rtl/bus/write_collector.h"

namespace vta::sim {
namespace {

struct TimedRead {
  uint64_t number = 0;  // in the launch
  uint64_t address = 0;
  uint32_t beats = 0;
  uint32_t sent = 0;
  uint8_t id = 0;
  BeatSchedule schedule;
};

struct Response {
  uint64_t cycle = 0;
  uint8_t id = 0;
  uint8_t code = kRespOkay;
};

class TimedSlave final : public AxiSlave {
 public:
  TimedSlave(AxiMemory memory, MemoryModel& model, int port)
      : memory_(memory), model_(model), port_(port), writes_(memory) {}

  void reset() override {
    reads_.clear();
    responses_.clear();
    writes_.reset();
    beginLaunch();
  }

  void beginLaunch() override {
    model_.reset();
    cycle_ = 0;
    answered_writes_ = 0;
  }

  void injectErrors(const BusErrors& errors) override { errors_ = errors; }

  void drive(VtaAxiPort& ports) override {
    ports.arready = cycle_ >= model_.earliestReadAccept(port_);
    ports.awready = cycle_ >= model_.earliestWriteAccept(port_);
    ports.wready = 1;
    ports.rvalid = !reads_.empty() && next_beat_cycle_ <= cycle_;
    if (ports.rvalid) {
      const TimedRead& burst = reads_.front();
      ports.rid = burst.id;
      ports.rlast = burst.sent + 1 == burst.beats;
      ports.rresp =
          memory_.read(burst.address + uint64_t{burst.sent} * memory_.beatBytes(), ports.rdata);
      if (errors_.readFails(burst.number, burst.sent)) ports.rresp = errorCode();
    }
    ports.bvalid = !responses_.empty() && responses_.front().cycle <= cycle_;
    if (ports.bvalid) {
      ports.bid = responses_.front().id;
      ports.bresp = responses_.front().code;
    }
  }

  void observe(const VtaAxiPort& ports) override {
    if (ports.rvalid && ports.rready) popBeat();
    if (ports.bvalid && ports.bready) responses_.pop_front();
    if (ports.arvalid && ports.arready) acceptRead(ports);
    if (ports.awvalid && ports.awready) {
      model_.acceptWrite(cycle_, ports.awaddr, ports.awlen + 1u, port_);
    }
    for (const FinishedWrite& write : writes_.observe(ports)) {
      const bool fails = errors_.writeFails(answered_writes_++);
      responses_.push_back(
          {model_.completeWrite(cycle_, port_), write.id, fails ? errorCode() : write.response});
    }
    ++cycle_;
  }

 private:
  uint8_t errorCode() const { return errors_.decode_error ? kRespDecodeError : kRespSlaveError; }

  void popBeat() {
    TimedRead& burst = reads_.front();
    if (++burst.sent == burst.beats) {
      spare_ = std::move(burst.schedule);
      reads_.pop_front();
    }
    findNextBeat();
  }

  void findNextBeat() {
    if (reads_.empty()) return;
    next_beat_cycle_ = reads_.front().schedule.beatCycle(reads_.front().sent);
  }

  void acceptRead(const VtaAxiPort& ports) {
    TimedRead burst = {model_.readsAccepted(), ports.araddr, ports.arlen + 1u, 0, ports.arid,
                       std::move(spare_)};
    model_.acceptRead(cycle_, burst.address, burst.beats, burst.schedule, port_);
    reads_.push_back(std::move(burst));
    if (reads_.size() == 1) findNextBeat();
  }

  AxiMemory memory_;
  MemoryModel& model_;
  int port_;
  WriteCollector writes_;
  std::deque<TimedRead> reads_;
  std::deque<Response> responses_;
  BeatSchedule spare_;  // its storage is used again
  BusErrors errors_;
  uint64_t answered_writes_ = 0;  // in the order of their addresses
  uint64_t next_beat_cycle_ = 0;
  uint64_t cycle_ = 0;
};

}  // namespace

std::unique_ptr<AxiSlave> makeTimedSlave(AxiMemory memory, MemoryModel& model, int port) {
  return std::make_unique<TimedSlave>(memory, model, port);
}

}  // namespace vta::sim
