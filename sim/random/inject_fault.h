// Faults in random programs, for checks of what reports them.
#pragma once

#include <cstdint>

#include "isa/config/hw_config.h"
#include "sim/random/program_image.h"
#include "sim/random/rng.h"

namespace vta::sim {

/// What injectFault breaks.
enum class InjectedFault : uint8_t {
  kIllegalOpcode,
  kIllegalMemoryType,
  kTransferPastSram,
  kIndexPastAcc,  // of a GEMM's or an ALU instruction's destination, or an ALU instruction's source
  kIndexPastInp,
  kIndexPastWgt,
  kMicroOpsPastSram,
  kTokenNobodyPushes,
  kTokenLeftOver,
  kLoadPastMemory,
  kStorePastMemory,
  kIllegalGemm,  // a depthwise one that this hardware does not have, or with more taps
  kIllegalAluCode,
  kIllegalAluOperand,  // an immediate where the operation takes a tensor only, or the reverse
  kIllegalAluImmediate,
  kHandoverPastOut,
  kHandoverRowsPastOut,  // which are so far apart
};
inline constexpr int kInjectedFaultCount = 17;
const char* injectedFaultName(InjectedFault fault);

/// Breaks a random instruction of the encoded legal stream in `image`, so that what is reported
/// does not depend on timing. False when the program has none that can be broken like this.
bool injectFault(ProgramImage& image, const HwConfig& hw, InjectedFault fault, Rng& rng);

}  // namespace vta::sim
