// Tasks of GPUs as texts.
#include "explore/tune/task/gemm_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "explore/tune/database/database.h"
#include "explore/tune/database/tuned_schedules.h"

namespace vta::tune {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const TunedGpu kGpu = {"Some GPU", "vulkan", {.invocations = 256, .shared_bytes = 32768}};
const GemmSpec kSpec = {.batch = 1, .rows = 64, .columns = 196, .depth = 576};

TEST(GemmTasks, TextsComeBack) {
  GemmSpec spec = kSpec;
  spec.element = codegen::GemmElement::kInt8;
  const TaskKey key = gemmKey(spec, "left * right", kGpu);
  EXPECT_TRUE(isGemmWorkload(key.workload));
  EXPECT_EQ(*parseGemmWorkload(key.workload), spec);
  EXPECT_EQ(key.configuration, "Some GPU (vulkan)");
  const auto limits = parseGpuLimits(key.memory);
  ASSERT_TRUE(limits.ok());
  EXPECT_EQ(limits->invocations, 256);
  EXPECT_EQ(limits->shared_bytes, 32768);
  EXPECT_EQ(gpuOfSource(gpuSource(kGpu.text())), kGpu.text());
  for (const char* other : {"cycle simulator", "cpu, ns", ""}) {
    EXPECT_EQ(gpuOfSource(other), std::nullopt);
  }
}

// Databases know GPUs without tensor cores by a text without what only those have.
TEST(GemmTasks, LimitsOfTensorCoresComeBack) {
  TunedGpu gpu = kGpu;
  const auto text = [&] { return gemmKey(kSpec, "k", gpu).memory; };
  EXPECT_EQ(text(), R"({"invocations":256,"shared_bytes":32768,"workgroups":65535,"warp":0})");
  gpu.limits.warp = 32;
  gpu.limits.warps_together = 4;
  const auto limits = parseGpuLimits(text());
  ASSERT_TRUE(limits.ok()) << limits.status().message();
  EXPECT_EQ(limits->warp, 32);
  EXPECT_EQ(limits->warps_together, 4);
}

// A further field is in texts as soon as it is in the table.
TEST(GemmTasks, SchedulesHaveAllFields) {
  GemmSchedule schedule;
  for (const codegen::GemmScheduleField& field : codegen::gemmScheduleFields()) {
    field.set(schedule, field.values.back());
    EXPECT_THAT(gemmScheduleText(schedule), HasSubstr(std::string(field.name)));
  }
  EXPECT_EQ(*parseGemmSchedule(gemmScheduleText(schedule)), schedule);
}

// Databases from before there was a field have texts without it.
TEST(GemmTasks, FieldsThatAreAbsentHaveTheirDefaults) {
  const auto parsed = parseGemmSchedule(R"({"block_rows":64})");
  ASSERT_TRUE(parsed.ok());
  GemmSchedule want;
  want.block_rows = 64;
  EXPECT_EQ(*parsed, want);
}

TEST(GemmTasks, RefuseForeignTexts) {
  for (const char* text :
       {"nonsense", "[1]", R"({"no_such_field":1})", R"({"block_rows":-1})",
        R"({"block_rows":100000})", R"({"tier":4})", R"({"order":2})", R"({"block_rows":"64"})"}) {
    EXPECT_FALSE(parseGemmSchedule(text).ok()) << text;
  }
  EXPECT_FALSE(parseGemmWorkload("nonsense").ok());
  EXPECT_FALSE(parseGemmWorkload("{}").ok());
  std::string workload = gemmWorkload(kSpec, "k");
  workload.replace(workload.find("576"), 3, "0");
  EXPECT_FALSE(parseGemmWorkload(workload).ok());
  std::string elements = gemmWorkload(kSpec, "k");
  elements.replace(elements.find("f32"), 3, "f33");
  EXPECT_FALSE(parseGemmWorkload(elements).ok());
  EXPECT_FALSE(parseGpuLimits("nonsense").ok());
  EXPECT_FALSE(parseGpuLimits(R"({"invocations":-1})").ok());
}

TEST(GemmTasks, EqualLayersAreOneTask) {
  std::vector<GemmTask> tasks;
  int written = 0;
  const auto code = [&] { return "code " + std::to_string(++written); };
  addGemmTask({"a", kSpec, "k", code}, kGpu, tasks);
  addGemmTask({"b", kSpec, "other", code}, kGpu, tasks);
  addGemmTask({"c", kSpec, "k", code}, kGpu, tasks);
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].layers, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(tasks[0].code, "code 1");
  EXPECT_EQ(written, 2);
}

