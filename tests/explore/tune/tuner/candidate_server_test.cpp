#include "explore/tune/tuner/candidate_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "explore/tune/measure/simulator.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class CandidateServerTest : public ::testing::Test {
 protected:
  CandidateServerTest()
      : file_(std::filesystem::temp_directory_path() /
              ("vta-server-" + std::to_string(getpid()) + ".db")),
        database_(*Database::open(file_, Database::Access::kWrite)) {}
  ~CandidateServerTest() override {
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::filesystem::remove(file_.string() + suffix);
    }
  }

  /// The answers to lines, from one server.
  std::vector<Json> answers(const std::string& lines) {
    CandidateServer server({.tasks = tasks_,
                            .measurer = measurer_.get(),
                            .database = &database_,
                            .searcher = *findSearcher("analytic")});
    std::istringstream in(lines);
    std::ostringstream out;
    EXPECT_TRUE(server.serve(in, out).ok());
    std::vector<Json> parsed;
    std::istringstream text(out.str());
    for (std::string line; std::getline(text, line);) parsed.push_back(Json::parse(line));
    return parsed;
  }
  std::string errorOf(const std::string& line) {
    const std::vector<Json> all = answers(line + "\n");
    EXPECT_EQ(all.size(), 1u);
    return all.at(0).value("error", "");
  }

  std::filesystem::path file_;
  Database database_;
  std::unique_ptr<Measurer> measurer_ = makeLocalMeasurer();
  std::vector<Task> tasks_ = {testing::smallTask()};
};

TEST_F(CandidateServerTest, ProposesEvaluatesAndKnowsTheBest) {
  const auto all = answers(R"({"do": "tasks"}
{"do": "propose", "task": 0, "count": 2}
{"do": "evaluate", "task": 0, "candidates": [0, 1, 2]}
{"do": "best", "task": 0}
{"do": "end"}
{"do": "tasks"}
)");
  ASSERT_EQ(all.size(), 5u) << "nothing is answered behind the end";
  EXPECT_EQ(all[0]["tasks"][0]["name"], "conv");
  EXPECT_EQ(all[1]["candidates"].size(), 2u);
  EXPECT_GE(all[1]["candidates"][0]["schedule"]["tile_height"], 1);
  uint64_t least = kAnyCycles;
  for (const Json& result : all[2]["results"]) {
    least = std::min(least, result["cycles"].get<uint64_t>());
  }
  EXPECT_EQ(all[3]["cycles"], least);
  EXPECT_LE(all[3]["space_floor_cycles"], least);
}

TEST_F(CandidateServerTest, AScheduleAndItsCandidate) {
  const auto first = answers(R"({"do": "find", "task": 0}
{"do": "propose", "task": 0, "count": 1}
)");
  EXPECT_GT(first[0]["size"], 100);
  EXPECT_GT(first[0]["fields"]["tile_width"].size(), 1u);
  const Json candidate = first[1]["candidates"][0];
  Json request = {{"do", "find"}, {"task", 0}, {"schedule", candidate["schedule"]}};
  const auto found = answers(request.dump() + "\n");
  EXPECT_EQ(found[0]["candidate"], candidate["candidate"]);
  request["schedule"]["tile_height"] = 7000;
  EXPECT_TRUE(answers(request.dump() + "\n")[0]["candidate"].is_null()) << "does not fit";
}

TEST_F(CandidateServerTest, MeasurementsAreKeptAndWhatIsToldIsNot) {
  answers(R"({"do": "evaluate", "task": 0, "candidates": [4]}
{"do": "tell", "task": 0, "candidates": [5, 6], "cycles": [1, null]}
)");
  const auto later = answers("{\"do\": \"best\", \"task\": 0}\n");
  EXPECT_EQ(later[0]["candidate"], 4);
  EXPECT_GT(later[0]["cycles"], 1);
  const auto fresh =
      answers(R"({"do": "tell", "task": 0, "candidates": [5, 6], "cycles": [1, null]})");
  EXPECT_EQ(fresh[0]["told"], 2);
}

TEST_F(CandidateServerTest, NonsenseIsAnsweredAndTheServerGoesOn) {
  EXPECT_THAT(errorOf("nonsense"), HasSubstr("no JSON object"));
  EXPECT_THAT(errorOf("[1, 2]"), HasSubstr("no JSON object"));
  EXPECT_THAT(errorOf("{\"do\": \"dance\"}"), HasSubstr("legal: tasks, propose"));
  EXPECT_THAT(errorOf("{}"), HasSubstr("\"do\" is null"));
  EXPECT_THAT(errorOf(R"({"do": "propose"})"), HasSubstr("\"task\" is null"));
  EXPECT_THAT(errorOf(R"({"do": "best", "task": 1})"), HasSubstr("tasks 0 to 0"));
  EXPECT_THAT(errorOf(R"({"do": "best", "task": -1})"), HasSubstr("tasks 0 to 0"));
  EXPECT_THAT(errorOf(R"({"do": "propose", "task": 0, "count": 0})"), HasSubstr("legal: 1 to"));
  EXPECT_THAT(errorOf(R"({"do": "evaluate", "task": 0})"), HasSubstr("\"candidates\""));
  EXPECT_THAT(errorOf(R"({"do": "evaluate", "task": 0, "candidates": []})"), HasSubstr("0 cand"));
  EXPECT_THAT(errorOf(R"({"do": "evaluate", "task": 0, "candidates": [99999999]})"),
              HasSubstr("candidate 99999999 does not exist"));
  EXPECT_THAT(errorOf(R"({"do": "evaluate", "task": 0, "candidates": ["x"]})"),
              HasSubstr("does not exist"));
  EXPECT_THAT(errorOf(R"({"do": "tell", "task": 0, "candidates": [1], "cycles": [1, 2]})"),
              HasSubstr("\"cycles\""));
  for (const char* cycles : {"0", "9007199254740993", "1.5"}) {
    EXPECT_THAT(errorOf(std::string(R"({"do": "tell", "task": 0, "candidates": [1], "cycles": [)") +
                        cycles + "]}"),
                HasSubstr("is neither a number from 1"));
  }
  EXPECT_THAT(errorOf(R"({"do": "tell", "task": 0, "candidates": [1], "cycles": [-2]})"),
              HasSubstr("cycles -2"));
  EXPECT_NE(errorOf(R"({"do": "find", "task": 0, "schedule": {"tile_height": "x"}})"), "");
  EXPECT_THAT(errorOf("{\"do\": \"" + std::string(2 << 20, 'x') + "\"}"),
              HasSubstr("legal: up to"));
  EXPECT_EQ(answers("nonsense\n\n{\"do\": \"tasks\"}\n").size(), 2u) << "empty lines say nothing";
}

}  // namespace
}  // namespace vta::tune
