#include "compiler/quantize/calibrate/scales.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/plan/offset_classes.h"

namespace vta::compiler {
namespace {

using Kind = QuantNode::Kind;

// Union-find over activations whose parameters must be equal.
class EqualClasses {
 public:
  explicit EqualClasses(size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  void join(int a, int b) { parent_[find(a)] = find(b); }

 private:
  std::vector<int> parent_;
};

// What must hold for one class of equal activations.
struct ClassNeeds {
  bool used = false;
  ValueRange range;
  bool zero_pads = false;
  bool takes_place_of_weights = false;  // which have no zero point
  bool is_wide = false;                 // padding is 0 in both of its parts

  /// The zero point is not free.
  bool fixesZero() const { return zero_pads || takes_place_of_weights; }
};

bool hasPads(mlir::Operation* op) {
  const auto any = [](llvm::ArrayRef<int64_t> pads) {
    return llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
  };
  if (auto conv = mlir::dyn_cast<graph::ConvOp>(op)) return any(conv.getPads());
  if (auto pool = mlir::dyn_cast<graph::AvgPoolOp>(op)) return any(pool.getPads());
  return false;
}

// A value that leaves the integer domain or enters it keeps everything that was seen: clipping the
// largest logits would make the best classes equal.
bool isBoundary(mlir::Value value, const llvm::DenseSet<mlir::Operation*>& quantized_ops) {
  if (!value.getDefiningOp()) return true;
  return llvm::any_of(value.getUsers(),
                      [&](mlir::Operation* user) { return !quantized_ops.contains(user); });
}

class ScaleChooser {
 public:
  // One of `histograms` and `given` is null.
  ScaleChooser(QuantPlan& plan, const std::vector<Histogram>* histograms,
               const GivenQuantization* given, const HwConfig& hw,
               const std::vector<CalibrationMethod>& methods)
      : plan_(plan),
        histograms_(histograms),
        given_(given),
        hw_(hw),
        methods_(methods),
        equal_(plan.activations.size()),
        groups_(plan.activations.size()) {}

  std::vector<ActivationScale> run() {
    joinMoves();
    collectNeeds();
    if (!hw_.params().ext_qmul) relatePowersOfTwo();
    chooseGroupScales();
    if (!hw_.params().ext_qmul) shiftMatMulPairs();
    std::vector<ActivationScale> result(plan_.activations.size());
    for (size_t i = 0; i < result.size(); ++i) {
      const int index = equal_.find(static_cast<int>(i));
      result[i] = chosen_[index];
      const double fineness = plan_.finenessOf(i);
      result[i].params.scale /= fineness;
      result[i].range = {result[i].range.min / fineness, result[i].range.max / fineness};
      const bool alone = given_ && result[i].params.scale == 0;
      if (alone) result[i] = {*given_->find(plan_.activations[i]), needs_[index].range};
    }
    return result;
  }

 private:
  int classOf(mlir::Value value) const { return equal_.find(plan_.indexOf(value)); }

  void joinMoves() {
    for (const QuantNode& node : plan_.nodes) {
      if (node.kind != Kind::kMove && node.kind != Kind::kClip) continue;
      if (changesParams(node)) continue;
      for (mlir::Value input : node.inputs) {
        equal_.join(plan_.indexOf(input), plan_.indexOf(node.output));
      }
    }
  }

  // A clip in a quantised model whose result has parameters of its own.
  bool changesParams(const QuantNode& node) const {
    return given_ && !(*given_->find(node.inputs[0]) == *given_->find(node.output));
  }

  ValueRange rangeOf(size_t activation, const llvm::DenseSet<mlir::Operation*>& quantized) const {
    mlir::Value value = plan_.activations[activation];
    if (!given_) {
      const bool whole = isBoundary(value, quantized);
      const ValueRange range = (*histograms_)[activation].choose(whole ? CalibrationMethod::kMinMax
                                                                       : methods_[activation]);
      const double fineness = plan_.finenessOf(activation);
      return {range.min * fineness, range.max * fineness};
    }
    const QuantParams& params = *given_->find(value);
    const auto zero_point = static_cast<double>(params.zero_point);
    return {(-128 - zero_point) * params.scale, (127 - zero_point) * params.scale};
  }

  void collectNeeds() {
    needs_.resize(plan_.activations.size());
    llvm::DenseSet<mlir::Operation*> quantized_ops;
    for (const QuantNode& node : plan_.nodes) {
      quantized_ops.insert(node.ops.begin(), node.ops.end());
      if (!given_ && hasPads(node.anchor)) needs_[classOf(node.inputs[0])].zero_pads = true;
      if (given_ || node.kind != Kind::kMatMulPair) continue;
      // A zero point of the other operand is a bias that the host computes with every run.
      needs_[classOf(node.inputs[0])].zero_pads = true;
      needs_[classOf(node.inputs[1])].takes_place_of_weights = true;
    }
    for (size_t i = 0; i < plan_.activations.size(); ++i) {
      const ValueRange range = rangeOf(i, quantized_ops);
      ClassNeeds& needs = needs_[equal_.find(static_cast<int>(i))];
      needs.used = true;
      if (plan_.wide.contains(plan_.activations[i])) needs.is_wide = true;
      needs.range = {std::min(needs.range.min, range.min), std::max(needs.range.max, range.max)};
    }
  }