class TunedProducts : public ::testing::Test {
 protected:
  void add(const TunedGpu& gpu, const GemmSchedule& schedule, uint64_t nanoseconds) {
    const StoredTask task = {0, gemmKey(kSpec, "k", gpu), "conv", gpu.text(), "gpu"};
    const TrialRecord trial = {
        .schedule = gemmScheduleText(schedule), .outcome = Outcome::kCycles, .cycles = nanoseconds};
    const Status status = database_.addTrials(task, gpuSource(gpu.text()), {&trial, 1});
    ASSERT_TRUE(status.ok()) << status.message();
  }

  TunedSchedules read(const std::string& gpu) const {
    auto tuned = TunedSchedules::read(database_, {.gpu = gpu});
    EXPECT_TRUE(tuned.ok()) << tuned.status().message();
    return *std::move(tuned);
  }

  Database database_ = *Database::open(":memory:", Database::Access::kWrite);
  const std::string workload_ = gemmWorkload(kSpec, "k");
  const GemmSchedule legal_ = {32, 32, 8, 4, 4};
};

TEST_F(TunedProducts, TheFastestLegalScheduleIsTaken) {
  add(kGpu, legal_, 10);
  add(kGpu, {256, 256, 8, 2, 2}, 5);  // more invocations than a workgroup has
  for (const std::string& gpu : {kGpu.text(), std::string()}) {
    const TunedSchedules tuned = read(gpu);
    EXPECT_EQ(tuned.findGemm(workload_), legal_);
    EXPECT_EQ(tuned.findGemm("another"), std::nullopt);
    ASSERT_TRUE(tuned.gpuLimits());
    EXPECT_EQ(tuned.gpuLimits()->invocations, 256);
    EXPECT_THAT(tuned.remarks(),
                ElementsAre(HasSubstr("1 trials have a schedule that does not fit")));
  }
}

TEST_F(TunedProducts, TrialsFromBeforeTensorCoresWereSearchedAreLeftAside) {
  TunedGpu gpu = kGpu;
  gpu.limits.warp = 32;
  const GemmSchedule slower = {16, 16, 8, 2, 2};
  add(kGpu, legal_, 10);
  add(gpu, slower, 20);
  const TunedSchedules tuned = read(gpu.text());
  EXPECT_EQ(tuned.findGemm(workload_), slower);
  ASSERT_TRUE(tuned.gpuLimits());
  EXPECT_EQ(tuned.gpuLimits()->warp, 32);
  EXPECT_THAT(tuned.remarks(),
              ElementsAre(HasSubstr("1 trials are from before the GPU's tensor cores")));
}

TEST_F(TunedProducts, OtherGpusAreNamed) {
  add(kGpu, legal_, 10);
  const TunedSchedules tuned = read("Another (cuda)");
  EXPECT_EQ(tuned.findGemm(workload_), std::nullopt);
  EXPECT_FALSE(tuned.gpuLimits());
  EXPECT_THAT(tuned.remarks(),
              ElementsAre(AllOf(HasSubstr("no trial for this GPU (Another (cuda))"),
                                HasSubstr("for: Some GPU (vulkan)"))));
}

TEST_F(TunedProducts, SomebodyHasToChooseAmongSeveralGpus) {
  add(kGpu, legal_, 10);
  add({"Another", "cuda", {}}, legal_, 20);
  EXPECT_THAT(read("").remarks(),
              ElementsAre(AllOf(HasSubstr("several GPUs"), HasSubstr("--tuned-on"),
                                HasSubstr("Another (cuda), Some GPU (vulkan)"))));
  EXPECT_THAT(read("Another (cuda)").remarks(), IsEmpty());
}

TEST_F(TunedProducts, WhoHasNoGpuHearsOfNone) {
  add(kGpu, legal_, 10);
  const auto tuned = TunedSchedules::read(database_, {});
  ASSERT_TRUE(tuned.ok());
  EXPECT_EQ(tuned->findGemm(workload_), std::nullopt);
}

TEST_F(TunedProducts, ComeBackFromLinesOfJson) {
  add(kGpu, legal_, 10);
  std::stringstream lines;
  ASSERT_TRUE(database_.exportJsonLines(lines).ok());
  std::string text = lines.str();
  Database again = *Database::open(":memory:", Database::Access::kWrite);
  ASSERT_TRUE(again.importJsonLines(lines).ok());
  EXPECT_EQ(TunedSchedules::read(again, {.gpu = ""})->findGemm(workload_), legal_);
  text.replace(text.find("block_rows"), 10, "block_rose");
  std::istringstream broken(text);
  EXPECT_THAT(again.importJsonLines(broken).message(), HasSubstr("block_rose"));
}

}  // namespace
}  // namespace vta::tune
