// The measured bound of the GEMM benchmarks.
#pragma once

namespace vta::bench {

/// Multiply-accumulates a second of the instruction that the GEMM kernels of the current Highway
/// target are built on, with every operand in a register. Takes about 20 ms.
double dotPeakMacsPerSecond();

}  // namespace vta::bench
