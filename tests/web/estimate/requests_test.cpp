#include "web/estimate/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "explore/sweep/network/outline_text.h"
#include "isa/config/hw_config.h"
#include "isa/spec/parameters.h"
#include "tests/explore/sweep/digits_outline.h"

namespace vta::web {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Json ask(const Json& request) { return Json::parse(answer(request.dump())); }

Json estimate(const std::string& yaml, const std::string& memory,
              const char* effort = "estimated") {
  return ask({{"ask", "estimate"}, {"yaml", yaml}, {"memory", memory}, {"effort", effort}});
}

void useDigits() {
  EXPECT_EQ(useNetwork(sweep::encodeOutline(sweep::testing::outlineOfDigits())), "{}");
}

TEST(WebRequests, DescribesEveryParameterOfTheTable) {
  const Json described = ask({{"ask", "describe"}});
  ASSERT_EQ(described["parameters"].size(), parameters().size());
  for (size_t i = 0; i < parameters().size(); ++i) {
    EXPECT_EQ(described["parameters"][i]["key"], parameters()[i].key);
    EXPECT_NE(described["parameters"][i]["kind"], "");
  }
  EXPECT_THAT(described["memories"], ::testing::Contains("DDR4-2400"));
  EXPECT_GT(described["devices"].size(), 2u);
}

TEST(WebRequests, SaysTheValuesOfAConfiguration) {
  const Json hardware =
      ask({{"ask", "hardware"}, {"yaml", "name: a\nbuffers: {inp_buf_bytes: 64KiB}\n"}});
  EXPECT_EQ(hardware["name"], "a");
  EXPECT_EQ(hardware["values"]["buffers.inp_buf_bytes"], "64KiB");
  EXPECT_EQ(hardware["values"]["gemm.block_in"], "16");
  EXPECT_GT(hardware["area"]["lut"], 1000.0);
}

TEST(WebRequests, OutlinesAreFoundByWhatTheyDependOn) {
  const auto outlineOf = [](const char* yaml) {
    return ask({{"ask", "hardware"}, {"yaml", yaml}})["outline"].get<std::string>();
  };
  const std::string defaults = outlineOf("{}");
  EXPECT_EQ(outlineOf("clock_mhz: 200\naxi: {data_width_bits: 128}\n"), defaults);
  EXPECT_NE(outlineOf("gemm: {block_in: 32}\n"), defaults);
  EXPECT_NE(outlineOf("isa: {extensions: [qmul]}\n"), defaults);
}

TEST(WebRequests, ErrorsOfConfigurationsHaveTheirPlace) {
  const Json unknown = ask({{"ask", "hardware"}, {"yaml", "gemm:\n  block_im: 32\n"}});
  EXPECT_EQ(unknown["in"], "hardware");
  EXPECT_THAT(unknown["error"].get<std::string>(), StartsWith("hardware.yaml:2:3: unknown key"));
  EXPECT_THAT(unknown["error"].get<std::string>(), HasSubstr("block_in"));
  const Json broken = ask({{"ask", "hardware"}, {"yaml", "gemm: {block_in: 32"}});
  EXPECT_THAT(broken["error"].get<std::string>(), HasSubstr("not valid YAML"));
}

TEST(WebRequests, EstimatesNeedANetworkThatCanBeRead) {
  EXPECT_THAT(useNetwork("none"), HasSubstr("no outline"));
}

TEST(WebRequests, EstimatesHaveALayerForEachKernelAndSharesThatAddUp) {
  useDigits();
  const Json json = estimate("{}", "simple");
  ASSERT_FALSE(json.contains("error")) << json;
  EXPECT_GT(json["cycles"], 1000);
  EXPECT_EQ(json["roofs"]["macs_per_cycle"], 256);
  uint64_t alone = 0;
  ASSERT_GT(json["layers"].size(), 1u);
  for (const Json& layer : json["layers"]) {
    alone += layer["cycles"].get<uint64_t>();
    double shares = 0;
    for (const Json& share : layer["time"]) shares += share.get<double>();
    EXPECT_NEAR(shares, 1, 1e-9);
    EXPECT_NE(layer["limit"], "");
  }
  EXPECT_LE(json["cycles"], alone);
}

TEST(WebRequests, MemoriesAreNamesOrYaml) {
  useDigits();
  const Json simple = estimate("{}", "simple");
  const Json same =
      estimate("{}", "kind: simple\nlatency_cycles: 16\nbeats_per_cycle: 1\noutstanding: 32\n");
  EXPECT_EQ(simple["cycles"], same["cycles"]);
  const Json slower =
      estimate("{}", "kind: simple\nlatency_cycles: 200\nbeats_per_cycle: 1/4\noutstanding: 1\n");
  EXPECT_GT(slower["cycles"], simple["cycles"]);
  EXPECT_NE(estimate("{}", "DDR3-1066")["cycles"], simple["cycles"]);
}

TEST(WebRequests, ErrorsOfMemoriesAreTheirs) {
  useDigits();
  const Json unknown = estimate("{}", "DDR9");
  EXPECT_EQ(unknown["in"], "memory");
  EXPECT_THAT(unknown["error"].get<std::string>(), HasSubstr("DDR4-2400"));
  const Json missing = estimate("{}", "kind: simple\n");
  EXPECT_THAT(missing["error"].get<std::string>(), StartsWith("memory.yaml:1:1: key outstanding"));
}

TEST(WebRequests, ALayerThatDoesNotFitIsNamed) {
  useDigits();
  const Json json = estimate(
      "buffers: {inp_buf_bytes: 32, wgt_buf_bytes: 512, acc_buf_bytes: 128, uop_buf_bytes: 16}\n",
      "simple");
  ASSERT_TRUE(json.contains("error")) << json;
  EXPECT_THAT(json["error"].get<std::string>(), HasSubstr("layer '"));
}

TEST(WebRequests, SimulatedSchedulesAreNoSlower) {
  useDigits();
  EXPECT_LE(estimate("{}", "simple", "simulated")["cycles"], estimate("{}", "simple")["cycles"]);
}

std::string example(int virtual_threads) {
  return ask(
      {{"ask", "example"}, {"yaml", "{}"}, {"virtual_threads", virtual_threads}})["assembler"];
}

Json steps(const std::string& assembler, const std::string& yaml = "{}") {
  return ask({{"ask", "steps"}, {"yaml", yaml}, {"memory", "simple"}, {"assembler", assembler}});
}

TEST(WebRequests, TwoVirtualThreadsHideLatency) {
  const Json one = steps(example(1));
  const Json two = steps(example(2));
  ASSERT_FALSE(one.contains("error")) << one;
  EXPECT_EQ(one["findings"], Json::array());
  EXPECT_EQ(two["findings"], Json::array());
  EXPECT_LT(two["cycles"], one["cycles"]);
}

TEST(WebRequests, StepsHaveEveryInstructionInOrder) {
  const Json json = steps(example(2));
  EXPECT_GT(json["bursts"].size(), 4u);
  EXPECT_EQ(json["scratchpads"]["INP"], 2048);
  uint64_t dispatched = 0;
  ASSERT_GT(json["instructions"].size(), 10u);
  for (const Json& instruction : json["instructions"]) {
    EXPECT_GE(instruction["dispatched"], dispatched);
    dispatched = instruction["dispatched"].get<uint64_t>();
    EXPECT_GE(instruction["started"], dispatched);
    EXPECT_GE(instruction["retired"], instruction["started"]);
    EXPECT_LE(instruction["retired"], json["cycles"]);
    const bool is_load = instruction["text"].get<std::string>().starts_with("load");
    EXPECT_EQ(instruction["writes"].is_array(), is_load);
  }
}

TEST(WebRequests, MistakesInAssemblerHaveTheirPlace) {
  const Json json = steps("finish\nbegin\n");
  EXPECT_EQ(json["in"], "program");
  EXPECT_THAT(json["error"].get<std::string>(), StartsWith("program.s:2:1: "));
}

TEST(WebRequests, ATokenThatNobodyPushesIsAFault) {
  const Json json = steps("finish pop_next\n");
  EXPECT_EQ(json["in"], "program");
  EXPECT_THAT(json["error"].get<std::string>(), HasSubstr("waits at instruction 0"));
}

TEST(WebRequests, LongProgramsAreRefused) {
  std::string assembler;
  for (int i = 0; i < 2000; ++i)
    assembler += "gemm uop=0:0 iter=1x1 dst=0,0 src=0,0 wgt=0,0 reset\n";
  EXPECT_THAT(steps(assembler + "finish\n")["error"].get<std::string>(), HasSubstr("up to 2000"));
}

TEST(WebRequests, ExamplesThatDoNotFitSayWhatIsTooSmall) {
  const Json json =
      ask({{"ask", "example"}, {"yaml", "buffers: {acc_buf_bytes: 128}"}, {"virtual_threads", 1}});
  EXPECT_EQ(json["in"], "program");
  EXPECT_THAT(json["error"].get<std::string>(), HasSubstr("ACC"));
}

TEST(WebRequests, UnknownRequestsSayWhatIsLegal) {
  EXPECT_THAT(answer("no JSON"), HasSubstr("describe, hardware, estimate, example, steps"));
  EXPECT_THAT(answer(R"({"ask": 3})"), HasSubstr("legal"));
  EXPECT_THAT(answer(R"({"ask": "weather"})"), HasSubstr("weather"));
}

}  // namespace
}  // namespace vta::web