  // Without qmul every ratio of scales inside one kernel, contractions' own apart, is a power of
  // two.
  void relatePowersOfTwo() {
    for (const QuantNode& node : plan_.nodes) {
      const int out = classOf(node.output);
      if (node.residual) groups_.relate(classOf(node.residual), out, 0);
      if (node.kind != Kind::kAdd && !(node.kind == Kind::kClip && changesParams(node))) continue;
      for (mlir::Value input : node.inputs) groups_.relate(classOf(input), out, 0);
    }
    llvm::erase_if(plan_.nodes, [&](const QuantNode& node) {
      if (node.kind == Kind::kProduct) return true;  // three scales, and the ALU's factors are two
      if (node.kind == Kind::kMatMulPair) return given_ || !isFree(node);
      if (node.kind != Kind::kAvgPool) return false;
      if (!node.divisors.factors.empty()) return true;  // a factor for each pixel
      const double per_window = -std::log2(static_cast<double>(node.divisors.common));
      return !groups_.relate(classOf(node.output), classOf(node.inputs[0]), per_window);
    });
  }

  // True where no other scale has to be in a ratio to that of the node's output.
  bool isFree(const QuantNode& node) const {
    const int out = classOf(node.output);
    for (int i = 0; i < static_cast<int>(needs_.size()); ++i) {
      const int other = equal_.find(i);
      if (other != out && groups_.find(other).root == groups_.find(out).root) return false;
    }
    return true;
  }

  // log2 of what one step of the output is in products of the operands' steps.
  double logOfPairUnit(const QuantNode& node) const {
    double unit = 1;
    for (mlir::Value input : node.inputs) unit *= chosen_[classOf(input)].params.scale;
    return std::log2(chosen_[classOf(node.output)].params.scale / unit);
  }

  // Without qmul, what a product of two activations gives is rescaled by a shift. Pairs stay in
  // float whose result another one of them moves to where no shift leads.
  void shiftMatMulPairs() {
    const auto is_pair = [](const QuantNode& node) { return node.kind == Kind::kMatMulPair; };
    for (const QuantNode& node : plan_.nodes) {
      if (!is_pair(node)) continue;
      const double log = logOfPairUnit(node), shift = std::max(std::ceil(log - 1e-9), 0.0);
      const int out = classOf(node.output);
      setClass(out, chosen_[out].params.scale * std::exp2(shift - log));
    }
    llvm::erase_if(plan_.nodes, [&](const QuantNode& node) {
      if (!is_pair(node)) return false;
      const double log = logOfPairUnit(node);
      return log < -1e-9 || std::abs(log - std::round(log)) > 1e-9;
    });
  }

  // log2 of the smallest scale that covers the class's range.
  double neededLogScale(int index) const { return std::log2(paramsFor(needs_[index]).scale); }

  QuantParams paramsFor(const ClassNeeds& needs) const {
    const bool may_be_least = !needs.takes_place_of_weights && !needs.is_wide;
    return chooseActivationParams(needs.range.min, needs.range.max, needs.fixesZero(),
                                  may_be_least);
  }

  void chooseGroupScales() {
    chosen_.assign(needs_.size(), {{0, 0}, {}});
    std::map<int, std::vector<int>> members;
    for (int i = 0; i < static_cast<int>(needs_.size()); ++i) {
      if (needs_[i].used) members[groups_.find(i).root].push_back(i);
    }
    for (const auto& [root, classes] : members) {
      if (given_ && classes.size() == 1) continue;  // as given, below
      const double base = bestBase(classes);
      for (int index : classes) {
        const double start = base + groups_.find(index).offset;
        const double steps = std::ceil(neededLogScale(index) - start - 1e-9);
        setClass(index, std::exp2(start + steps));
      }
    }
  }

  // The common base for which rounding every scale up to a power of two above it wastes least.
  double bestBase(const std::vector<int>& classes) const {
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (int candidate : classes) {
      const double base = neededLogScale(candidate) - groups_.find(candidate).offset;
      double waste = 0;
      for (int index : classes) {
        const double gap = neededLogScale(index) - base - groups_.find(index).offset;
        waste += std::ceil(gap - 1e-9) - gap;
      }
      if (waste < least) {
        least = waste;
        best = base;
      }
    }
    return best;
  }

  void setClass(int index, double scale) {
    const ClassNeeds& needs = needs_[index];
    QuantParams params = paramsFor(needs);
    if (!needs.fixesZero()) {
      const double zero = std::round(-128.0 - std::min(needs.range.min, 0.0) / scale);
      params.zero_point = static_cast<int64_t>(std::clamp(zero, -128.0, 127.0));
    }
    params.scale = scale;
    chosen_[index] = {params, needs.range};
  }

  QuantPlan& plan_;
  const std::vector<Histogram>* histograms_;
  const GivenQuantization* given_;
  const HwConfig& hw_;
  const std::vector<CalibrationMethod>& methods_;
  EqualClasses equal_;
  OffsetClasses groups_;  // of classes whose scales are base * 2^(offset + integer)
  std::vector<ClassNeeds> needs_;
  std::vector<ActivationScale> chosen_;
};

}  // namespace

std::vector<ActivationScale> chooseScales(QuantPlan& plan, const std::vector<Histogram>& histograms,
                                          const HwConfig& hw,
                                          const std::vector<CalibrationMethod>& methods) {
  return ScaleChooser(plan, &histograms, nullptr, hw, methods).run();
}

std::vector<ActivationScale> keepScales(QuantPlan& plan, const GivenQuantization& given,
                                        const HwConfig& hw) {
  // No range is taken from values.
  return ScaleChooser(plan, nullptr, &given, hw, {}).run();
}

}  // namespace vta::compiler
