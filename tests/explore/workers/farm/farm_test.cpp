#include "explore/workers/farm/farm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "base/temporary_folder.h"

namespace vta::launcher {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using State = ItemResult::State;

// Workers in the background, whose jobs are their numbers.
constexpr const char* kCommands = R"(
command:
  submit: 'sh -c "exec "{command} > {log} 2>&1 & echo $!'
  status: "if kill -0 {job} 2> /dev/null && ! grep -q '^State:.Z' /proc/{job}/status; then echo running; fi"
  cancel: "kill -9 {job}"
  running: [running]
)";
constexpr const char* kSsh = R"(
ssh:
  hosts: [first, second]
  command: "HOST={host} exec sh -c {command}"
)";

class Farms : public ::testing::TestWithParam<LauncherKind> {
 protected:
  std::filesystem::path path(const char* name) const { return folder_.path() / name; }

  LauncherConfig config(std::string text = "") const {
    if (GetParam() == LauncherKind::kCommand)
      text += "spool: " + folder_.path().string() + "\n" + kCommands;
    if (GetParam() == LauncherKind::kSsh) text += kSsh;
    auto config = parseLauncherConfig(text, "test.yaml", GetParam());
    EXPECT_TRUE(config.ok()) << config.status().message();
    return *config;
  }

  Result<std::unique_ptr<Farm>> start(const LauncherConfig& config, Json setup = Json::object(),
                                      const std::atomic<bool>* stop = nullptr) const {
    VTA_ASSIGN_OR_RETURN(auto launcher, makeLauncher(config, {*ownProgram(), "--worker"}));
    FarmOptions options = farmOptions(config);
    options.setup = std::move(setup);
    options.stop = stop;
    return Farm::start(std::move(launcher), std::move(options));
  }

  static std::vector<Json> numbers(int count) {
    std::vector<Json> items;
    for (int i = 0; i < count; ++i) items.push_back({{"value", i}});
    return items;
  }

  static size_t sizeOf(const std::filesystem::path& file) {
    return std::filesystem::exists(file) ? std::filesystem::file_size(file) : 0;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("vta-farm-test");
  Json plus_ = {{"plus", 100}};
};

TEST_P(Farms, ResultsHaveTheOrderOfTheItems) {
  auto farm = start(config("workers: 3\n"), {{"factor", 3}});
  ASSERT_TRUE(farm.ok()) << farm.status().message();
  EXPECT_EQ((*farm)->greeting()["kind"], "doubler");
  for (int round = 0; round < 3; ++round) {
    const auto results = (*farm)->run({{"plus", round}}, numbers(50));
    ASSERT_EQ(results.size(), 50u);
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(results[i].state, State::kDone);
      EXPECT_EQ(results[i].result["value"], 3 * i + round);
      EXPECT_EQ(results[i].attempts, 1);
    }
  }
  EXPECT_TRUE((*farm)->run(plus_, {}).empty());
}

TEST_P(Farms, BatchesHaveTheSizeOfTheFile) {
  auto farm = start(config("workers: 1\nbatch: 4\n"));
  ASSERT_TRUE(farm.ok()) << farm.status().message();
  const auto results = (*farm)->run(plus_, numbers(9));
  EXPECT_EQ(results[0].result["items"], 4);
  EXPECT_EQ(results[7].result["items"], 4);
  EXPECT_EQ(results[8].result["items"], 1);
}

// Each worker is killed in the middle of a batch, and what it had is done by others, once.
TEST_P(Farms, AKilledWorkerLosesNothing) {
  auto farm = start(config("workers: 2\nbatch: 5\n"));
  ASSERT_TRUE(farm.ok()) << farm.status().message();
  std::vector<Json> items = numbers(20);
  items[2]["die_once"] = path("first").string();
  items[13]["die_once"] = path("second").string();
  const auto results = (*farm)->run(plus_, items);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(results[i].state, State::kDone) << i;
    EXPECT_EQ(results[i].result["value"], 2 * i + 100);
  }
  EXPECT_EQ(results[2].attempts, 2);
  EXPECT_EQ(results[2].result["items"], 1);
  // The worker is replaced, and the farm goes on.
  for (const auto& result : (*farm)->run(plus_, numbers(8))) EXPECT_EQ(result.state, State::kDone);
}

TEST_P(Farms, AnItemThatKillsItsWorkersTakesNoOthersWithIt) {
  auto farm = start(config("workers: 2\nbatch: 8\nattempts: 2\n"));
  ASSERT_TRUE(farm.ok()) << farm.status().message();
  std::vector<Json> items = numbers(8);
  items[3]["die"] = true;
  const auto results = (*farm)->run(plus_, items);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(results[i].state, i == 3 ? State::kLost : State::kDone) << i;
  }
  EXPECT_EQ(results[3].attempts, 2);
}

// A machine that hangs looks like this: its worker says nothing, and does not end.
TEST_P(Farms, ASilentWorkerIsReplaced) {
  auto farm = start(config("workers: 1\nattempts: 1\nlost_after_seconds: 5\n"));
  ASSERT_TRUE(farm.ok()) << farm.status().message();
  const auto results = (*farm)->run(plus_, {{{"value", 1}, {"freeze", true}}});
  EXPECT_EQ(results[0].state, State::kLost);
  EXPECT_EQ((*farm)->run(plus_, numbers(1))[0].state, State::kDone);
}

