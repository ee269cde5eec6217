#include "compiler/quantize/float_plan.h"

#include "compiler/quantize/calibrate/fill_ranges.h"
#include "compiler/quantize/plan/adopt.h"

namespace vta::compiler {

QuantPlan planFloatModel(mlir::func::FuncOp main, const GivenQuantization& given,
                         const HwConfig& hw, const std::set<std::string>& float_layers,
                         const std::set<std::string>* matmul_pairs) {
  QuantPlan plan = planQuantization(main, {.float_layers = &float_layers,
                                           .takes_matmul_pairs = takesMatMulPairs(hw),
                                           .splits_normalisation = splitsNormalisation(hw),
                                           .matmul_pairs = matmul_pairs,
                                           .operations = &hw.params().operations});
  for (QuantNode& node : plan.nodes) {
    node.keeps_weights = given.weight_scales.contains(node.anchor);
  }
  return plan;
}

}  // namespace vta::compiler
