#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "base/process/run_command.h"
#include "explore/workers/systems/systems.h"

namespace vta::launcher {
namespace {

Result<CommandResult> runLine(const std::string& line) {
  const std::vector<std::string> argv = {"/bin/sh", "-c", line};
  return runCommand(argv);
}

class CommandLauncher final : public Launcher {
 public:
  CommandLauncher(CommandConfig config, std::vector<std::string> worker, Spool spool)
      : config_(std::move(config)), worker_(std::move(worker)), spool_(std::move(spool)) {}

  std::string_view name() const override { return "command"; }

  Result<std::vector<std::string>> submit(std::span<const WorkerId> workers) override {
    std::vector<std::string> jobs;
    for (const WorkerId& worker : workers) {
      auto job = submitOne(worker);
      if (!job.ok()) {
        cancel(jobs);
        return job.status();
      }
      jobs.push_back(*std::move(job));
    }
    return jobs;
  }

  Result<std::unique_ptr<Channel>> connect(const WorkerId& worker) override {
    return spool_.connect(worker);
  }

  Result<std::vector<JobStatus>> status(std::span<const std::string> jobs) override {
    std::vector<JobStatus> statuses;
    for (const std::string& job : jobs) {
      VTA_ASSIGN_OR_RETURN(const CommandResult result,
                           runLine(config_.status.fill({{"job", job}})));
      if (!result.end.ok()) return ioError(describeFailure("the status command", result));
      const std::string said = oneLine(result.output);
      const std::string word = said.substr(0, said.find(' '));
      const auto isIn = [&word](const std::vector<std::string>& words) {
        return std::ranges::find(words, word) != words.end();
      };
      JobState state = JobState::kEnded;
      if (isIn(config_.pending)) state = JobState::kPending;
      if (isIn(config_.running)) state = JobState::kRunning;
      statuses.push_back({state, said.empty() ? "the system does not know it any more" : said});
    }
    return statuses;
  }

  void cancel(std::span<const std::string> jobs) override {
    for (const std::string& job : jobs) {
      (void)runLine(config_.cancel.fill({{"job", job}}));  // it may have ended
    }
  }

  void forget(const WorkerId& worker) override { spool_.remove(worker); }
  std::string log(const WorkerId& worker) const override { return spool_.log(worker); }
  Status beat() override { return spool_.beat(); }

 private:
  Result<std::string> submitOne(const WorkerId& worker) {
    VTA_RETURN_IF_ERROR(spool_.add(worker));
    std::vector<std::string> command = worker_;
    command.push_back(spool_.folderOf(worker).string());
    VTA_ASSIGN_OR_RETURN(
        const CommandResult result,
        runLine(config_.submit.fill(
            {{"command", shellLine(command)},
             {"name", fmt::format("vta-{}-{}.{}", getpid(), worker.slot, worker.attempt)},
             {"log", spool_.logOf(worker).string()}})));
    if (!result.end.ok()) return ioError(describeFailure("the submit command", result));
    const std::string job = oneLine(result.output);
    static const std::regex kJob(R"([A-Za-z0-9_.\[\]:@/-]{1,200})");
    if (std::regex_match(job, kJob)) return job;
    return ioError(
        fmt::format("the submit command printed \"{}\"; it has to print the job's "
                    "identifier and nothing else",
                    job));
  }

  CommandConfig config_;
  std::vector<std::string> worker_;
  Spool spool_;
};

}  // namespace

Result<std::unique_ptr<Launcher>> makeCommandLauncher(CommandConfig config,
                                                      std::vector<std::string> worker,
                                                      Spool spool) {
  return std::unique_ptr<Launcher>(
      std::make_unique<CommandLauncher>(std::move(config), std::move(worker), std::move(spool)));
}

}  // namespace vta::launcher
