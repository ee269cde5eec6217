#include "explore/tune/model/cost_model.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "explore/tune/model/model_text.h"
#include "explore/tune/space/features.h"

namespace vta::tune {
namespace {

using Json = nlohmann::json;

Status statusOf(int code, const char* what) {
  if (code == 0) return {};
  // Behind the message it has a trace of its own functions.
  std::string message = XGBGetLastError();
  message = message.substr(0, message.find("Stack trace"));
  std::ranges::replace(message, '\n', ' ');
  message.erase(message.find_last_not_of(' ') + 1);
  return internalError(fmt::format("XGBoost, {}: {}", what, message));
}

/// A matrix of XGBoost, freed with this.
class Matrix {
 public:
  Matrix() = default;
  ~Matrix() {
    if (handle_ != nullptr) XGDMatrixFree(handle_);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  Status create(const std::vector<float>& rows) {
    constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
    return statusOf(XGDMatrixCreateFromMat(rows.data(), rows.size() / kFeatureCount, kFeatureCount,
                                           kMissing, &handle_),
                    "make a matrix");
  }
  Status setLabels(const std::vector<float>& labels) {
    return statusOf(XGDMatrixSetFloatInfo(handle_, "label", labels.data(), labels.size()),
                    "set labels");
  }
  Status setWeights(const std::vector<float>& weights) {
    return statusOf(XGDMatrixSetFloatInfo(handle_, "weight", weights.data(), weights.size()),
                    "set weights");
  }
  Status setGroups(const std::vector<unsigned>& sizes) {
    return statusOf(XGDMatrixSetUIntInfo(handle_, "group", sizes.data(), sizes.size()),
                    "set groups");
  }
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

/// What fit() hands to XGBoost: samples ordered by group.
struct TrainingSet {
  std::vector<float> rows;
  std::vector<float> labels;
  std::vector<float> weights;
  std::vector<unsigned> group_sizes;
};

// For ranks, speed relative to the fastest of the group; else how far the estimate is off.
float labelOf(const Sample& sample, Objective objective, uint64_t fastest) {
  if (objective == Objective::kRank) {
    return static_cast<float>(static_cast<double>(fastest) / static_cast<double>(sample.cycles));
  }
  return static_cast<float>(std::log(static_cast<double>(sample.cycles) / sample.estimate));
}

TrainingSet makeTrainingSet(std::span<const Sample> samples, Objective objective) {
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return samples[i].group; });
  TrainingSet set;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    uint64_t fastest = samples[order[begin]].cycles;
    while (end < order.size() && samples[order[end]].group == samples[order[begin]].group) {
      fastest = std::min(fastest, samples[order[end++]].cycles);
    }
    for (size_t i = begin; i < end; ++i) {
      const Sample& sample = samples[order[i]];
      set.rows.insert(set.rows.end(), sample.features.begin(), sample.features.end());
      set.labels.push_back(labelOf(sample, objective, fastest));
      set.weights.push_back(sample.weight);
    }
    set.group_sizes.push_back(static_cast<unsigned>(end - begin));
    begin = end;
  }
  return set;
}

constexpr const char* kFormat = "vta-cost-model-1";

}  // namespace

struct CostModel::Trees {
  BoosterHandle handle = nullptr;
  ~Trees() {
    if (handle != nullptr) XGBoosterFree(handle);
  }

  Status set(const char* key, const std::string& value) {
    return statusOf(XGBoosterSetParam(handle, key, value.c_str()), key);
  }

  Status create(const Matrix* data, const CostModelOptions& options) {
    const DMatrixHandle matrix = data != nullptr ? data->handle() : nullptr;
    VTA_RETURN_IF_ERROR(statusOf(
        XGBoosterCreate(data != nullptr ? &matrix : nullptr, data != nullptr ? 1 : 0, &handle),
        "make a model"));
    VTA_RETURN_IF_ERROR(set("verbosity", "0"));
    const bool ranks = options.objective == Objective::kRank;
    VTA_RETURN_IF_ERROR(set("objective", ranks ? "rank:pairwise" : "reg:squarederror"));
    VTA_RETURN_IF_ERROR(set("base_score", ranks ? "0.5" : "0"));
    VTA_RETURN_IF_ERROR(set("tree_method", "hist"));
    VTA_RETURN_IF_ERROR(set("max_bin", "64"));
    VTA_RETURN_IF_ERROR(set("max_depth", fmt::format("{}", options.depth)));
    VTA_RETURN_IF_ERROR(set("eta", fmt::format("{}", options.learning_rate)));
    VTA_RETURN_IF_ERROR(set("min_child_weight", ranks ? "0.1" : "1"));
    VTA_RETURN_IF_ERROR(set("nthread", fmt::format("{}", options.threads)));
    return set("seed", fmt::format("{}", options.seed));
  }
};

CostModel::CostModel(const CostModelOptions& options) : options_(options) {}
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel&&) noexcept = default;
CostModel& CostModel::operator=(CostModel&&) noexcept = default;

