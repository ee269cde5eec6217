// What the weights of contractions multiply while the network runs over calibration data.
#pragma once

#include <span>
#include <vector>

#include "compiler/quantize/calibrate/activation_run.h"
#include "compiler/quantize/common/options.h"
#include "compiler/quantize/plan/plan.h"
#include "compiler/quantize/rounding/input_moments.h"
#include "llvm/ADT/DenseMap.h"

namespace vta::compiler {

/// By the anchors of contractions.
using LayerMoments = llvm::DenseMap<mlir::Operation*, InputMoments>;

/// Gathers columns of all contractions of a plan, which has to outlive this. Of all samples
/// together, a layer takes some 2,048 output pixels, spread evenly.
class MomentGatherer {
 public:
  MomentGatherer(const QuantPlan& plan, size_t samples, MomentOrder order);

  /// `values` is what plan.activations[activation] is in sample number `sample`.
  void observe(size_t activation, std::span<const float> values, size_t sample);

  LayerMoments take() { return std::move(moments_); }

 private:
  size_t pixels_per_sample_;
  std::vector<llvm::SmallVector<const QuantNode*, 1>> readers_;  // by activation
  LayerMoments moments_;
};

/// Runs `run`, whose first values are plan.activations, over the samples.
Result<LayerMoments> gatherMoments(ActivationRun& run, const QuantPlan& plan,
                                   const std::vector<TensorMap>& samples);

}  // namespace vta::compiler
