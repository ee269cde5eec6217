#include "explore/workers/farm/farm.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explore/workers/channel/pause.h"

namespace vta::launcher {
namespace {

using namespace std::chrono_literals;

constexpr int kMostFailedStarts = 3;   // in a row, of one worker
constexpr int kMostFailures = 8;       // in a row, of one worker that had started before
constexpr auto kStopPatience = 5s;     // for what is running when the farm is stopped
constexpr auto kSystemPatience = 30s;  // for a system that does not answer, while no worker lives
constexpr auto kSuspicion = 3s;        // a worker that is silent for so long is asked about

/// Before a worker is started again: at once after one failure, later and later after more.
std::chrono::milliseconds delayAfter(int failures) {
  if (failures <= 1) return 0ms;
  return std::min<std::chrono::milliseconds>(8s, 250ms * (1 << failures));
}

std::string messageOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

FarmOptions farmOptions(const LauncherConfig& config) {
  return {.workers = config.workers,
          .processes = config.processes,
          .batch = config.batch,
          .attempts = config.attempts,
          .lost_after = config.lost_after,
          .start_within = config.start_within};
}

Farm::Farm(std::unique_ptr<Launcher> launcher, FarmOptions options)
    : launcher_(std::move(launcher)),
      options_(std::move(options)),
      slots_(static_cast<size_t>(std::max(1, options_.workers))) {
  for (size_t i = 0; i < slots_.size(); ++i) slots_[i].worker.slot = static_cast<int>(i);
  heartbeat_ = std::make_unique<Heartbeat>([this] {
    Status status = launcher_->beat();
    const std::lock_guard lock(beating_);
    if (beat_.ok()) beat_ = std::move(status);
  });
}

Farm::~Farm() {
  std::vector<std::string> jobs;
  for (Slot& slot : slots_) {
    if (slot.channel == nullptr) continue;
    (void)slot.channel->send(messageOf({{"end", true}}));
    jobs.push_back(slot.job);
  }
  launcher_->cancel(jobs);
}

Result<std::unique_ptr<Farm>> Farm::start(std::unique_ptr<Launcher> launcher, FarmOptions options,
                                          const Notice& notice) {
  std::unique_ptr<Farm> farm(new Farm(std::move(launcher), std::move(options)));
  VTA_RETURN_IF_ERROR(
      farm->submitAll().withContext(fmt::format("launcher {}", farm->launcher_->name())));
  farm->waitForFirst(notice);
  VTA_RETURN_IF_ERROR(farm->health_);
  if (!farm->greeting_) {
    return Status(StatusCode::kDeadlineExceeded, "stopped before a worker had started");
  }
  return farm;
}

Status Farm::submitAll() {
  std::vector<WorkerId> workers;
  for (const Slot& slot : slots_) workers.push_back(slot.worker);
  VTA_ASSIGN_OR_RETURN(const std::vector<std::string> jobs, launcher_->submit(workers));
  for (size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    slot.job = jobs[i];
    slot.submitted = Clock::now();
    VTA_ASSIGN_OR_RETURN(slot.channel, launcher_->connect(slot.worker));
    // One that is gone already is lost like any other.
    const Status sent = slot.channel->send(messageOf({{"setup", options_.setup}}));
    if (!sent.ok()) lose(slot, sent.message());
  }
  return {};
}

void Farm::waitForFirst(const Notice& notice) {
  Pause pause;
  while (!greeting_ && health_.ok() && !isStopped()) {
    look();
    if (notice) notice(waitingText());
    pause.wait();
  }
}

bool Farm::isWorking() const {
  return std::ranges::any_of(slots_, [](const Slot& slot) { return !slot.items.empty(); });
}

std::vector<ItemResult> Farm::run(const Json& context, const std::vector<Json>& items) {
  Run run = {context, items, ItemQueue(items.size(), options_.attempts)};
  run_ = &run;
  // Many workers are looked at less often.
  Pause pause(std::max<std::chrono::microseconds>(20ms, 200us * std::ssize(slots_)));
  std::optional<Clock::time_point> stopped;
  while (!run.queue.isFinished() && health_.ok()) {
    if (isStopped() && !stopped) stopped = Clock::now();
    if (stopped && (!isWorking() || Clock::now() - *stopped > kStopPatience)) break;
    if (!stopped) giveOut();
    if (look()) {
      pause.reset();
    } else {
      pause.wait();
    }
  }
  run_ = nullptr;
  // Nobody waits for the items of a run that was given up; their results will not be taken.
  for (Slot& slot : slots_) slot.items.clear();
  return run.queue.takeResults();
}

/// Everything that is to be noticed now; true: something has come.
bool Farm::look() {
  bool has_heard = false;
  for (Slot& slot : slots_) has_heard |= hear(slot);
  const Clock::time_point now = Clock::now();
  if (now >= next_beats_) {
    next_beats_ = now + 500ms;
    for (Slot& slot : slots_) judge(slot);
    askSystem();
    for (Slot& slot : slots_) resubmit(slot);
    failIfNobodyIsLeft();
    checkStart();
  }
  return has_heard;
}

// So many that every worker gets two batches, the last of which end at about the same time.
size_t Farm::batchSize() const {
  if (options_.batch > 0) return static_cast<size_t>(options_.batch);
  const auto processes = static_cast<size_t>(options_.processes);
  const size_t share = run_->items.size() / (2 * slots_.size());
  return std::max<size_t>(1, share / processes) * processes;
}

void Farm::giveOut() {
  const size_t most = batchSize();
  for (Slot& slot : slots_) {
    if (!run_->queue.hasWaiting()) return;
    if (slot.channel == nullptr || !slot.is_ready || !slot.items.empty()) continue;
    give(slot, run_->queue.take(most));
  }
}

void Farm::give(Slot& slot, std::vector<size_t> items) {
  Json batch = {{"batch", ++batches_}, {"context", run_->context}, {"items", Json::array()}};
  for (const size_t item : items) batch["items"].push_back(run_->items[item]);
  slot.items = std::move(items);
  slot.batch = batches_;
  const Status sent = slot.channel->send(messageOf(batch));
  if (!sent.ok()) lose(slot, sent.message());
}

bool Farm::hear(Slot& slot) {
  bool has_heard = false;
  while (slot.channel != nullptr) {
    const Result<std::optional<std::string>> text = slot.channel->receive();
    if (!text.ok()) {
      lose(slot, text.status().message());
      return true;
    }
    if (!*text) return has_heard;
    has_heard = true;
    slot.heard = Clock::now();
    const Json message = Json::parse(**text, nullptr, /*allow_exceptions=*/false);
    if (message.is_object()) {
      take(slot, message);
    } else {
      lose(slot, fmt::format("it printed \"{}\", which is no message of a worker",
                             (*text)->substr(0, 80)));
    }
  }
  return has_heard;
}

void Farm::take(Slot& slot, const Json& message) {
  if (message.contains("refused")) {
    // The reason holds for its next start as well.
    slot.failures = std::max(slot.failures, slot.is_ready ? slot.failures : kMostFailedStarts - 1);
    const Json& why = message["refused"];
    return lose(slot, why.is_string() ? why.get<std::string>() : why.dump());
  }
  if (message.contains("ready")) return takeReady(slot, message["ready"]);
  if (!message.contains("batch") || !message.contains("results")) return;
  // Of an earlier run that was stopped.
  if (run_ == nullptr || slot.items.empty() || message["batch"] != slot.batch) return;
  takeResults(slot, message["results"]);
}

void Farm::takeReady(Slot& slot, const Json& greeting) {
  if (!greeting_) greeting_ = greeting;
  if (greeting == *greeting_) {
    slot.is_ready = true;
    return;
  }
  slot.failures = kMostFailedStarts - 1;
  lose(slot, fmt::format("it is {}, the others are {}: their results would not mix",
                         greeting.dump(), greeting_->dump()));
}

void Farm::takeResults(Slot& slot, const Json& results) {
  if (!results.is_array() || results.size() != slot.items.size()) {
    return lose(slot, "its results do not fit its items");
  }
  for (size_t i = 0; i < slot.items.size(); ++i) run_->queue.finish(slot.items[i], results[i]);
  slot.items.clear();
  slot.failures = 0;
}

/// Whether the worker still lives, as far as its beats say.
void Farm::judge(Slot& slot) {
  if (slot.channel == nullptr) return;
  const uint64_t beats = slot.channel->otherBeats();
  if (beats != slot.beats) {
    slot.beats = beats;
    slot.heard = Clock::now();
  }
  if (slot.heard == Clock::time_point()) return;  // it has not started
  const auto silence = Clock::now() - slot.heard;
  if (silence <= options_.lost_after) return;
  lose(slot, fmt::format("it gave no sign of life for {} s",
                         std::chrono::duration_cast<std::chrono::seconds>(silence).count()));
}

/// Asks about workers that have not started or are silent. Rarely, since the system has other
/// users.
void Farm::askSystem() {
  const Clock::time_point now = Clock::now();
  if (now < next_question_) return;
  std::vector<Slot*> asked;
  auto waited = Clock::duration::max();
  for (Slot& slot : slots_) {
    if (slot.channel == nullptr) continue;
    const bool has_started = slot.heard != Clock::time_point();
    if (has_started && slot.is_ready && now - slot.heard < kSuspicion) continue;
    asked.push_back(&slot);
    waited = std::min(waited, now - std::max(slot.submitted, slot.heard));
  }
  if (asked.empty()) {
    system_answered_ = now;
    return;
  }
  next_question_ = now + std::clamp<Clock::duration>(waited / 10, 500ms, 10s);
  std::vector<std::string> jobs;
  for (const Slot* slot : asked) jobs.push_back(slot->job);
  const Result<std::vector<JobStatus>> statuses = launcher_->status(jobs);
  if (!statuses.ok()) {
    system_trouble_ = statuses.status().message();
    return;
  }
  system_answered_ = Clock::now();
  system_trouble_.clear();
  for (size_t i = 0; i < asked.size(); ++i) {
    asked[i]->trouble = fmt::format("job {} is {}", asked[i]->job, (*statuses)[i].detail);
    if ((*statuses)[i].state != JobState::kEnded) continue;
    // What it sent before its end counts.
    hear(*asked[i]);
    if (asked[i]->channel != nullptr && asked[i]->job == jobs[i]) {
      lose(*asked[i], fmt::format("its job {} has ended: {}", jobs[i], (*statuses)[i].detail));
    }
  }
}

void Farm::lose(Slot& slot, const std::string& why) {
  const std::string log = launcher_->log(slot.worker);
  slot.trouble = log.empty() ? why : fmt::format("{}; it printed: {}", why, log);
  const std::string jobs[] = {slot.job};
  launcher_->cancel(jobs);
  launcher_->forget(slot.worker);
  slot.channel.reset();
  const int most = slot.is_ready ? kMostFailures : kMostFailedStarts;
  slot.is_given_up = ++slot.failures >= most;
  slot.next = Clock::now() + delayAfter(slot.failures);
  slot.is_ready = false;
  if (slot.items.empty()) return;
  run_->queue.giveBack(slot.items);
  slot.items.clear();
}

void Farm::resubmit(Slot& slot) {
  if (slot.channel != nullptr || slot.is_given_up || Clock::now() < slot.next || isStopped())
    return;
  ++slot.worker.attempt;
  slot.submitted = Clock::now();
  slot.heard = {};
  slot.beats = 0;
  const WorkerId workers[] = {slot.worker};
  const Result<std::vector<std::string>> jobs = launcher_->submit(workers);
  Status status = jobs.status();
  if (jobs.ok()) {
    slot.job = jobs->front();
    auto channel = launcher_->connect(slot.worker);
    status = channel.status();
    if (channel.ok()) {
      slot.channel = *std::move(channel);
      status = slot.channel->send(messageOf({{"setup", options_.setup}}));
    }
  }
  if (status.ok()) return;
  slot.channel.reset();
  slot.trouble = status.message();
  slot.is_given_up = ++slot.failures >= kMostFailures;
  slot.next = Clock::now() + delayAfter(slot.failures);
}

void Farm::failIfNobodyIsLeft() {
  if (!health_.ok()) return;
  {
    const std::lock_guard lock(beating_);
    health_ = beat_.withContext(fmt::format("launcher {}", launcher_->name()));
  }
  if (!health_.ok()) return;
  const auto found = std::ranges::find_if(slots_, [](const Slot& s) { return !s.is_given_up; });
  if (found != slots_.end()) return;
  health_ =
      internalError(fmt::format("launcher {}: no worker is left; worker {}: {}", launcher_->name(),
                                slots_.front().worker.slot, slots_.front().trouble));
}

/// What cannot go on for ever without any worker: a system that is gone, and a long queue.
void Farm::checkStart() {
  const auto has_any = std::ranges::any_of(
      slots_, [](const Slot& slot) { return slot.is_ready && slot.channel != nullptr; });
  const Clock::time_point now = Clock::now();
  if (has_any || !health_.ok()) return;
  if (!system_trouble_.empty() && now - system_answered_ > kSystemPatience) {
    health_ =
        ioError(fmt::format("launcher {}: no worker answers, and the system cannot be asked: {}",
                            launcher_->name(), system_trouble_));
  } else if (!greeting_ && now - started_ > options_.start_within) {
    health_ = Status(
        StatusCode::kDeadlineExceeded,
        fmt::format("launcher {}: no worker has started within {} s: {}", launcher_->name(),
                    std::chrono::duration_cast<std::chrono::seconds>(options_.start_within).count(),
                    waitingText()));
  }
}

std::string Farm::waitingText() const {
  for (const Slot& slot : slots_) {
    if (!slot.is_ready && !slot.trouble.empty()) return slot.trouble;
  }
  return fmt::format("waiting for a worker of {}", launcher_->name());
}

}  // namespace vta::launcher
