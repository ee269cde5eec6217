// The same integers for a network of other extents: that of a module's buckets.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/scales.h"
#include "compiler/quantize/common/options.h"
#include "compiler/quantize/plan/plan.h"
#include "compiler/quantize/rounding/input_moments.h"
#include "isa/config/hw_config.h"

namespace mlir {
class ModuleOp;
}

namespace vta::compiler {

/// All that quantizeGraph found in samples, or by the extents of a network.
struct QuantizationChoices {
  struct Node {
    QuantNode::Kind kind = QuantNode::Kind::kMove;
    std::string layer;
    size_t output = 0;  // index of its activation
    std::vector<float> bias;
    std::optional<InputMoments> moments;
  };
  std::vector<Node> nodes;
  std::vector<ActivationScale> scales;  // by activation
  std::vector<bool> is_wide;            // by activation
  CalibrationData data;                 // by activation, without moments
  std::set<size_t> curves;              // activations that curves give
  std::set<std::string> float_layers;
  std::vector<double> input_reach;
  bool is_quantised_anew = false;
  bool has_filled_ranges = false;
};

/// Those of a plan and what calibration found for it.
QuantizationChoices choicesOf(const QuantPlan& plan, const std::vector<ActivationScale>& scales,
                              const CalibrationData& data);

/// Does to `@main` of `module` what quantizeGraph did to the same network of other extents, with
/// the same `hw` and `options`: every weight, scale and function is that one's, so both compute the
/// same of the same row. Samples are not looked at. Errors: kUnsupported where the network has
/// other layers for these extents.
Status quantizeLike(mlir::ModuleOp module, const HwConfig& hw, const QuantizeOptions& options,
                    const QuantizationChoices& choices);

}  // namespace vta::compiler
