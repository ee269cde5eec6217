#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "base/process/run_command.h"
#include "explore/workers/systems/systems.h"

namespace vta::launcher {
namespace {

constexpr const char* kFields = "--format=%i|%T|%r";  // job, state, reason

/// "12_3" is task 3 of array 12.
std::string arrayOf(const std::string& job) { return job.substr(0, job.find('_')); }

JobState stateOf(std::string_view name) {
  if (name == "RUNNING" || name == "SUSPENDED" || name == "STOPPED") return JobState::kRunning;
  for (const char* waiting : {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "RESV_DEL_HOLD",
                              "SPECIAL_EXIT", "RESIZING", "SIGNALING"}) {
    if (name == waiting) return JobState::kPending;
  }
  return JobState::kEnded;
}

/// The value of "Key=value" in a line of scontrol.
std::string fieldOf(const std::string& line, const std::string& key) {
  const std::regex field("(^| )" + key + R"(=(\S*))");
  std::smatch found;
  return std::regex_search(line, found, field) ? found[2].str() : "";
}

class SlurmLauncher final : public Launcher {
 public:
  SlurmLauncher(SlurmConfig config, int processes, std::vector<std::string> worker, Spool spool)
      : config_(std::move(config)),
        processes_(processes),
        worker_(std::move(worker)),
        spool_(std::move(spool)) {}

  std::string_view name() const override { return "slurm"; }

  Status prepare() {
    // Slurm gives the task's number; the attempt's is an argument.
    const std::string script = fmt::format("#!/bin/sh\nexec {} {}/\"$SLURM_ARRAY_TASK_ID.$1\"\n",
                                           shellLine(worker_), shellWord(spool_.path().string()));
    VTA_RETURN_IF_ERROR(writeAtOnce(scriptFile(), script));
    chmod(scriptFile().c_str(), 0700);
    return {};
  }

  // Workers of the same attempt are one array.
  Result<std::vector<std::string>> submit(std::span<const WorkerId> workers) override {
    std::map<int, std::vector<int>> slots;  // by attempt
    for (const WorkerId& worker : workers) {
      VTA_RETURN_IF_ERROR(spool_.add(worker));
      slots[worker.attempt].push_back(worker.slot);
    }
    std::map<int, std::string> arrays;
    for (const auto& [attempt, of_attempt] : slots) {
      VTA_ASSIGN_OR_RETURN(arrays[attempt], submitArray(attempt, of_attempt));
    }
    std::vector<std::string> jobs;
    for (const WorkerId& worker : workers) {
      jobs.push_back(fmt::format("{}_{}", arrays[worker.attempt], worker.slot));
    }
    return jobs;
  }

  Result<std::unique_ptr<Channel>> connect(const WorkerId& worker) override {
    return spool_.connect(worker);
  }

  Result<std::vector<JobStatus>> status(std::span<const std::string> jobs) override {
    VTA_ASSIGN_OR_RETURN(const auto known, queue());
    std::vector<JobStatus> statuses;
    for (const std::string& job : jobs) {
      const auto found = known.find(job);
      if (found != known.end() && found->second.state != JobState::kEnded) {
        statuses.push_back(found->second);
      } else {
        statuses.push_back({JobState::kEnded, endOf(job)});
      }
    }
    return statuses;
  }

  void cancel(std::span<const std::string> jobs) override {
    if (jobs.empty()) return;
    std::vector<std::string> argv = {"scancel", "--quiet"};
    argv.insert(argv.end(), jobs.begin(), jobs.end());
    (void)runCommand(argv);  // it may have ended, or Slurm cannot be reached
  }

  void forget(const WorkerId& worker) override { spool_.remove(worker); }
  std::string log(const WorkerId& worker) const override { return spool_.log(worker); }
  Status beat() override { return spool_.beat(); }

 private:
  std::filesystem::path scriptFile() const { return spool_.path() / "worker.sh"; }

  // Slurm's own requeue holds a job for two minutes; a new job starts in seconds.
  std::vector<std::string> optionsOf(int attempt, const std::vector<int>& slots) const {
    std::vector<std::string> options = {
        "sbatch",
        "--parsable",
        "--no-requeue",
        "--job-name=vta-worker",
        "--ntasks=1",
        fmt::format("--cpus-per-task={}", processes_),
        fmt::format("--array={}", fmt::join(slots, ",")),
        fmt::format("--output={}/%a.{}/log", spool_.path().string(), attempt)};
    const auto add = [&options](const char* option, const std::string& value) {
      if (!value.empty()) options.push_back(fmt::format("{}={}", option, value));
    };
    add("--partition", config_.partition);
    add("--time", config_.time_limit);
    add("--licenses", config_.licenses);
    if (config_.memory_mb > 0) add("--mem", fmt::format("{}M", config_.memory_mb));
    options.insert(options.end(), config_.options.begin(), config_.options.end());
    return options;
  }

