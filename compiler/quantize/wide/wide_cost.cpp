#include "compiler/quantize/wide/wide_cost.h"

#include <algorithm>
#include <numeric>

#include "base/integer_math.h"
#include "compiler/dialects/graph/graph.h"

namespace vta::compiler {
namespace {

using Kind = QuantNode::Kind;
using mlir::RankedTensorType;

// Operations of the ALU for an accumulator, with every extension that helps and without any.
double epilogueSteps(const QuantPlan& plan, const QuantNode& node, const HwConfig& hw) {
  const HwParams& params = hw.params();
  const int clip = params.ext_clip ? 1 : 2;
  if (plan.wide.contains(node.output)) return params.compat_0_0_2 ? 7 : 5;
  const int residual = node.residual ? 2 : 0;
  if (params.ext_requant) return 1 + residual;
  return 2 + clip + residual;  // bias, multiplier or shift, clip
}

double contractionCycles(const QuantPlan& plan, const QuantNode& node, const HwConfig& hw) {
  const auto output = mlir::cast<RankedTensorType>(node.output.getType());
  const auto weights = mlir::cast<RankedTensorType>(node.anchor->getOperand(1).getType());
  auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor);
  const int64_t groups = conv ? static_cast<int64_t>(conv.getGroup()) : 1;
  const int64_t taps = conv ? weights.getDimSize(2) * weights.getDimSize(3) : 1;
  const int64_t ins = (conv ? weights.getDimSize(1) : weights.getDimSize(0)) *
                      (plan.wide.contains(node.inputs[0]) ? 2 : 1);
  const int64_t outs = (conv ? weights.getDimSize(0) : weights.getDimSize(1)) *
                       (plan.wide.contains(node.output) ? 2 : 1) / groups;
  const int64_t pixels =
      output.getNumElements() / (conv ? weights.getDimSize(0) : weights.getDimSize(1));
  // Groups that fill whole blocks are one group of the kernel; where that needs more blocks than
  // there are channels, all of them are.
  int64_t in_blocks = ceilDiv(ins * groups, hw.blockIn());
  const int64_t out_blocks = ceilDiv(outs * groups, hw.blockOut());
  const int64_t merged = std::lcm(hw.blockIn() / std::gcd<int64_t>(hw.blockIn(), ins),
                                  hw.blockOut() / std::gcd<int64_t>(hw.blockOut(), outs));
  const int64_t count = ceilDiv(groups, merged);
  const int64_t merged_ins = ins * merged / hw.blockIn();
  if (count * merged_ins == in_blocks && count * outs * merged / hw.blockOut() == out_blocks) {
    in_blocks = merged_ins;
  }
  const auto accumulators = static_cast<double>(pixels * out_blocks) / hw.batch();
  int64_t steps = in_blocks * taps + 1;
  if (hw.params().ext_depthwise && conv && groups > 1 && ins == 1 && outs == 1) {
    steps = weights.getDimSize(2) * ceilDiv(weights.getDimSize(3), hw.params().depthwise_taps);
  }
  const double gemm = accumulators * static_cast<double>(steps);
  const double alu = accumulators * epilogueSteps(plan, node, hw);
  return hw.params().concurrent_compute ? std::max(gemm, alu) : gemm + alu;
}

}  // namespace

double estimateCycles(const QuantPlan& plan, const HwConfig& hw) {
  double cycles = 0;
  for (const QuantNode& node : plan.nodes) {
    if (node.kind == Kind::kConv || node.kind == Kind::kMatMul) {
      cycles += contractionCycles(plan, node, hw);
    }
  }
  return cycles;
}

}  // namespace vta::compiler
