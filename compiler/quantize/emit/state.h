// What the parts of the last step of quantisation share: the plan, the scales, and the integers
// that exist so far, with the steps of requantisation that more than one kind of node takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/scales.h"
#include "compiler/quantize/common/options.h"
#include "compiler/quantize/emit/builder.h"
#include "compiler/quantize/plan/adopt.h"
#include "compiler/quantize/plan/exact_rescale.h"
#include "compiler/quantize/plan/plan.h"

namespace vta::compiler {

/// Power-of-two sums: more fraction bits than this would cost the weights resolution.
inline constexpr int kMaxAlignBits = 4;

/// Fraction bits kept where two rescaled terms are summed before the last rounding.
inline constexpr int kSumFractionBits = 8;

/// A function that is computed nearly, by a curve, and what a table would have.
struct EmittedCurve {
  mlir::Value input, result;  // int8
  std::vector<int8_t> entries;
  size_t activation = 0;  // of the plan: what it gives
};

class EmitState {
 public:
  /// The arguments of emitIntegers; they must outlive the state.
  EmitState(const QuantPlan& plan, const std::vector<ActivationScale>& scales,
            const CalibrationData& data, const GivenQuantization& given, const HwConfig& hw,
            const QuantizeOptions& options, const std::set<size_t>* curves)
      : plan_(plan),
        scales_(scales),
        data_(data),
        given_(given),
        hw_(hw),
        options_(options),
        chosen_curves_(curves),
        known_(scales.size()) {}

  const QuantPlan& plan() const { return plan_; }
  const CalibrationData& data() const { return data_; }
  bool isWide(mlir::Value value) const { return plan_.wide.contains(value); }
  const GivenQuantization& given() const { return given_; }
  const HwParams& hw() const { return hw_.params(); }
  const QuantizeOptions& options() const { return options_; }
  /// Where `value` is computed, if it is a function that the ALU can only follow by a curve.
  CurvePlace curvePlaceOf(mlir::Value value) const {
    if (chosen_curves_ == nullptr) return options_.curves;
    return chosen_curves_->contains(static_cast<size_t>(plan_.indexOf(value))) ? CurvePlace::kAlu
                                                                               : CurvePlace::kHost;
  }
  const QuantParams& params(mlir::Value value) const {
    return scales_[plan_.indexOf(value)].params;
  }
  /// How `value`, which may have no integers, is rounded all the same; null if it is not.
  const QuantParams* roundingOf(mlir::Value value) const {
    const auto known = plan_.activation_index.find(value);
    return known == plan_.activation_index.end() || given_.empty() ? given_.find(value)
                                                                   : &scales_[known->second].params;
  }

  /// The int8 form of an activation; quantised once, where it is defined, if no node computes it.
  mlir::Value integers(mlir::Value value);
  /// `node` computes its output as `result`; float users read it dequantised.
  void define(const QuantNode& node, mlir::Value result);
  /// Index by index for the plan's activations; null where there are none (yet).
  std::vector<mlir::Value>& known() { return known_; }
  /// All so far.
  std::vector<EmittedCurve>& curves() { return curves_; }

  /// A quantised model says where it rounds: where two multipliers in a row can follow it to the
  /// last bit, one is not enough, since a step in a thousand values grows from layer to layer.
  bool exact() const {
    return !given_.empty() && hw().ext_qmul && options().rescaling == Rescaling::kExact;
  }

  /// What the integers of the node's output are clamped to.
  IntRange outputRange(const QuantNode& node) const;
  /// i32 -> i8 with saturation and the node's clip. A quantised model saturates at the range that
  /// it gives, whatever the scale has become.
  mlir::Value narrow(const QuantNode& node, EmitBuilder& build, mlir::Value wide) const;
  /// factor * (sum + bias), to nearest, plus the output's zero point; narrowed. `channels` says
  /// factor, bias and reach of each channel, or of all of them.
  mlir::Value exactlyRescaled(const QuantNode& node, EmitBuilder& build, mlir::Value sum,
                              std::vector<ExactChannel> channels) const;
  /// The same for all channels alike, where a result half-way between two integers goes to the even
  /// one.
  mlir::Value exactlyRescaledToEven(const QuantNode& node, EmitBuilder& build, mlir::Value sum,
                                    const ExactChannel& channel) const;
  /// `out_scale`, or the smallest larger step in which `rescaled` and `shiftedBy` can count `value`
  /// with `fraction` bits. Results that need it saturate, but for sums that cancel out.
  double stepFor(mlir::Value value, double out_scale, int fraction) const;
  /// `value` in units of 2^-fraction steps of `out_scale`, by qmul; its zero point is not removed.
  mlir::Value rescaled(mlir::Value value, double out_scale, int fraction, EmitBuilder& build);
  /// `value` times 2^log, its zero point not removed.
  mlir::Value shiftedBy(mlir::Value value, int log, EmitBuilder& build);

 private:
  mlir::Value sameIntegers(mlir::Value value) const;

  const QuantPlan& plan_;
  const std::vector<ActivationScale>& scales_;
  const CalibrationData& data_;
  const GivenQuantization& given_;
  const HwConfig& hw_;
  const QuantizeOptions& options_;
  const std::set<size_t>* chosen_curves_;
  std::vector<mlir::Value> known_;
  std::vector<EmittedCurve> curves_;
};

/// With larger factors, what is added behind a multiplication is not a part of what is in front: it
/// would be rounded to many steps.
inline constexpr double kMostFoldedFactor = 0.5;

/// `sum`, in units of 2^-fraction output steps, within bounds that leave room for what is added
/// before it is narrowed; `reach` is the largest magnitude that it has, in output steps.
mlir::Value withRoom(EmitBuilder& build, mlir::Value sum, double reach, int fraction);

/// sum + offset, as few ops as that takes.
mlir::Value shifted(EmitBuilder& build, mlir::Value sum, int64_t offset);

/// log2 of scale / out_scale; an integer by construction of the scales.
int logRatio(double scale, double out_scale);

}  // namespace vta::compiler
