#include "compiler/quantize/calibrate/choose_methods.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace vta::compiler {
namespace {

using Methods = std::vector<CalibrationMethod>;

constexpr CalibrationMethod kCandidates[] = {
    CalibrationMethod::kMinMax, CalibrationMethod::kPercentile, CalibrationMethod::kMse};
/// Smaller gains are those of the few samples that the search looks at.
constexpr double kWorthwhileShare = 0.95;

class MethodSearch {
 public:
  MethodSearch(OutputError& error, QuantPlan& plan, const CalibrationData& data, const HwConfig& hw,
               const Progress& progress)
      : error_(error), plan_(plan), data_(data), hw_(hw), progress_(progress) {}

  Result<Methods> run() {
    VTA_RETURN_IF_ERROR(startWithOneForAll());
    // Where that takes all the time that there is, an order of activations is of no use.
    if (error_.affordable() <= std::ssize(plan_.activations)) return methods_;
    VTA_ASSIGN_OR_RETURN(const std::vector<size_t> order, worstFirst());
    int64_t done = 0;
    for (const size_t activation : order) {
      if (error_.affordable() <= 0) break;
      VTA_RETURN_IF_ERROR(improve(activation));
      if (progress_) progress_("ranges", ++done, static_cast<int64_t>(order.size()));
    }
    return methods_;
  }

 private:
  std::vector<ActivationScale> scalesOf(const Methods& methods) {
    return chooseScales(plan_, data_.histograms, hw_, methods);
  }

  Status startWithOneForAll() {
    for (const CalibrationMethod method : kCandidates) {
      const Methods all(plan_.activations.size(), method);
      VTA_ASSIGN_OR_RETURN(const HalfErrors error, error_.ofAll(scalesOf(all)));
      if (!(error.sum() < least_.sum())) continue;
      least_ = error;
      methods_ = all;
    }
    // NaN compares with nothing: networks whose outputs are NaN keep everything seen.
    if (methods_.empty()) methods_.assign(plan_.activations.size(), CalibrationMethod::kMinMax);
    return {};
  }

  Result<std::vector<size_t>> worstFirst() {
    const std::vector<ActivationScale> scales = scalesOf(methods_);
    std::vector<double> damage(scales.size(), 0);
    for (size_t i = 0; i < scales.size() && error_.affordable() > 0; ++i) {
      VTA_ASSIGN_OR_RETURN(const HalfErrors error, error_.ofOne(scales, i));
      damage[i] = error.sum();
    }
    std::vector<size_t> order(scales.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return damage[a] > damage[b]; });
    return order;
  }

  Status improve(size_t activation) {
    const ValueRange now = data_.histograms[activation].choose(methods_[activation]);
    for (const CalibrationMethod method : kCandidates) {
      const ValueRange range = data_.histograms[activation].choose(method);
      if (method == methods_[activation] || (range.min == now.min && range.max == now.max))
        continue;
      Methods changed = methods_;
      changed[activation] = method;
      VTA_ASSIGN_OR_RETURN(const HalfErrors error, error_.ofAll(scalesOf(changed)));
      // What helps one half of the samples and not the other is chance.
      const bool helps = error.sum() < least_.sum() * kWorthwhileShare &&
                         error.even <= least_.even && error.odd <= least_.odd;
      if (!helps) continue;
      least_ = error;
      methods_ = std::move(changed);
    }
    return {};
  }

  OutputError& error_;
  QuantPlan& plan_;
  const CalibrationData& data_;
  const HwConfig& hw_;
  const Progress& progress_;
  Methods methods_;
  HalfErrors least_{std::numeric_limits<double>::infinity(), 0};
};

}  // namespace

Result<Methods> chooseMethods(OutputError& error, QuantPlan& plan, const CalibrationData& data,
                              const HwConfig& hw, const Progress& progress) {
  return MethodSearch(error, plan, data, hw, progress).run();
}

Result<std::vector<LayerDamage>> rankLayers(OutputError& error, const QuantPlan& plan,
                                            const std::vector<ActivationScale>& scales) {
  std::map<std::string, double> worst;
  for (const QuantNode& node : plan.nodes) {
    const std::string layer = layerNameOf(node.anchor);
    if (layer.empty()) continue;
    VTA_ASSIGN_OR_RETURN(const HalfErrors damage,
                         error.ofOne(scales, static_cast<size_t>(plan.indexOf(node.output))));
    double& known = worst[layer];
    known = std::max(known, damage.sum());
  }
  std::vector<LayerDamage> ranking;
  for (const auto& [layer, damage] : worst) ranking.push_back({layer, damage});
  std::ranges::stable_sort(
      ranking, [](const LayerDamage& a, const LayerDamage& b) { return a.damage > b.damage; });
  return ranking;
}

}  // namespace vta::compiler
