// MeasuredTask: a task whose schedules are measured once, when a search asks for them first.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "explore/tune/database/database.h"
#include "explore/tune/search/searcher.h"
#include "explore/tune/space/vta_space.h"

namespace vta::tune::testing {

/// Many searches with many seeds cost little more than one, because they want the same schedules.
/// The measurer serves one of these at a time.
class MeasuredTask {
 public:
  /// `measurer` and `database` must outlive it; `database`, which may be null, keeps what was
  /// measured. Errors: those of VtaSpace::create and of the database.
  static Result<MeasuredTask> create(const Task& task, Measurer& measurer, Database* database);

  const Task& task() const { return task_; }
  const VtaSpace& space() const { return space_; }

  /// One trial for each candidate; without cycles if it takes more than `limit`.
  Result<std::vector<Trial>> measure(std::span<const Candidate> candidates, uint64_t limit);

  /// Whether the candidate takes at most `limit` cycles. It is not simulated where its floor or an
  /// earlier simulation says that it takes more.
  Result<bool> isWithin(Candidate candidate, uint64_t limit);

  /// The cycles of the fastest schedule of the space, proven by branch and bound. The database,
  /// which must have none but this benchmark's proofs, keeps it.
  Result<uint64_t> provenBest();

 private:
  MeasuredTask(const Task& task, VtaSpace space, Measurer& measurer, Database* database)
      : task_(task), space_(std::move(space)), measurer_(&measurer), database_(database) {}

  Status readKnown();
  Result<uint64_t> proveBest();
  Status measureNew(std::span<const Candidate> candidates, uint64_t limit);

  Task task_;
  VtaSpace space_;
  Measurer* measurer_;
  Database* database_;
  std::map<Candidate, uint64_t> known_;        // cycles
  std::map<Candidate, uint64_t> longer_than_;  // cycles, of those whose simulation ended there
  bool is_begun_ = false;                      // by the measurer
};

}  // namespace vta::tune::testing
