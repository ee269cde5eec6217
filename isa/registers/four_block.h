// The registers of published 0.0.2 bitstreams: fetch, load, compute and store are blocks of their
// own, each with its own window. Drivers and the model of these blocks share the numbers.
//
// Sources: the control registers that Vivado HLS gives every block (its generated x*_hw.h files);
// apache/tvm-vta, config/pkg_config.py, for the arguments and addresses.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vta::four_block {

/// The blocks, in the order of their windows in the newest published designs.
enum class Block : uint8_t { kFetch, kLoad, kCompute, kStore };
inline constexpr int kBlockCount = 4;
inline constexpr std::array<std::string_view, kBlockCount> kBlockNames = {"fetch", "load",
                                                                          "compute", "store"};

/// A window has this size, and the newest published designs have them one behind the other. Older
/// ones have them elsewhere.
inline constexpr uint32_t kWindowBytes = 0x1000;

// In every window.
inline constexpr uint32_t kControl = 0x00;

// Bits of control. `done` and `ready` are cleared by reading.
inline constexpr uint32_t kControlStart = 1 << 0;
inline constexpr uint32_t kControlDone = 1 << 1;
inline constexpr uint32_t kControlIdle = 1 << 2;
inline constexpr uint32_t kControlReady = 1 << 3;
inline constexpr uint32_t kControlAutoRestart = 1 << 7;
inline constexpr uint32_t kControlBits =
    kControlStart | kControlDone | kControlIdle | kControlReady | kControlAutoRestart;

// Arguments.
inline constexpr uint32_t kFetchInsnCount = 0x10;
inline constexpr uint32_t kFetchInsns = 0x18;
inline constexpr uint32_t kLoadInputs = 0x10;
inline constexpr uint32_t kLoadWeights = 0x18;
inline constexpr uint32_t kComputeDoneIn = 0x10;       // has no effect
inline constexpr uint32_t kComputeDone = 0x18;         // can only be read
inline constexpr uint32_t kComputeDoneWritten = 0x1c;  // `done` was written; cleared by reading
inline constexpr uint32_t kComputeUops = 0x20;
inline constexpr uint32_t kComputeBiases = 0x28;
inline constexpr uint32_t kStoreOutputs = 0x10;

/// Bits of an address that a window decodes; the registers repeat behind them.
inline constexpr std::array<int, kBlockCount> kAddressBits = {5, 5, 6, 5};

/// Instructions that wait in a block's queue, at most.
inline constexpr uint32_t kQueueDepth = 512;

}  // namespace vta::four_block
