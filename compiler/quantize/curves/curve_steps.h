// A function of one int8 as steps of the accelerator's ALU: plain arithmetic, no MLIR.
// docs/quantisation.md, "Curves".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/quantize/plan/requantize.h"

namespace vta::compiler {

/// The inputs of a curve.
inline constexpr int64_t kLeastCurveInput = -128, kMostCurveInput = 127;

/// One operation of the ALU on a 32-bit integer.
struct CurveStep {
  enum class Kind : uint8_t {
    kAdd,
    kMul,
    kMin,
    kMax,
    kClip,     // to [value, upper], which fit int8
    kShr,      // to the right by `shift`
    kQmul,     // by `value` / 2^shift, to nearest
    kSquare,   // by itself
    kAddSide,  // plus the result of the side
  };
  Kind kind = Kind::kAdd;
  int32_t value = 0;
  int32_t upper = 0;
  int shift = 0;
};

/// Both chains begin with the int8, and the side's is finished first. The result of the main chain
/// is clamped. Without a side, no step of the main chain is kAddSide.
struct CurveSteps {
  std::vector<CurveStep> side, main;
  IntRange clip;

  /// Operations of the ALU for an element, the clamping included.
  size_t size() const { return side.size() + main.size() + 1; }
};

/// What the main chain gives for `input` in front of the last `omitted` steps; none if a value on
/// the way leaves 32 bits.
std::optional<int64_t> runCurve(const CurveSteps& steps, int64_t input, size_t omitted = 0);

/// The result for `input`; none as above.
std::optional<int64_t> curveResult(const CurveSteps& steps, int64_t input);

}  // namespace vta::compiler