  Result<std::string> submitArray(int attempt, const std::vector<int>& slots) {
    std::vector<std::string> argv = optionsOf(attempt, slots);
    // Of the list, a worker gets one node: --nodelist would ask for all of them.
    if (!config_.nodes.empty()) VTA_RETURN_IF_ERROR(excludeOthers(argv));
    argv.push_back(scriptFile().string());
    argv.push_back(std::to_string(attempt));
    VTA_ASSIGN_OR_RETURN(const CommandResult result, runCommand(argv));
    if (!result.end.ok()) return ioError(describeFailure("sbatch", result));
    // "12", or "12;cluster".
    const std::string said = oneLine(result.output);
    const std::string job = said.substr(0, said.find(';'));
    static const std::regex kJob(R"(\d{1,18})");
    if (!std::regex_match(job, kJob)) {
      return ioError(
          fmt::format("sbatch --parsable printed \"{}\" in place of a job's number", said));
    }
    arrays_.insert(job);
    return job;
  }

  Status excludeOthers(std::vector<std::string>& argv) const {
    const std::vector<std::string> ask = {"scontrol", "show", "nodes", "--oneliner"};
    VTA_ASSIGN_OR_RETURN(const CommandResult result, runCommand(ask));
    if (!result.end.ok()) return ioError(describeFailure("scontrol", result));
    std::set<std::string> others;
    static const std::regex kNode(R"(NodeName=(\S+))");
    for (std::sregex_iterator i(result.output.begin(), result.output.end(), kNode), end; i != end;
         ++i) {
      others.insert((*i)[1].str());
    }
    for (const std::string& node : config_.nodes) {
      if (others.erase(node) > 0) continue;
      return notFound(fmt::format("Slurm has no node '{}'", node));
    }
    if (!others.empty()) argv.push_back(fmt::format("--exclude={}", fmt::join(others, ",")));
    return {};
  }

  /// All tasks of our arrays that Slurm knows.
  Result<std::map<std::string, JobStatus>> queue() const {
    // Without --jobs: squeue fails when one of them is forgotten already.
    const std::vector<std::string> argv = {"squeue", "--noheader", "--array", "--me", kFields};
    VTA_ASSIGN_OR_RETURN(const CommandResult result, runCommand(argv));
    if (!result.end.ok()) return ioError(describeFailure("squeue", result));
    std::map<std::string, JobStatus> known;
    static const std::regex kLine(R"(\s*(\d+_\d+)\|([A-Z_]+)\|(.*))");
    std::string::size_type begin = 0;
    while (begin < result.output.size()) {
      const auto end = std::min(result.output.find('\n', begin), result.output.size());
      const std::string line = result.output.substr(begin, end - begin);
      begin = end + 1;
      std::smatch fields;
      if (!std::regex_match(line, fields, kLine) || !arrays_.contains(arrayOf(fields[1]))) continue;
      known[fields[1]] = {stateOf(fields[2].str()),
                          fmt::format("{} ({})", fields[2].str(), fields[3].str())};
    }
    return known;
  }

  std::string endOf(const std::string& job) const {
    const std::vector<std::string> argv = {"scontrol", "show", "job", "--oneliner", job};
    const auto result = runCommand(argv);
    if (!result.ok() || !result->end.ok()) return "Slurm does not know it any more";
    return fmt::format("{}, exit code {}, reason {}, node {}", fieldOf(result->output, "JobState"),
                       fieldOf(result->output, "ExitCode"), fieldOf(result->output, "Reason"),
                       fieldOf(result->output, "NodeList"));
  }

  SlurmConfig config_;
  int processes_;
  std::vector<std::string> worker_;
  Spool spool_;
  std::set<std::string> arrays_;
};

}  // namespace

Result<std::unique_ptr<Launcher>> makeSlurmLauncher(SlurmConfig config, int processes,
                                                    std::vector<std::string> worker, Spool spool) {
  auto launcher = std::make_unique<SlurmLauncher>(std::move(config), processes, std::move(worker),
                                                  std::move(spool));
  VTA_RETURN_IF_ERROR(launcher->prepare());
  return std::unique_ptr<Launcher>(std::move(launcher));
}

}  // namespace vta::launcher
