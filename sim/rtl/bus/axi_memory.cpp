#include "sim/rtl/bus/axi_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace vta::sim {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr uint8_t kBurstIncrementing = 1;

bool strobe(const uint64_t* strobes, uint32_t byte) {
  return (strobes[byte / 64] >> (byte % 64) & 1) != 0;
}

}  // namespace

uint8_t AxiMemory::read(uint64_t address, uint8_t* data) const {
  if (const auto range = dram_.findRange(address); range && range->contains(address, beat_bytes_)) {
    std::memcpy(data, range->at(address), beat_bytes_);
    return kRespOkay;
  }
  bool any = false;
  for (uint32_t i = 0; i < beat_bytes_; ++i) {
    const auto range = dram_.findRange(address + i);
    data[i] = range ? static_cast<uint8_t>(*range->at(address + i)) : 0;
    any = any || range.has_value();
  }
  return any ? kRespOkay : kRespDecodeError;
}

uint8_t AxiMemory::write(uint64_t address, const uint8_t* data, const uint64_t* strobes) {
  for (uint32_t i = 0; i < beat_bytes_; ++i) {
    if (strobe(strobes, i) && !dram_.findRange(address + i)) return kRespDecodeError;
  }
  for (uint32_t i = 0; i < beat_bytes_; ++i) {
    if (!strobe(strobes, i)) continue;
    const auto range = dram_.findRange(address + i);
    *range->at(address + i) = static_cast<std::byte>(data[i]);
  }
  return kRespOkay;
}

void AxiMonitor::fail(std::string text) {
  if (violation_.empty()) violation_ = std::move(text);
}

void AxiMonitor::reset() { *this = AxiMonitor(beat_bytes_); }

void AxiMonitor::checkAddress(const char* channel, const Address& now, uint8_t size,
                              uint8_t burst) {
  const uint64_t bytes = uint64_t{beat_bytes_} * (now.length + 1u);
  if (burst != kBurstIncrementing || (1u << size) != beat_bytes_ ||
      now.address % beat_bytes_ != 0) {
    fail(
        fmt::format("{}: burst type {}, size {}, address {:#x}; an aligned incrementing burst of "
                    "full beats was expected",
                    channel, burst, size, now.address));
  }
  if (now.address / kPageBytes != (now.address + bytes - 1) / kPageBytes) {
    fail(fmt::format("{}: {} beats at {:#x} cross 4 KiB", channel, now.length + 1, now.address));
  }
}

void AxiMonitor::checkStable(const char* channel, const Address& before, const Address& now,
                             bool valid) {
  if (!before.waiting) return;
  if (!valid || before.address != now.address || before.length != now.length ||
      before.id != now.id) {
    fail(fmt::format("{}: the burst at {:#x} changed or vanished before it was accepted", channel,
                     before.address));
  }
}

void AxiMonitor::checkData(const VtaAxiPort& ports) {
  const std::string now(reinterpret_cast<const char*>(ports.wdata), beat_bytes_);
  if (data_waiting_ && (!ports.wvalid || now != data_ || data_last_ != (ports.wlast != 0))) {
    fail("W: a beat changed or vanished before it was accepted");
  }
  data_waiting_ = ports.wvalid && !ports.wready;
  data_ = now;
  data_last_ = ports.wlast != 0;
  if (!ports.wvalid || !ports.wready) return;
  ++beats_of_burst_;
  if (!ports.wlast) return;
  unmatched_ += static_cast<char>(beats_of_burst_);
  beats_of_burst_ = 0;
}

void AxiMonitor::observe(const VtaAxiPort& ports) {
  const Address read = {ports.arvalid && !ports.arready, ports.araddr, ports.arlen, ports.arid};
  checkStable("AR", read_, read, ports.arvalid != 0);
  if (ports.arvalid) checkAddress("AR", read, ports.arsize, ports.arburst);
  read_ = read;
  const Address write = {ports.awvalid && !ports.awready, ports.awaddr, ports.awlen, ports.awid};
  checkStable("AW", write_, write, ports.awvalid != 0);
  if (ports.awvalid) checkAddress("AW", write, ports.awsize, ports.awburst);
  write_ = write;
  if (ports.awvalid && ports.awready) lengths_ += static_cast<char>(ports.awlen);
  checkData(ports);
  while (!lengths_.empty() && !unmatched_.empty()) {
    const int expected = static_cast<uint8_t>(lengths_.front()) + 1;
    if (static_cast<uint8_t>(unmatched_.front()) != expected) {
      fail(fmt::format("W: WLAST on beat {} of a burst of {}",
                       static_cast<uint8_t>(unmatched_.front()), expected));
    }
    lengths_.erase(0, 1);
    unmatched_.erase(0, 1);
  }
}

}  // namespace vta::sim
