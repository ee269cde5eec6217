#include "compiler/quantize/refine/choose_wide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/quantize/wide/wide_activations.h"
#include "compiler/quantize/wide/wide_cost.h"

namespace vta::compiler {
namespace {

/// Noise over signal of the outputs that is little enough: 30 dB.
constexpr double kLittleNoise = 1e-3;
/// Share of a network's cycles that may be spent without being asked for.
constexpr double kAffordableShare = 0.05;
/// Samples that say which activations lose more than others. With one, the order would be chance.
constexpr int64_t kSamples = 8, kFewestSamples = 2;

bool hasRoomForLowParts(const HwConfig& hw) { return hw.params().wgt_width_bits == 8; }

bool isWide(const QuantPlan& plan, const WideCandidate& candidate) {
  return plan.wide.contains(plan.activations[static_cast<size_t>(candidate.activations.front())]);
}

void setWide(QuantPlan& plan, const WideCandidate& candidate, bool on) {
  for (const int activation : candidate.activations) {
    mlir::Value value = plan.activations[static_cast<size_t>(activation)];
    if (on) {
      plan.wide.insert(value);
    } else {
      plan.wide.erase(value);
    }
  }
}

bool computes(const WideCandidate& candidate, const std::string& layer) {
  return llvm::any_of(candidate.producers, [&](const QuantNode* node) {
    return llvm::any_of(node->ops, [&](mlir::Operation* op) { return layerNameOf(op) == layer; });
  });
}

/// Widens one candidate after the other; one use.
class Widener {
 public:
  Widener(OutputError& error, QuantPlan& plan, const std::vector<ActivationScale>& scales,
          const HwConfig& hw, const QuantizeOptions& options)
      : error_(error), plan_(plan), scales_(scales), hw_(hw), options_(options) {}

  Status run() {
    VTA_ASSIGN_OR_RETURN(const int64_t samples, samplesWorthRunning());
    if (samples == 0) return {};
    VTA_RETURN_IF_ERROR(measure(static_cast<size_t>(samples)));
    const double cycles_before = estimateCycles(plan_, hw_);
    for (int64_t count = 0; !isEnough(count); ++count) {
      const double cycles = estimateCycles(plan_, hw_);
      const WideCandidate* best = nullptr;
      double best_gain = 0, best_damage = 0;
      for (size_t i = 0; i < candidates_.size(); ++i) {
        if (isWide(plan_, candidates_[i])) continue;
        const double added = addedCycles(candidates_[i], cycles);
        if (options_.wide_choice == WideChoice::kAffordable &&
            cycles + added > cycles_before * (1 + kAffordableShare)) {
          continue;
        }
        const double gain = damage_[i] / std::max(added, cycles_before * kFreeShare);
        if (gain <= best_gain) continue;
        best = &candidates_[i];
        best_gain = gain;
        best_damage = damage_[i];
      }
      if (!best) break;
      setWide(plan_, *best, true);
      noise_ -= best_damage;
    }
    return {};
  }

 private:
  /// Costs below this share of a network's cycles count as this one.
  static constexpr double kFreeShare = 1e-3;

  // Samples that each activation is rounded for. None where activations lose little anyway, or
  // where nobody asked for what takes long.
  Result<int64_t> samplesWorthRunning() {
    if (options_.wide_choice == WideChoice::kWorst) return kSamples;
    VTA_ASSIGN_OR_RETURN(const double noise, error_.meanOfAll(scales_, kSamples));
    if (noise <= kLittleNoise) return 0;
    if (options_.wide_choice == WideChoice::kSufficient) return kSamples;
    const auto activations =
        llvm::count_if(plan_.nodes, [&](const auto& n) { return isRounded(n); });
    const int64_t samples = error_.affordableRuns() / std::max<int64_t>(activations, 1);
    return samples < kFewestSamples ? 0 : std::min(kSamples, samples);
  }

  // What only moves elements has been rounded before.
  bool isRounded(const QuantNode& node) const {
    return node.kind != QuantNode::Kind::kMove && !plan_.wide.contains(node.output);
  }

  // Noise of activations that are rounded one by one adds up.
  Status measure(size_t samples) {
    candidates_ = wideCandidates(plan_);
    std::vector<double> alone(scales_.size(), 0);
    for (const QuantNode& node : plan_.nodes) {
      if (!isRounded(node)) continue;
      const auto index = static_cast<size_t>(plan_.indexOf(node.output));
      VTA_ASSIGN_OR_RETURN(alone[index], error_.meanOfOne(scales_, index, samples));
      noise_ += alone[index];
    }
    for (const WideCandidate& candidate : candidates_) {
      double& damage = damage_.emplace_back(0);
      for (const QuantNode* producer : candidate.producers) {
        damage += alone[static_cast<size_t>(plan_.indexOf(producer->output))];
      }
    }
    return {};
  }

  bool isEnough(int64_t count) const {
    if (options_.wide_choice == WideChoice::kWorst) return count >= options_.worst_wide_activations;
    return noise_ <= kLittleNoise;
  }

  double addedCycles(const WideCandidate& candidate, double cycles) {
    setWide(plan_, candidate, true);
    const double after = estimateCycles(plan_, hw_);
    setWide(plan_, candidate, false);
    return after - cycles;
  }

  OutputError& error_;
  QuantPlan& plan_;
  const std::vector<ActivationScale>& scales_;
  const HwConfig& hw_;
  const QuantizeOptions& options_;
  std::vector<WideCandidate> candidates_;
  std::vector<double> damage_;  // of each candidate
  double noise_ = 0;            // of all activations that are not wide
};

}  // namespace

Status widenNamed(QuantPlan& plan, const HwConfig& hw, const std::set<std::string>& names) {
  if (names.empty()) return {};
  if (!hasRoomForLowParts(hw)) {
    return invalidArgument(
        fmt::format("wide activations need hardware with weights of 8 bits, and this has {}",
                    hw.params().wgt_width_bits));
  }
  std::set<std::string> refused = names;
  for (const WideCandidate& candidate : wideCandidates(plan)) {
    for (const std::string& name : names) {
      if (!computes(candidate, name)) continue;
      setWide(plan, candidate, true);
      refused.erase(name);
    }
  }
  if (refused.empty()) return {};
  return invalidArgument(fmt::format(
      "the result of '{}' cannot be a wide activation: those are results of convolutions without a "
      "residual, in a float model, that convolutions alone read",
      fmt::join(refused, "', '")));
}

Status widenWorst(OutputError& error, QuantPlan& plan, const std::vector<ActivationScale>& scales,
                  const HwConfig& hw, const QuantizeOptions& options) {
  if (options.wide_choice == WideChoice::kNone || !hasRoomForLowParts(hw)) return {};
  return Widener(error, plan, scales, hw, options).run();
}

std::vector<std::string> wideLayers(const QuantPlan& plan) {
  std::vector<std::string> layers;
  for (const QuantNode& node : plan.nodes) {
    if (node.kind != QuantNode::Kind::kMove && plan.wide.contains(node.output)) {
      layers.push_back(layerNameOf(node.anchor));
    }
  }
  return layers;
}

}  // namespace vta::compiler
