#include "tests/benchmarks/tune/measured_task.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/tune/measure/simulator.h"
#include "explore/tune/search/registry.h"

namespace vta::tune::testing {

Result<MeasuredTask> MeasuredTask::create(const Task& task, Measurer& measurer,
                                          Database* database) {
  VTA_ASSIGN_OR_RETURN(VtaSpace space, VtaSpace::create(task));
  MeasuredTask measured(task, std::move(space), measurer, database);
  VTA_RETURN_IF_ERROR(measured.readKnown());
  return measured;
}

Status MeasuredTask::readKnown() {
  if (database_ == nullptr) return {};
  VTA_ASSIGN_OR_RETURN(const auto trials, database_->trials(keyOf(task_), kSimulatorSource));
  std::map<std::string, uint64_t> cycles;
  for (const TrialRecord& trial : trials) {
    if (trial.outcome == Outcome::kCycles) cycles[trial.schedule] = trial.cycles;
  }
  for (Candidate i = 0; i < space_.size() && !cycles.empty(); ++i) {
    const auto found = cycles.find(scheduleText(space_.schedule(i)));
    if (found != cycles.end()) known_[i] = found->second;
  }
  return {};
}

Status MeasuredTask::measureNew(std::span<const Candidate> candidates, uint64_t limit) {
  std::vector<Candidate> wanted;
  std::vector<kernel::Schedule> schedules;
  for (const Candidate i : candidates) {
    if (known_.contains(i)) continue;
    wanted.push_back(i);
    schedules.push_back(space_.schedule(i));
  }
  if (wanted.empty()) return {};
  if (!is_begun_) VTA_RETURN_IF_ERROR(measurer_->begin(task_));
  is_begun_ = true;
  const std::vector<Measurement> results = measurer_->measure(schedules, limit);
  std::vector<TrialRecord> records;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (results[i].outcome == Outcome::kSlower) {
      longer_than_[wanted[i]] = std::max(longer_than_[wanted[i]], limit);
      continue;
    }
    if (results[i].outcome != Outcome::kCycles) {
      return internalError(fmt::format("{}: {}: {} {}", task_.desc.name, schedules[i].toString(),
                                       outcomeName(results[i].outcome), results[i].error));
    }
    known_[wanted[i]] = results[i].cycles;
    records.push_back({.schedule = scheduleText(schedules[i]),
                       .outcome = Outcome::kCycles,
                       .cycles = results[i].cycles,
                       .searcher = "benchmark"});
  }
  if (database_ == nullptr || records.empty()) return {};
  return database_->addTrials(storedTask(task_), kSimulatorSource, records);
}

Result<std::vector<Trial>> MeasuredTask::measure(std::span<const Candidate> candidates,
                                                 uint64_t limit) {
  VTA_RETURN_IF_ERROR(measureNew(candidates, limit));
  std::vector<Trial> trials;
  for (const Candidate i : candidates) {
    const auto found = known_.find(i);
    const bool is_within = found != known_.end() && found->second <= limit;
    trials.push_back({i, is_within ? std::optional(found->second) : std::nullopt});
  }
  return trials;
}

Result<bool> MeasuredTask::isWithin(Candidate candidate, uint64_t limit) {
  if (space_.floorCycles(candidate) > limit) return false;
  const auto longer = longer_than_.find(candidate);
  if (longer != longer_than_.end() && longer->second >= limit) return false;
  VTA_ASSIGN_OR_RETURN(const std::vector<Trial> trials, measure({&candidate, 1}, limit));
  return trials.front().cycles.has_value();
}

Result<uint64_t> MeasuredTask::provenBest() {
  if (database_ != nullptr) {
    VTA_ASSIGN_OR_RETURN(const auto proof, database_->proof(keyOf(task_), kSimulatorSource));
    if (proof) return proof->floor_cycles;
  }
  VTA_ASSIGN_OR_RETURN(const uint64_t best, proveBest());
  if (database_ != nullptr) {
    VTA_RETURN_IF_ERROR(database_->setProof(storedTask(task_), kSimulatorSource, {best}));
  }
  return best;
}

Result<uint64_t> MeasuredTask::proveBest() {
  const auto searcher = (*findSearcher("exhaustive"))->make({.space = &space_});
  uint64_t best = kAnyCycles;
  std::vector<Trial> trials;
  for (const auto& [candidate, cycles] : known_) {
    trials.push_back({candidate, cycles});
    best = std::min(best, cycles);
  }
  for (;;) {
    VTA_RETURN_IF_ERROR(searcher->tell(trials));
    VTA_ASSIGN_OR_RETURN(const auto batch, searcher->propose(searcher->batchSize()));
    if (batch.empty()) return best;
    VTA_ASSIGN_OR_RETURN(trials, measure(batch, searcher->limitCycles()));
    for (const Trial& trial : trials) best = std::min(best, trial.cycles.value_or(best));
  }
}

}  // namespace vta::tune::testing
