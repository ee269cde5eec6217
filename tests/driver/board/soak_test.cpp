// Boards with random faults: whatever happens, the driver ends, says the truth and leaks nothing.
// VTA_SOAK_RUNS sets how many boards there are; scripts/board-soak has more of them.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "driver/self_test.h"
#include "sim/random/rng.h"
#include "tests/driver/board/board_process.h"

namespace vta::driver {
namespace {

using test::BoardProcess;

constexpr const char* kOptions = ",busy-wait=50";
/// Nothing of a run waits longer than the self test's launches may take.
constexpr std::chrono::seconds kLongestRun{60};

int runsWanted() {
  const char* const text = std::getenv("VTA_SOAK_RUNS");
  return text == nullptr ? 40 : std::atoi(text);
}

int openFiles() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    count += entry.path().empty() ? 0 : 1;
  }
  return count;
}

long residentPages() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  file >> total >> resident;
  return resident;
}

sim::BoardFault randomFault(sim::Rng& random) {
  const auto kinds = sim::boardFaultKinds();
  sim::BoardFault fault;
  // A core that is stuck takes the whole time-out; its own test has it.
  do {
    fault.kind = kinds[random.pick(0, static_cast<uint32_t>(kinds.size()) - 1)];
  } while (fault.kind == sim::BoardFaultKind::kStuck);
  fault.first_launch = random.pick(1, 3);
  fault.last_launch = fault.first_launch + random.pick(0, 2);
  return fault;
}

/// What became of one self test: "passed", or the first line of what failed, without numbers.
std::string outcomeOf(const BoardProcess& board) {
  const auto device = board.open(kOptions);
  if (!device.ok()) return "not opened";
  const SelfTestReport report = selfTest(**device);
  if (report.passed()) return "passed";
  for (const SelfTestStep& step : report.steps) {
    if (step.outcome == SelfTestStep::Outcome::kFailed) return step.name + " failed";
  }
  return "?";
}

/// A process that is killed at a random moment.
void runAndKill(const BoardProcess& board, sim::Rng& random) {
  const pid_t process = fork();
  if (process == 0) {
    for (;;) outcomeOf(board);
  }
  usleep(random.pick(0, 30'000));
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

/// Faults that leave no trace behind their launches.
bool isHealed(const sim::BoardFault& fault) { return fault.kind != sim::BoardFaultKind::kGone; }

TEST(SoakTest, EveryRunEndsAndNothingLeaks) {
  std::map<std::string, int> outcomes;
  long pages = 0;
  int files = 0;
  const int runs = runsWanted();
  for (int run = 0; run < runs; ++run) {
    SCOPED_TRACE(run);
    sim::Rng random(static_cast<uint64_t>(run) + 1);
    sim::VirtualBoardOptions options;
    options.memory_bytes = 1 << 20;
    options.seed = static_cast<uint64_t>(run) + 1;
    options.faults = {randomFault(random)};
    const BoardProcess board(options);
    const auto start = std::chrono::steady_clock::now();
    if (random.oneIn(8)) runAndKill(board, random);
    ++outcomes[outcomeOf(board)];
    // Faults are over by then.
    if (isHealed(options.faults[0])) {
      std::string last;
      for (int again = 0; again < 3 && last != "passed"; ++again) last = outcomeOf(board);
      EXPECT_EQ(last, "passed") << sim::boardFaultName(options.faults[0].kind);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, kLongestRun);
    if (run == runs / 4) {
      pages = residentPages();
      files = openFiles();
    }
  }
  EXPECT_EQ(openFiles(), files);
  EXPECT_LT(residentPages(), pages + 512) << "pages of 4 KiB";
  for (const auto& [outcome, count] : outcomes) {
    std::printf("%6d  %s\n", count, outcome.c_str());
  }
}

}  // namespace
}  // namespace vta::driver
