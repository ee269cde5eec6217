#include <fmt/format.h>
#include <signal.h>

#include <map>
#include <optional>

#include "base/files.h"
#include "base/process/child.h"
#include "base/process/run_command.h"
#include "base/temporary_folder.h"
#include "explore/workers/channel/pipe_channel.h"
#include "explore/workers/systems/systems.h"

namespace vta::launcher {
namespace {

class SshLauncher final : public Launcher {
 public:
  SshLauncher(SshConfig config, std::vector<std::string> worker, TemporaryFolder logs)
      : config_(std::move(config)), worker_(std::move(worker)), logs_(std::move(logs)) {
    worker_.emplace_back("-");
  }

  std::string_view name() const override { return "ssh"; }

  Result<std::vector<std::string>> submit(std::span<const WorkerId> workers) override {
    std::vector<std::string> jobs;
    for (const WorkerId& worker : workers) {
      const std::string host = hostOf(worker);
      const std::string line =
          config_.command.fill({{"host", host}, {"command", shellLine(worker_)}});
      const std::vector<std::string> argv = {"/bin/sh", "-c", line};
      VTA_ASSIGN_OR_RETURN(Child child,
                           Child::start(argv, {.has_input = true, .error_file = logFile(worker)}));
      const std::string job = fmt::format("{} ({})", host, child.pid());
      children_.insert_or_assign(worker.slot, Started{worker, job, std::move(child)});
      jobs.push_back(job);
    }
    return jobs;
  }

  Result<std::unique_ptr<Channel>> connect(const WorkerId& worker) override {
    const Child& child = children_.at(worker.slot).child;
    return std::unique_ptr<Channel>(std::make_unique<PipeChannel>(child.output(), child.input()));
  }

  Result<std::vector<JobStatus>> status(std::span<const std::string> jobs) override {
    std::vector<JobStatus> statuses;
    for (const std::string& job : jobs) {
      Started* const started = find(job);
      statuses.push_back(started != nullptr ? statusOf(started->child)
                                            : JobStatus{JobState::kEnded, "it is gone"});
    }
    return statuses;
  }

  void cancel(std::span<const std::string> jobs) override {
    for (const std::string& job : jobs) {
      if (Started* const started = find(job)) started->child.kill();
    }
  }

  // Its process was killed, and its pipes close with the next one in its slot.
  void forget(const WorkerId& /*worker*/) override {}

  std::string log(const WorkerId& worker) const override {
    const auto text = readTextFile(logFile(worker));
    return text.ok() ? oneLine(*text) : "";
  }

 private:
  struct Started {
    WorkerId worker;
    std::string job;
    Child child;
  };

  static JobStatus statusOf(Child& child) {
    const std::optional<ChildEnd> end = child.end();
    if (!end) return {JobState::kRunning, ""};
    return {JobState::kEnded, end->text()};
  }

  const std::string& hostOf(const WorkerId& worker) const {
    return config_.hosts[static_cast<size_t>(worker.slot) % config_.hosts.size()];
  }

  std::string logFile(const WorkerId& worker) const {
    return logs_.path() / fmt::format("{}.{}", worker.slot, worker.attempt);
  }

  Started* find(const std::string& job) {
    for (auto& [slot, started] : children_) {
      if (started.job == job) return &started;
    }
    return nullptr;
  }

  SshConfig config_;
  std::vector<std::string> worker_;
  TemporaryFolder logs_;
  std::map<int, Started> children_;  // by slot
};

}  // namespace

Result<std::unique_ptr<Launcher>> makeSshLauncher(SshConfig config,
                                                  std::vector<std::string> worker) {
  VTA_ASSIGN_OR_RETURN(TemporaryFolder logs, TemporaryFolder::create("vta-ssh"));
  // A worker that is gone is an error of a write, not the end of this process.
  signal(SIGPIPE, SIG_IGN);
  return std::unique_ptr<Launcher>(
      std::make_unique<SshLauncher>(std::move(config), std::move(worker), std::move(logs)));
}

std::string shellLine(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += shellWord(word);
  }
  return line;
}

}  // namespace vta::launcher
