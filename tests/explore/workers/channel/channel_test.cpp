#include "explore/workers/channel/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "base/temporary_folder.h"
#include "explore/workers/channel/pipe_channel.h"
#include "explore/workers/channel/spool_channel.h"

namespace vta::launcher {
namespace {

using ::testing::HasSubstr;

/// Waits for the next text.
std::string next(Channel& channel) {
  for (;;) {
    const auto text = channel.receive();
    if (!text.ok()) return "error: " + text.status().message();
    if (*text) return **text;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class Pipes {
 public:
  Pipes() {
    EXPECT_EQ(pipe(there_), 0);
    EXPECT_EQ(pipe(back_), 0);
  }
  ~Pipes() {
    for (const int file : {there_[0], there_[1], back_[0], back_[1]}) close(file);
  }
  PipeChannel farm() const { return {back_[0], there_[1]}; }
  PipeChannel worker() const { return {there_[0], back_[1]}; }
  void endWorker() {
    close(back_[1]);
    back_[1] = dup(there_[0]);  // for the destructor
  }

 private:
  int there_[2];
  int back_[2];
};

void exchange(Channel& farm, Channel& worker) {
  EXPECT_FALSE(*farm.receive());
  ASSERT_TRUE(farm.send("one").ok());
  ASSERT_TRUE(farm.send("two \xff").ok());
  EXPECT_EQ(next(worker), "one");
  EXPECT_EQ(next(worker), "two \xff");
  EXPECT_FALSE(*worker.receive());
  // More than a pipe holds.
  const std::string large(1 << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(worker.send(large).ok()); });
  EXPECT_EQ(next(farm), large);
  sender.join();
  const uint64_t before = farm.otherBeats();
  ASSERT_TRUE(worker.beat().ok());
  EXPECT_FALSE(*farm.receive());
  EXPECT_NE(farm.otherBeats(), before);
}

TEST(PipeChannel, BringsTextsAndBeats) {
  Pipes pipes;
  PipeChannel farm = pipes.farm();
  PipeChannel worker = pipes.worker();
  exchange(farm, worker);
}

TEST(PipeChannel, TheEndOfTheOtherSideIsAnErrorAfterItsTexts) {
  Pipes pipes;
  PipeChannel farm = pipes.farm();
  PipeChannel worker = pipes.worker();
  ASSERT_TRUE(worker.send("last").ok());
  pipes.endWorker();
  EXPECT_EQ(next(farm), "last");
  EXPECT_THAT(next(farm), HasSubstr("closed"));
}

class Spools : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(worker_folder_); }
  TemporaryFolder folder_ = *TemporaryFolder::create("vta-spool-test");
  std::filesystem::path worker_folder_ = folder_.path() / "0.1";
};

TEST_F(Spools, BringTextsAndBeats) {
  SpoolChannel farm(worker_folder_, SpoolChannel::Side::kFarm);
  SpoolChannel worker(worker_folder_, SpoolChannel::Side::kWorker);
  exchange(farm, worker);
  ASSERT_TRUE(farm.beat().ok());
  EXPECT_EQ(worker.otherBeats(), 1u);
}

TEST_F(Spools, HalfAFileIsNotSeen) {
  SpoolChannel farm(worker_folder_, SpoolChannel::Side::kFarm);
  ASSERT_TRUE(writeAtOnce(worker_folder_ / "to-farm.1.part", "hal").ok());
  EXPECT_FALSE(*farm.receive());
}

TEST_F(Spools, AFolderThatIsGoneIsAnError) {
  SpoolChannel worker(worker_folder_, SpoolChannel::Side::kWorker);
  std::filesystem::remove_all(worker_folder_);
  EXPECT_THAT(next(worker), HasSubstr("gone"));
  EXPECT_THAT(worker.send("x").message(), HasSubstr("to-farm.1"));
}

// A limit of the process stands for a full disk: writes fail half-way in the same manner.
TEST_F(Spools, AFullDiskIsAnErrorWithoutAFile) {
  SpoolChannel worker(worker_folder_, SpoolChannel::Side::kWorker);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const Status status = worker.send(std::string(100'000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(status.message(), HasSubstr("cannot write"));
  EXPECT_TRUE(std::filesystem::is_empty(worker_folder_));
}

}  // namespace
}  // namespace vta::launcher
