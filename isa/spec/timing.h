// The timing constants of the accelerator: the one list of depths and latencies in cycles.
//
// docs/timing.md says what happens when; these are its numbers. The RTL's package, the cycle
// simulator, the compiler and the page's table take them from here (a test compares the page).
// What a configuration chooses (queue depths, bursts in flight) is no constant and is in HwParams.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/spec/hw_params.h"

namespace vta::timing {

/// Cycles from the register write that launches to cycle 0, for which the core clears its state.
inline constexpr uint64_t kLaunchCycles = 4;

/// A burst does not cross a multiple of this (a rule of AXI).
inline constexpr uint64_t kBurstBoundaryBytes = 4096;
/// Bursts that fetch keeps in flight or in its buffer.
inline constexpr uint64_t kFetchBursts = 4;

/// Cycles from the start of a transfer to the first in which it offers a burst.
inline constexpr uint64_t kBurstLatency = 3;

/// Cycles from the dispatch of an instruction to the first in which it can be at its queue's head.
inline constexpr uint64_t kQueueLatency = 6;

/// Transfers that a read DMA, or store, has started and not retired.
inline constexpr uint32_t kDmaInFlight = 4;
/// Cycles from the start of a transfer to its first operation on a scratchpad.
inline constexpr uint64_t kDmaStartLatency = 2;

/// Compute instructions that are scanned or in scan, and not issued.
inline constexpr uint64_t kScanAhead = 8;
/// Cycles from the end of a scan to issue.
inline constexpr uint64_t kScanLatency = 6;
/// Compute instructions that are issued and not retired.
inline constexpr uint64_t kReorderDepth = 16;

/// Cycles from a write operation of the compute unit's DMA to the write of UOP, or the access to
/// ACC.
inline constexpr uint64_t kLoadLatency = 1;
/// Cycles from entering the GEMM core, or the tensor ALU, to the access to ACC. A relaxed pipeline
/// adds the products of the GEMM core up in one stage.
constexpr uint64_t gemmDepth(const HwParams& params) {
  return params.pipeline == Pipeline::kRelaxed ? 6 : 7;
}
inline constexpr uint64_t kAluDepth = 6;
/// Cycles from an access to ACC, which reads, to the write of the same element. A relaxed pipeline
/// has a stage less in the lanes of the ALU. Hardware with REQUANT bounds its result in a stage of
/// its own. An ALU of fewer lanes than an element has chooses the parts in a stage of their own,
/// and writes the element when the last of them is done; all other writes wait as long, so that
/// each write is as far behind its access.
constexpr uint64_t leastAccLatency(const HwParams& params) {  // of all with this pipeline
  return params.pipeline == Pipeline::kRelaxed ? 5 : 6;
}
constexpr uint64_t accLatency(const HwParams& params) {
  const int passes = params.alu_passes > 1 ? params.alu_passes : 0;
  return leastAccLatency(params) + (params.ext_requant ? 1 : 0) + static_cast<uint64_t>(passes);
}

/// A constant as the RTL's package and docs/timing.md name it.
struct Constant {
  std::string_view name;
  uint64_t value;
};

inline constexpr Constant kConstants[] = {
    {"LaunchCycles", kLaunchCycles},       {"BurstBoundaryBytes", kBurstBoundaryBytes},
    {"FetchBursts", kFetchBursts},         {"BurstLatency", kBurstLatency},
    {"QueueLatency", kQueueLatency},       {"DmaInFlight", kDmaInFlight},
    {"DmaStartLatency", kDmaStartLatency}, {"ScanAhead", kScanAhead},
    {"ScanLatency", kScanLatency},         {"ReorderDepth", kReorderDepth},
    {"LoadLatency", kLoadLatency},         {"AluDepth", kAluDepth},
};

}  // namespace vta::timing
