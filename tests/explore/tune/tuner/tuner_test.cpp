#include "explore/tune/tuner/tuner.h"
#include "explore/tune/space/vta_space.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "explore/tune/measure/simulator.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using testing::smallTask;

class Tuners : public ::testing::Test {
 protected:
  Tuners()
      : file_(std::filesystem::temp_directory_path() /
              ("vta-tuner-" + std::to_string(getpid()) + ".db")),
        database_(*Database::open(file_, Database::Access::kWrite)) {}
  ~Tuners() override {
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::filesystem::remove(file_.string() + suffix);
    }
  }

  std::vector<TunedTask> tune(const char* searcher, TuneOptions options,
                              const Tuner::Progress& progress = {}) {
    options.searcher = *findSearcher(searcher);
    Tuner tuner(&database_, options, progress);
    const auto results = tuner.run(tasks_, *measurer_);
    EXPECT_TRUE(results.ok()) << results.status().message();
    return *results;
  }

  std::filesystem::path file_;
  Database database_;
  std::unique_ptr<Measurer> measurer_ = makeLocalMeasurer();
  std::vector<Task> tasks_ = {smallTask()};
};

TEST_F(Tuners, ExhaustiveSearchProvesTheOptimum) {
  const auto proven = tune("exhaustive", {.trials = 1'000'000, .patience = 0});
  ASSERT_EQ(proven.size(), 1u);
  const TunedTask& task = proven.front();
  EXPECT_EQ(task.provenGap(), 0);
  EXPECT_EQ(task.floor_cycles, task.best->cycles);
  EXPECT_LE(task.best->cycles, task.default_cycles);
  EXPECT_EQ(task.failed_trials, 0);
  EXPECT_LT(task.trials, static_cast<int64_t>(task.schedules));  // floors rule some out

  // Nothing that is measured to the end is faster.
  const VtaSpace space = *VtaSpace::create(tasks_.front());
  ASSERT_TRUE(measurer_->begin(tasks_.front()).ok());
  for (Candidate i = 0; i < space.size(); i += 11) {
    const auto measured = measurer_->measure({&space.schedule(i), 1}, kAnyCycles);
    EXPECT_GE(measured[0].cycles, task.best->cycles);
  }
}

// The best trial and the proof are what a database has that was exported with --best.
TEST_F(Tuners, ProofsStayWhenTheirTrialsAreGone) {
  const auto proven = tune("exhaustive", {.trials = 1'000'000, .patience = 0});
  std::stringstream lines;
  ASSERT_TRUE(database_.exportJsonLines(lines, Database::Exported::kBest).ok());
  Database best = *Database::open(":memory:", Database::Access::kWrite);
  ASSERT_TRUE(best.importJsonLines(lines).ok());
  Tuner tuner(&best, {.searcher = *findSearcher("random"), .trials = 2});
  const auto again = tuner.run(tasks_, *measurer_);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->front().floor_cycles, proven.front().floor_cycles);
  const auto proof = best.proof(keyOf(tasks_.front()), measurer_->source());
  EXPECT_EQ((*proof)->floor_cycles, proven.front().floor_cycles);
}

// What a stranger writes into a database is measured again where it cannot be true.
TEST_F(Tuners, BelieveNothingThatIsProvenImpossible) {
  const auto honest = tune("exhaustive", {.trials = 1'000'000, .patience = 0});
  const TrialRecord& best = *honest.front().best;
  const StoredTask task = storedTask(tasks_.front());
  TrialRecord impossible = best;
  impossible.cycles = 1;
  ASSERT_TRUE(database_.addTrials(task, measurer_->source(), std::vector{impossible}).ok());
  const auto again = tune("exhaustive", {.trials = 1'000'000, .patience = 0});
  EXPECT_EQ(again.front().impossible_trials, 1);
  EXPECT_EQ(again.front().best->cycles, best.cycles);
  EXPECT_EQ((*database_.best(task.key, measurer_->source()))->cycles, best.cycles);
  // A proof that a trial beats says nothing.
  Database other = *Database::open(":memory:", Database::Access::kWrite);
  ASSERT_TRUE(other.setProof(task, measurer_->source(), {kMostCycles}).ok());
  Tuner tuner(&other, {.searcher = *findSearcher("random"), .trials = 2});
  const auto tuned = tuner.run(tasks_, *measurer_);
  ASSERT_TRUE(tuned.ok()) << tuned.status().message();
  EXPECT_LE(tuned->front().floor_cycles, tuned->front().best->cycles);
  EXPECT_LE((*other.proof(task.key, measurer_->source()))->floor_cycles,
            tuned->front().best->cycles);
}

