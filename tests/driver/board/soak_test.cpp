// Boards with random faults: whatever happens, the driver ends, says the truth and leaks nothing.
// VTA_SOAK_RUNS sets how many boards there are; scripts/board/soak has more of them.
#include <gmock/gmock.h>
#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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
constexpr std::chrono::seconds kLongestRun{60};
/// Launches on the model take no time, so this is for cores that are stuck.
constexpr std::chrono::milliseconds kLaunchLimit{500};
constexpr long kPageBytes = 4096;
/// Growth that is no leak: what the allocator keeps.
constexpr long kMostMorePages = 512;

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
  fault.kind = kinds[random.pick(0, static_cast<uint32_t>(kinds.size()) - 1)];
  fault.first_launch = random.pick(1, 3);
  fault.last_launch = fault.first_launch + random.pick(0, 2);
  return fault;
}

/// What became of one self test: "passed", or the first line of what failed, without numbers.
std::string outcomeOf(const BoardProcess& board) {
  const auto device = board.open(kOptions);
  if (!device.ok()) return "not opened";
  const SelfTestReport report = selfTest(**device, kLaunchLimit);
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

/// Faults that leave no trace behind their launches. A memory that never answers needs its
/// bitstream again.
bool isHealed(const sim::BoardFault& fault) {
  return fault.kind != sim::BoardFaultKind::kGone && fault.kind != sim::BoardFaultKind::kDeadBus;
}

/// What this process has.
struct Footprint {
  long pages = residentPages();
  size_t heap_bytes = mallinfo2().uordblks;  // that the program uses
  int files = openFiles();
};

/// Many boards, one after the other.
class Soak {
 public:
  void run(int number);

  std::chrono::milliseconds longest() const { return longest_; }
  void print() const {
    for (const auto& [outcome, count] : outcomes_) {
      std::printf("%6d  %s\n", count, outcome.c_str());
    }
    std::printf("longest run: %ld ms\n", static_cast<long>(longest_.count()));
  }

 private:
  std::map<std::string, int> outcomes_;  // by fault and what it did
  std::chrono::milliseconds longest_{};
};

void Soak::run(int number) {
  SCOPED_TRACE(number);
  sim::Rng random(static_cast<uint64_t>(number) + 1);
  sim::VirtualBoardOptions options;
  options.memory_bytes = 1 << 20;
  options.seed = static_cast<uint64_t>(number) + 1;
  options.faults = {randomFault(random)};
  const std::string fault(sim::boardFaultName(options.faults[0].kind));
  const BoardProcess board(options);
  const auto start = std::chrono::steady_clock::now();
  const bool is_killed = random.oneIn(8);
  if (is_killed) runAndKill(board, random);
  ++outcomes_[fault + (is_killed ? ", a process killed before: " : ": ") + outcomeOf(board)];
  // Faults are over by then.
  if (isHealed(options.faults[0])) {
    std::string last;
    for (int again = 0; again < 3 && last != "passed"; ++again) last = outcomeOf(board);
    EXPECT_EQ(last, "passed") << fault;
  }
  const auto took = std::chrono::steady_clock::now() - start;
  longest_ = std::max(longest_, std::chrono::duration_cast<std::chrono::milliseconds>(took));
}

TEST(SoakTest, EveryRunEndsAndNothingLeaks) {
  const int runs = runsWanted();
  Soak soak;
  for (int run = 0; run < runs / 4; ++run) soak.run(run);
  const Footprint before;
  for (int run = runs / 4; run < runs; ++run) soak.run(run);
  const Footprint after;
  soak.print();
  std::printf("resident memory: %ld KiB after a quarter of the runs, %ld KiB at the end\n",
              before.pages * kPageBytes / 1024, after.pages * kPageBytes / 1024);
  std::printf("heap in use: %zu bytes, %zu bytes\n", before.heap_bytes, after.heap_bytes);
  std::printf("open files: %d, %d\n", before.files, after.files);
  EXPECT_LT(soak.longest(), kLongestRun);
  EXPECT_EQ(after.files, before.files);
  EXPECT_LT(after.pages, before.pages + kMostMorePages);
}

}  // namespace
}  // namespace vta::driver
