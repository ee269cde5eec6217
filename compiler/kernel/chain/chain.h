// Chains: two kernels as one program, in which the second reads from the scratchpad what the first
// computes (extension `handover`).
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/lower.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::kernel {

/// Parts of a scratchpad that two kernels share.
inline constexpr int kShareParts = 8;

/// How much of the scratchpads belongs to the first kernel, in eighths, 1 to 7; the rest is the
/// second one's.
struct ChainShares {
  int inp = 4, wgt = 4, acc = 4;
  bool operator==(const ChainShares&) const = default;
};

/// A kernel that computes the input of another one, which nothing else reads.
struct Chain {
  KernelDesc producer;
  KernelDesc consumer;
};

/// How a chain is run. The consumer's schedule decides on the tiles; the producer makes what a
/// reduction step of a tile reads, in steps of so many of its own input blocks.
struct ChainSchedule {
  Schedule consumer;
  int64_t producer_in_blocks = 1;
  ChainShares shares;

  /// For reports: the consumer's schedule, then "first-ci=2 shares=4/4/3".
  std::string toString() const;
};

/// Ok where the two kernels can be a chain: the producer is a contraction without pooling or
/// residual, whose outputs are stored as they are computed and are the consumer's input; the
/// consumer is a contraction that reads each row and column; neither looks up a table.
Status checkChain(const Chain& chain, const HwConfig& hw);

/// Buffers of the program: those of the producer but for its output, with kProducerPrefix, then
/// those of the consumer but for its input. Errors: those of checkChain; an
/// illegal share; kernels that do not fit their shares, and a step without all taps
/// (kResourceExhausted).
///
/// The first kernel lies at the end that `placement` names, and the second one behind it. So the
/// next layer may begin at the same end.
Result<Program> lowerChain(const Chain& chain, const ChainSchedule& schedule, const HwConfig& hw,
                           const Placement& placement = {});

inline constexpr const char* kProducerPrefix = "producer.";

/// The name that the buffer has in a program of its kernel alone.
std::string withoutProducerPrefix(std::string_view buffer);

}  // namespace vta::kernel