TEST_F(Tuners, GoOnWhereTheyStopped) {
  const auto first = tune("random", {.trials = 20});
  EXPECT_EQ(first.front().new_trials, 20);
  const auto second = tune("random", {.trials = 50});
  EXPECT_EQ(second.front().trials, 50);
  EXPECT_EQ(second.front().new_trials, 30);
  const auto third = tune("learned", {.trials = 50});
  EXPECT_EQ(third.front().new_trials, 0);
  EXPECT_EQ(third.front().best->cycles, second.front().best->cycles);
}

TEST_F(Tuners, StopKeepsFinishedTrials) {
  std::atomic<bool> stop = false;
  const auto results = tune("random", {.trials = 1000, .stop = &stop},
                            [&](const TuneProgress& progress) { stop = progress.trials >= 32; });
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results.front().was_stopped);
  EXPECT_EQ(results.front().trials, 33);  // the compiler's choice and two batches
  EXPECT_EQ(database_.trials(keyOf(tasks_.front()), measurer_->source())->size(), 33u);
}

TEST_F(Tuners, TellHowFarTheyAre) {
  std::vector<double> shares;
  tune("random", {.trials = 50, .patience = 0},
       [&](const TuneProgress& progress) { shares.push_back(progress.share); });
  ASSERT_GE(shares.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_GT(shares.front(), 0.1);
  EXPECT_LT(shares.front(), 0.9);
  EXPECT_EQ(shares.back(), 1);
}

// Its trials have no limit: what is left of the space counts.
TEST_F(Tuners, TellHowFarAProofIs) {
  std::vector<double> shares;
  tune("exhaustive", {.trials = 1'000'000'000, .patience = 0},
       [&](const TuneProgress& progress) { shares.push_back(progress.share); });
  ASSERT_GE(shares.size(), 3u);
  EXPECT_GT(shares[shares.size() / 2], 0.1);
  EXPECT_EQ(shares.back(), 1);
}

TEST_F(Tuners, PatienceEndsASearch) {
  const auto results = tune("analytic", {.trials = 1'000'000, .patience = 40});
  const VtaSpace space = *VtaSpace::create(tasks_.front());
  EXPECT_LT(results.front().trials, static_cast<int64_t>(space.size()));
}

TEST_F(Tuners, LearnFromOtherTasks) {
  Task other = smallTask();
  other.desc.geometry.out_channel_blocks = 8;
  other.desc.geometry.in_channel_blocks = 4;
  tasks_ = {other};
  tune("random", {.trials = 200, .patience = 0});
  tasks_ = {smallTask()};
  const auto learned = tune("learned", {.trials = 16});
  const auto proven = tune("exhaustive", {.trials = 1'000'000, .patience = 0});
  const double best = static_cast<double>(proven.front().best->cycles);
  EXPECT_LE(static_cast<double>(learned.front().best->cycles), 1.05 * best);
}

TEST_F(Tuners, AKernelThatDoesNotFitIsAnError) {
  tasks_.front().desc.geometry.in_channel_blocks = 3;
  tasks_.front().desc.geometry.groups = 2;
  Tuner tuner(nullptr, {.searcher = *findSearcher("random")});
  const auto results = tuner.run(tasks_, *measurer_);
  ASSERT_FALSE(results.ok());
  EXPECT_NE(results.status().message().find("conv"), std::string::npos);
}

}  // namespace
}  // namespace vta::tune
