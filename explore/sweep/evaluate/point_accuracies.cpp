#include "explore/sweep/evaluate/point_accuracies.h"

#include <numeric>
#include <set>

#include "explore/sweep/workers/job_pool.h"

namespace vta::sweep {
namespace {

constexpr const char* kAccuracyKind = "accuracy";

// A network on all its samples may take so many times what it may on one point.
constexpr int kAccuracyPatience = 10;

}  // namespace

Result<std::string> PointAccuracies::keyOf(const ModelEntry& entry, const HwConfig& hw) {
  std::string& data = data_hashes_[entry.name];
  if (data.empty()) {
    auto hash = hashOfData(*entry.accuracy);
    if (!hash.ok()) return hash.status().withContext(entry.accuracy->place);
    data = *std::move(hash);
  }
  VTA_ASSIGN_OR_RETURN(const std::string integers, library_->integersKey(entry, hw));
  return integers + "\n" + data;
}

Status PointAccuracies::find(const std::vector<PointResult>& results, Cache& cache) {
  if (work_.meter == nullptr) return {};
  std::vector<Job> missing;
  for (const PointResult& result : results) {
    for (size_t model = 0; model < sweep_->models.size() && result.point.isLegal(); ++model) {
      const ModelEntry& entry = sweep_->models[model];
      if (!entry.accuracy) continue;
      VTA_ASSIGN_OR_RETURN(std::string key, keyOf(entry, *result.point.hw));
      if (accuracies_.contains(key)) continue;
      VTA_ASSIGN_OR_RETURN(const auto found, cache.find(kAccuracyKind, key));
      Result<Accuracy> accuracy = found ? decodeAccuracy(*found) : internalError(kStopped);
      const bool is_known = accuracy.ok();
      accuracies_.emplace(key, is_known ? std::move(accuracy) : internalError(kStopped));
      if (!is_known) missing.push_back({model, *result.point.hw, std::move(key)});
    }
  }
  return missing.empty() ? Status() : measure(missing, cache);
}

Status PointAccuracies::measure(const std::vector<Job>& missing, Cache& cache) {
  std::set<size_t> checked;
  for (const Job& job : missing) {
    if (work_.stop != nullptr && *work_.stop) return {};
    if (!checked.insert(job.model).second) continue;
    VTA_RETURN_IF_ERROR(work_.meter->check(sweep_->models[job.model]));
  }
  JobPool pool(work_.processes,
               {.timeout = kAccuracyPatience * work_.timeout, .tasks_of_a_process = 1});
  Status written;
  int64_t done = 0;
  const auto body = [&](size_t i) -> Result<std::string> {
    VTA_ASSIGN_OR_RETURN(const Accuracy accuracy,
                         work_.meter->measure(sweep_->models[missing[i].model], missing[i].hw));
    return encodeAccuracy(accuracy);
  };
  const auto finish = [&](size_t i, const Result<std::string>& result) {
    const Job& job = missing[i];
    accuracies_.insert_or_assign(
        job.key, result.ok() ? decodeAccuracy(*result) : Result<Accuracy>(result.status()));
    if (work_.progress) work_.progress("accuracy", ++done, std::ssize(missing));
    if (!result.ok()) return;
    ++measured_;
    if (written.ok()) written = cache.add(kAccuracyKind, job.key, *result);
  };
  if (work_.progress) work_.progress("accuracy", 0, std::ssize(missing));
  std::vector<size_t> all(missing.size());
  std::iota(all.begin(), all.end(), size_t{0});
  VTA_RETURN_IF_ERROR(pool.run(all, body, finish, work_.stop));
  return written;
}

void PointAccuracies::add(const ModelEntry& entry, const HwConfig& hw, ModelResult& model) {
  if (!entry.accuracy || work_.meter == nullptr) return;
  const auto key = keyOf(entry, hw);  // known: find() has asked for it
  const Result<Accuracy> accuracy = key.ok() ? accuracies_.at(*key) : key.status();
  if (accuracy.ok()) {
    model.accuracy = *accuracy;
  } else {
    model.accuracy_error = accuracy.status().message();
  }
}

}  // namespace vta::sweep
