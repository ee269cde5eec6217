#include "explore/sweep/space/sweep_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "tests/explore/sweep/space/beside_digits.h"

namespace vta::sweep {
namespace {

using testing::HasSubstr;

const std::filesystem::path kSource = VTA_SOURCE_DIR;

std::string errorOf(const std::string& text) { return parseBesideDigits(text).status().message(); }

TEST(SweepConfig, ReadsTheShippedSweeps) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "configs/sweeps")) {
    const auto sweep = loadSweepConfig(entry.path());
    EXPECT_TRUE(sweep.ok()) << sweep.status().message();
    ++count;
  }
  EXPECT_GE(count, 2);
}

TEST(SweepConfig, TheSchemaIsTheFile) {
  std::ifstream file(kSource / "configs/sweep.schema.json");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), sweepSchema()) << "vta-sweep --schema > configs/sweep.schema.json";
}

TEST(SweepConfig, ErrorsHaveAPlaceAndWhatIsLegal) {
  const std::pair<const char*, const char*> cases[] = {
      {"griid: {}\nmodels: digits.onnx\n", "sweep.yaml:1:1: unknown key griid; legal keys: name"},
      {"base: no.yaml\nmodels: digits.onnx\n", "no such hardware configuration"},
      {"grid: {gemm.bloc: [1]}\nmodels: digits.onnx\n", "sweep.yaml:1:8: gemm.bloc is neither"},
      {"grid: {gemm.batch: []}\nmodels: digits.onnx\n", "gemm.batch must be a list of values"},
      {"grid: {gemm.batch: [1, 1]}\nmodels: digits.onnx\n", "1 is there twice"},
      {"grid: {gemm.batch: [x]}\nmodels: digits.onnx\n", "powers of two from 1 to 64"},
      {"grid: {gemm.batch: {from: 4, to: 1, step: 1}}\nmodels: digits.onnx\n", "is empty"},
      {"grid: {gemm.batch: {from: 1, to: 4}}\nmodels: digits.onnx\n", "one of step and factor"},
      {"grid: {gemm.batch: {values: [1], when: x}}\nmodels: digits.onnx\n",
       "otherwise go together"},
      {"grid: {isa.extensions: [qmul]}\nmodels: digits.onnx\n", "lists themselves"},
      {"grid: {isa.extensions: [[qmull]]}\nmodels: digits.onnx\n", "legal: qmul"},
      {"derive: {gemm.batch: \"1 +\"}\nmodels: digits.onnx\n", "is no expression"},
      {"grid: {gemm.batch: [1]}\nderive: {gemm.batch: 1}\nmodels: digits.onnx\n",
       "is in the grid already"},
      {"grid: {}\n", "key models is missing"},
      {"models: other.onnx\n", "sweep.yaml:1:9: there is no model"},
      {"models: [digits.onnx, digits.onnx]\n", "two models are called digits"},
      {"models: {file: digits.onnx, weight: 0}\n", "legal: a number above 0"},
      {"models: digits.onnx\nmemories: ddr9\n", "neither a memory"},
      {"models: digits.onnx\nbatch: 0\n", "whole numbers from 1 to 4096"},
      {"models: digits.onnx\nclock: {estimate: xc7}\n", "legal: xc7z020-1"},
      {"models: digits.onnx\nclock: 0\n", "clock_mhz"},
      {"models: digits.onnx\nschedules: best\n", "legal: estimated, simulated"},
      {"models: digits.onnx\nobjectives: [\"lut +\"]\n", "is no expression"},
      {"models: digits.onnx\nsearch: {method: magic}\n", "legal: enumerate, random, nsga2, moead"},
      {"- 1\n", "a sweep is a map"},
      {"models: [\n", "not valid YAML"}};
  for (const auto& [text, error] : cases) EXPECT_THAT(errorOf(text), HasSubstr(error)) << text;
}

}  // namespace
}  // namespace vta::sweep