TEST_P(Farms, WorkersThatRefuseAreNotStartedForEver) {
  const auto farm = start(config("workers: 2\n"), {{"refuse", "no such device here"}});
  EXPECT_THAT(farm.status().message(), HasSubstr("no worker is left"));
  EXPECT_THAT(farm.status().message(), HasSubstr("no such device here"));
}

TEST_P(Farms, WorkersThatEndAtOnceAreNotStartedForEver) {
  const auto farm = start(config("workers: 1\n"), {{"exit", 3}});
  EXPECT_THAT(farm.status().message(), HasSubstr("no worker is left"));
}

TEST_P(Farms, AProgramThatIsNotThereIsAnError) {
  auto launcher = makeLauncher(config(), {path("no-program").string()});
  ASSERT_TRUE(launcher.ok());
  const auto farm = Farm::start(*std::move(launcher), {.workers = 1});
  EXPECT_THAT(farm.status().message(), HasSubstr("no-program"));
}

TEST_P(Farms, AStopKeepsWhatIsFinished) {
  std::atomic<bool> stop = false;
  auto farm = start(config("workers: 1\nbatch: 1\n"), Json::object(), &stop);
  ASSERT_TRUE(farm.ok()) << farm.status().message();
  std::vector<Json> items = numbers(100);
  for (size_t i = 0; i < items.size(); ++i) {
    items[i]["sleep_ms"] = 50;
    items[i]["note"] = path("done").string();
  }
  std::thread stopper([&] {
    while (sizeOf(path("done")) < 3) std::this_thread::sleep_for(5ms);
    stop = true;
  });
  const auto results = (*farm)->run(plus_, items);
  stopper.join();
  EXPECT_EQ(results[0].state, State::kDone);
  EXPECT_EQ(results[99].state, State::kNotDone);
  // What a worker was told to do by then was waited for.
  const auto done = std::ranges::count(results, State::kDone, &ItemResult::state);
  EXPECT_EQ(static_cast<size_t>(done), sizeOf(path("done")));
}

INSTANTIATE_TEST_SUITE_P(Launchers, Farms,
                         ::testing::Values(LauncherKind::kSsh, LauncherKind::kCommand),
                         [](const auto& info) { return std::string(launcherName(info.param)); });

class CommandFarm : public Farms {};

TEST_P(CommandFarm, EndsItsWorkersAndRemovesItsSpool) {
  {
    auto farm = start(config("workers: 2\n"));
    ASSERT_TRUE(farm.ok()) << farm.status().message();
    EXPECT_FALSE(std::filesystem::is_empty(folder_.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_P(CommandFarm, ASpoolThatVanishesEndsTheFarm) {
  auto farm = start(config("workers: 1\n"));
  ASSERT_TRUE(farm.ok()) << farm.status().message();
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    std::filesystem::remove_all(entry.path());
  }
  const auto results = (*farm)->run(plus_, numbers(2));
  EXPECT_EQ(results[1].state, State::kNotDone);
  EXPECT_THAT((*farm)->health().message(), HasSubstr("spool"));
}

TEST_P(CommandFarm, SubmitCommandsThatFailOrPrintNonsense) {
  LauncherConfig with = config();
  const auto submitWith = [&](const char* line) {
    constexpr std::string_view kLegal[] = {"command", "name", "log"};
    with.command.submit = *CommandTemplate::parse(line, kLegal, {});
    return start(with).status().message();
  };
  EXPECT_THAT(submitWith("echo the queue is closed >&2; exit 4"),
              HasSubstr("exit code 4: the queue is closed"));
  EXPECT_THAT(submitWith("echo Submitted your job, have a nice day"), HasSubstr("have a nice day"));
  EXPECT_THAT(submitWith("true"), HasSubstr("printed \"\""));
  EXPECT_THAT(submitWith("kill -9 $$"), HasSubstr("signal 9"));
}

TEST_P(CommandFarm, AJobThatNeverStarts) {
  LauncherConfig with = config("start_within_seconds: 1\n");
  constexpr std::string_view kAll[] = {"command", "name", "log", "job"};
  with.command.submit = *CommandTemplate::parse("echo 1234", kAll, {});
  with.command.status = *CommandTemplate::parse("echo QUEUED behind others", kAll, {});
  with.command.cancel =
      *CommandTemplate::parse("echo {job} >> " + path("cancelled").string(), kAll, {});
  with.command.pending = {"QUEUED"};
  const auto farm = start(with);
  EXPECT_EQ(farm.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(farm.status().message(), HasSubstr("QUEUED behind others"));
  EXPECT_GT(sizeOf(path("cancelled")), 0u);  // nothing waits in the queue for nobody
}

TEST_P(CommandFarm, ASpoolThatCannotBeWritten) {
  LauncherConfig with = config();
  with.spool = path("absent");
  EXPECT_THAT(start(with).status().message(), HasSubstr("absent"));
  std::ofstream(path("file")) << "x";
  with.spool = path("file");
  EXPECT_THAT(start(with).status().message(), HasSubstr("existing folder"));
}

INSTANTIATE_TEST_SUITE_P(Launchers, CommandFarm, ::testing::Values(LauncherKind::kCommand),
                         [](const auto& info) { return std::string(launcherName(info.param)); });

}  // namespace
}  // namespace vta::launcher
