#include "tune/tuner/trial_keeper.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace vta::tune {
namespace {

constexpr std::chrono::milliseconds kPause{200};
constexpr const char* kSuffix = ".unsaved.jsonl";

// Behind what an earlier search left there: importing a line twice changes nothing. Either the
// whole text or nothing of it.
bool append(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  const auto before = std::filesystem::file_size(file, error);
  const bool was_there = !error;
  std::ofstream out(file, std::ios::app);
  out << text << std::flush;
  if (out) return true;
  if (was_there) {
    std::filesystem::resize_file(file, before, error);
  } else {
    std::filesystem::remove(file, error);
  }
  return false;
}

/// A batch as lines of JSON; "" if even that fails.
std::string linesOf(const StoredTask& task, const std::string& source,
                    std::span<const TrialRecord> trials) {
  auto lines = Database::open(":memory:", Database::Access::kWrite);
  std::ostringstream text;
  if (!lines.ok() || !lines->addTrials(task, source, trials).ok()) return "";
  return lines->exportJsonLines(text).ok() ? text.str() : "";
}

}  // namespace

Status TrialKeeper::add(const StoredTask& task, const std::string& source,
                        std::span<const TrialRecord> trials) {
  if (database_ == nullptr || trials.empty()) return {};
  pending_.push_back({task, source, {trials.begin(), trials.end()}});
  const Status failure = write();
  return failure.ok() || mayPass(failure) ? Status() : giveUp(failure);
}

Status TrialKeeper::flush() {
  for (;;) {
    const Status failure = write();
    if (failure.ok()) return {};
    if (!mayPass(failure)) return giveUp(failure);
    std::this_thread::sleep_for(kPause);
  }
}

Status TrialKeeper::setProof(const StoredTask& task, const std::string& source,
                             const Proof& proof) {
  if (database_ == nullptr) return {};
  VTA_RETURN_IF_ERROR(flush());
  for (;;) {
    const Status failure = database_->setProof(task, source, proof);
    if (failure.ok()) {
      failing_since_.reset();
      return {};
    }
    if (!mayPass(failure)) return giveUp(failure);
    std::this_thread::sleep_for(kPause);
  }
}

Status TrialKeeper::write() {
  while (!pending_.empty()) {
    const Batch& batch = pending_.front();
    VTA_RETURN_IF_ERROR(database_->addTrials(batch.task, batch.source, batch.trials));
    pending_.erase(pending_.begin());
    failing_since_.reset();
  }
  return {};
}

// Locks are released, and people make room on disks.
bool TrialKeeper::mayPass(const Status& failure) {
  const bool passes =
      failure.code() == StatusCode::kResourceExhausted || failure.code() == StatusCode::kIoError;
  if (!failing_since_) failing_since_ = Clock::now();
  return passes && secondsSince(*failing_since_) < wait_seconds_;
}

Status TrialKeeper::giveUp(const Status& failure) {
  std::string text = failure.message();
  const size_t lacking = countPending();
  const std::vector<std::string> files = writeLines();  // takes off what it writes
  const size_t lost = countPending();
  if (lacking > lost) {
    text += fmt::format("; {} measured trials that it lacks are kept:", lacking - lost);
  }
  for (const std::string& file : files) {
    text +=
        fmt::format(" 'vta-tune --db {} --import {}' adds them", database_->file().string(), file);
  }
  if (lost > 0) text += fmt::format("; there was no room for {} measured trials", lost);
  pending_.clear();
  failing_since_.reset();
  return {failure.code(), text};
}

size_t TrialKeeper::countPending() const {
  size_t count = 0;
  for (const Batch& batch : pending_) count += batch.trials.size();
  return count;
}

// The files: one beside the database and, where that has no room, one among the temporary files.
std::vector<std::string> TrialKeeper::writeLines() {
  std::vector<std::filesystem::path> places = {database_->file().string() + kSuffix};
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  if (!error) places.push_back(temporary / places.front().filename());
  std::vector<std::string> files;
  for (const std::filesystem::path& file : places) {
    const size_t before = pending_.size();
    while (!pending_.empty()) {
      const Batch& batch = pending_.front();
      const std::string text = linesOf(batch.task, batch.source, batch.trials);
      if (text.empty() || !append(file, text)) break;
      pending_.erase(pending_.begin());
    }
    if (pending_.size() < before) files.push_back(file.string());
  }
  return files;
}

}  // namespace vta::tune
