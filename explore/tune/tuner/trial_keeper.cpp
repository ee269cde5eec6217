#include "explore/tune/tuner/trial_keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>
#include <utility>

#include "base/descriptor.h"

namespace vta::tune {
namespace {

constexpr std::chrono::milliseconds kPause{200};
constexpr const char* kSuffix = ".unsaved.jsonl";

// Behind what an earlier search left there: importing a line twice changes nothing. Either the
// whole text or nothing of it. Nobody else's file: in a folder that others write to, too, the name
// can be foreseen.
bool append(const std::filesystem::path& file, std::string_view text) {
  constexpr mode_t kOnlyMine = 0600;
  const Descriptor out(open(file.c_str(),
                            O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                            kOnlyMine));
  struct stat before = {};
  if (!out.isOpen() || fstat(out.number(), &before) != 0) return false;
  if (!S_ISREG(before.st_mode) || before.st_uid != geteuid()) return false;
  while (!text.empty()) {
    const ssize_t count = write(out.number(), text.data(), text.size());
    if (count <= 0) break;
    text.remove_prefix(static_cast<size_t>(count));
  }
  if (text.empty()) return true;
  if (before.st_size == 0) {
    unlink(file.c_str());
  } else {
    static_cast<void>(ftruncate(out.number(), before.st_size));
  }
  return false;
}

/// Beside the database and, where that has no room, among the temporary files.
std::vector<std::filesystem::path> placesOf(const Database& database) {
  std::vector<std::filesystem::path> places = {database.file().string() + kSuffix};
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  if (!error) places.push_back(temporary / places.front().filename());
  return places;
}

std::string importCommand(const Database& database, const std::string& file) {
  return fmt::format("'vta-tune --db {} --import {}' adds them", database.file().string(), file);
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
    Status failure = write();
    if (failure.ok() && database_ != nullptr) failure = database_->checkPlace();
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

// What was written before is lost with the file, but it can still be read.
Status TrialKeeper::rescue(const Status& failure) {
  database_->abandon();
  std::string lines;
  const char* kept = "its last trials are kept";
  if (std::ostringstream stored; !is_rescued_ && database_->exportJsonLines(stored).ok()) {
    lines = stored.str();
    kept = "what was in it is kept";
  }
  for (const Batch& batch : pending_) lines += linesOf(batch.task, batch.source, batch.trials);
  pending_.clear();
  failing_since_.reset();
  for (const std::filesystem::path& file : placesOf(*database_)) {
    if (lines.empty() || !append(file, lines)) continue;
    is_rescued_ = true;
    return {failure.code(), fmt::format("{}; {}: {}", failure.message(), kept,
                                        importCommand(*database_, file.string()))};
  }
  return {failure.code(),
          failure.message() + (lines.empty() ? "" : "; nothing of it could be saved")};
}

Status TrialKeeper::giveUp(const Status& failure) {
  if (!database_->checkPlace().ok()) return rescue(failure);
  std::string text = failure.message();
  const size_t lacking = countPending();
  const std::vector<std::string> files = writeLines();  // takes off what it writes
  const size_t lost = countPending();
  if (lacking > lost) {
    text += fmt::format("; {} measured trials that it lacks are kept:", lacking - lost);
  }
  for (const std::string& file : files) text += fmt::format(" {}", importCommand(*database_, file));
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

// Returns the files.
std::vector<std::string> TrialKeeper::writeLines() {
  std::vector<std::string> files;
  for (const std::filesystem::path& file : placesOf(*database_)) {
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
