#include "compiler/quantize/emit/functions/curve_form.h"

#include "compiler/placement/costs.h"
#include "compiler/quantize/curves/fit_curve.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using mlir::Value;
using CurveKind = CurveStep::Kind;

Value emitStep(EmitBuilder& build, const CurveStep& step, Value value, Value side) {
  switch (step.kind) {
    case CurveKind::kAdd:
      return step.value == 0 ? value : build.add(value, build.scalar(step.value));
    case CurveKind::kMul:
      return build.mul(value, build.scalar(step.value));
    case CurveKind::kMin:
      return build.binary(BinaryKind::min, value, build.scalar(step.value));
    case CurveKind::kMax:
      return build.binary(BinaryKind::max, value, build.scalar(step.value));
    case CurveKind::kClip:
      return build.clip(value, {step.value, step.upper});
    case CurveKind::kShr:
      return build.shr(value, build.scalar(step.shift));
    case CurveKind::kQmul:
      return build.qmul(value, build.scalar(step.value), step.shift);
    case CurveKind::kSquare:
      return build.mul(value, value);
    case CurveKind::kAddSide:
      return build.add(value, side);
  }
  return value;
}

/// Whether the ALU takes at most twice as long for `operations` of each element as the host for its
/// table. A tensor that crosses also ends a launch, in which layers overlap, and takes time that
/// the host has other uses for.
bool isWorthwhile(size_t operations, int64_t elems, const HwParams& hw) {
  const double lanes = static_cast<double>(hw.batch) * hw.block_out / hw.alu_passes;
  const double cycle_ns = 1000.0 / hw.clockMhz();
  const double alu_ns = static_cast<double>(operations) * cycle_ns / lanes;
  const double by_alu = alu_ns * static_cast<double>(elems);
  const double by_host =
      placement::kBoardCrossingNs + placement::kBoardTableNsPerElem * static_cast<double>(elems);
  constexpr double kMostTimesSlower = 2;
  return by_alu <= kMostTimesSlower * by_host;
}

}  // namespace

Value emitCurve(EmitBuilder& build, Value input, const ElementFunction& function,
                const HwParams& hw, CurvePlace place) {
  if (place == CurvePlace::kHost) return {};
  if (!hw.ext_qmul || hw.compat_0_0_2 || function.channels != 1) return {};
  CurveFunction curve;
  curve.centre = function.in.zero_point;
  curve.shares = function.shares;
  for (const double real : function.reals) {
    curve.values.push_back(real / function.out.scale +
                           static_cast<double>(function.out.zero_point));
  }
  const std::optional<CurveSteps> steps = fitCurve(curve, hw.qmul_multiplier_bits);
  if (!steps) return {};
  const int64_t elems = mlir::cast<mlir::RankedTensorType>(input.getType()).getNumElements();
  if (place == CurvePlace::kAuto && !isWorthwhile(steps->size(), elems, hw)) return {};
  Value side;
  if (!steps->side.empty()) {
    side = build.widen(input);
    for (const CurveStep& step : steps->side) side = emitStep(build, step, side, {});
  }
  Value value = build.widen(input);
  for (const CurveStep& step : steps->main) value = emitStep(build, step, value, side);
  return build.narrow(build.clip(value, steps->clip));
}

}  // namespace vta::compiler