Status CostModel::fit(std::span<const Sample> samples) {
  if (samples.empty()) return {};
  const TrainingSet set = makeTrainingSet(samples, options_.objective);
  Matrix matrix;
  VTA_RETURN_IF_ERROR(matrix.create(set.rows));
  VTA_RETURN_IF_ERROR(matrix.setLabels(set.labels));
  if (options_.objective == Objective::kRank) {
    VTA_RETURN_IF_ERROR(matrix.setGroups(set.group_sizes));
  } else {
    VTA_RETURN_IF_ERROR(matrix.setWeights(set.weights));
  }
  auto trees = std::make_unique<Trees>();
  VTA_RETURN_IF_ERROR(trees->create(&matrix, options_));
  for (int round = 0; round < options_.rounds; ++round) {
    VTA_RETURN_IF_ERROR(
        statusOf(XGBoosterUpdateOneIter(trees->handle, round, matrix.handle()), "learn"));
  }
  trees_ = std::move(trees);
  is_fitted_ = true;
  return {};
}

Result<std::vector<double>> CostModel::predict(std::span<const Features> rows,
                                               std::span<const double> estimates) const {
  std::vector<double> scores(rows.size());
  const bool has_draft = options_.objective == Objective::kResidual || !is_fitted_;
  for (size_t i = 0; i < rows.size(); ++i) scores[i] = has_draft ? std::log(estimates[i]) : 0;
  if (!is_fitted_ || rows.empty()) return scores;
  const std::string data =
      fmt::format(R"({{"data": [{}, true], "shape": [{}, {}], "typestr": "<f4", "version": 3}})",
                  reinterpret_cast<uintptr_t>(rows.data()), rows.size(), kFeatureCount);
  constexpr const char* kConfig =
      R"({"type": 0, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false,
          "cache_id": 0, "missing": NaN})";
  const bst_ulong* shape = nullptr;
  bst_ulong dims = 0;
  const float* values = nullptr;
  VTA_RETURN_IF_ERROR(statusOf(XGBoosterPredictFromDense(trees_->handle, data.c_str(), kConfig,
                                                         nullptr, &shape, &dims, &values),
                               "predict"));
  const double sign = options_.objective == Objective::kRank ? -1 : 1;
  for (size_t i = 0; i < rows.size(); ++i) scores[i] += sign * static_cast<double>(values[i]);
  return scores;
}

Result<std::vector<std::pair<std::string, double>>> CostModel::importance(
    std::span<const std::string_view> feature_names) const {
  std::vector<std::pair<std::string, double>> shares;
  if (!is_fitted_) return shares;
  bst_ulong count = 0;
  const char** names = nullptr;
  bst_ulong dims = 0;
  const bst_ulong* shape = nullptr;
  const float* gains = nullptr;
  VTA_RETURN_IF_ERROR(
      statusOf(XGBoosterFeatureScore(trees_->handle, R"({"importance_type": "total_gain"})", &count,
                                     &names, &dims, &shape, &gains),
               "feature importance"));
  double total = 0;
  for (bst_ulong i = 0; i < count; ++i) total += static_cast<double>(gains[i]);
  for (bst_ulong i = 0; i < count; ++i) {
    const size_t feature = std::stoul(names[i] + 1);  // "f12"
    shares.emplace_back(feature_names[feature], static_cast<double>(gains[i]) / total);
  }
  std::ranges::stable_sort(shares, std::greater<>{}, &std::pair<std::string, double>::second);
  return shares;
}

Result<std::string> CostModel::toJson() const {
  if (!is_fitted_) return invalidArgument("the cost model has learned nothing yet");
  bst_ulong size = 0;
  const char* text = nullptr;
  VTA_RETURN_IF_ERROR(statusOf(
      XGBoosterSaveModelToBuffer(trees_->handle, R"({"format": "json"})", &size, &text), "save"));
  const Json json = {{"format", kFormat},
                     {"features", featureNames()},
                     {"objective", options_.objective == Objective::kRank ? "rank" : "residual"},
                     {"trees", Json::parse(std::string_view(text, size))}};
  return json.dump();
}

Status CostModel::loadJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto isText = [&json](const char* key, const char* value) {
    return json.contains(key) && json[key] == value;
  };
  if (!json.is_object() || !isText("format", kFormat) || !json.contains("trees")) {
    return invalidArgument(
        "this is no cost model of this version: make one with vta-dataset "
        "--cost-model");
  }
  const auto names = featureNames();
  const Json expected(std::vector<std::string>(names.begin(), names.end()));
  if (json.value("features", Json()) != expected) {
    const Json features = json.value("features", Json());
    return invalidArgument(fmt::format(
        "the cost model was made for {} features of another version, this one has {}: make one "
        "with vta-dataset --cost-model",
        features.is_array() ? features.size() : 0, names.size()));
  }
  options_.objective = isText("objective", "rank") ? Objective::kRank : Objective::kResidual;
  VTA_ASSIGN_OR_RETURN(const Json model, checkedModel(json["trees"], names.size(),
                                                      options_.objective == Objective::kRank));
  const std::string trees_text = model.dump();
  auto trees = std::make_unique<Trees>();
  VTA_RETURN_IF_ERROR(trees->create(nullptr, options_));
  const Status loaded = statusOf(
      XGBoosterLoadModelFromBuffer(trees->handle, trees_text.data(), trees_text.size()), "load");
  if (!loaded.ok()) return invalidArgument(loaded.message());
  trees_ = std::move(trees);
  is_fitted_ = true;
  return {};
}

}  // namespace vta::tune
