#include "tools/vta_run/classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tools/common/files.h"

namespace vta::tools {
namespace {

using ::testing::HasSubstr;

Tensor floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  Tensor tensor = Tensor::zeros(DType::kF32, std::move(shape));
  std::ranges::copy(values, tensor.as<float>().begin());
  return tensor;
}

std::vector<int64_t> indices(const std::vector<ClassScore>& top) {
  std::vector<int64_t> result;
  for (const ClassScore& entry : top) result.push_back(entry.index);
  return result;
}

TEST(Classes, BestFirstAndOfEqualsTheFirst) {
  const Tensor output = floats({1, 5}, {1, 7, 3, 7, -2});
  EXPECT_EQ(indices(topClasses(output, 3)), (std::vector<int64_t>{1, 3, 2}));
  EXPECT_EQ(topClasses(output, 100).size(), 5u);
  EXPECT_EQ(indices(topClasses(floats({3}, {NAN, 1, 2}), 3)), (std::vector<int64_t>{2, 1, 0}));
}

TEST(Classes, AgreementCountsSamplesThatBothModelsClassify) {
  Agreement agreement;
  agreement.add({{3, 0.5}}, {{3, 0.9}});
  agreement.add({{3, 0.5}}, {{2, 0.9}, {3, 0.1}});
  agreement.add({}, {{2, 0.9}});
  EXPECT_EQ(agreement.compared(), 2);
  EXPECT_EQ(agreement.agreed(), 1);
}

TEST(Classes, ScoreboardsKnowLabelsByTheNameOfTheFile) {
  const Scoreboard board({{"a.png", 7}});
  EXPECT_EQ(board.labelOf("folder/a.png"), 7);
  EXPECT_EQ(board.labelOf("folder/b.png"), std::nullopt);
}

TEST(Classes, OnlyVectorsAreClassifications) {
  EXPECT_TRUE(topClasses(Tensor::zeros(DType::kF32, {2, 5}), 1).empty());
  EXPECT_TRUE(topClasses(Tensor::zeros(DType::kF32, {1, 1}), 1).empty());
  EXPECT_TRUE(topClasses(Tensor::zeros(DType::kF32, {}), 1).empty());
  EXPECT_EQ(topClasses(Tensor::zeros(DType::kI8, {1, 1, 4, 1}), 1).size(), 1u);
}

TEST(Classes, ScoreboardCountsLabelledSamples) {
  Scoreboard board({{"a.png", 3}, {"b.png", 1}, {"x.npy:2", 0}});
  const std::vector<ClassScore> top = {{3, 9}, {1, 8}, {2, 7}, {5, 6}, {4, 5}, {0, 4}};
  board.add("/some/folder/a.png", top);
  board.add("b.png", top);
  board.add("data/x.npy:2", top);
  board.add("unknown.png", top);
  EXPECT_EQ(board.scored(), 3);
  EXPECT_DOUBLE_EQ(board.top1(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(board.top5(), 2.0 / 3);
}

TEST(Classes, LabelFiles) {
  const std::string path = ::testing::TempDir() + "/classes_labels";
  ASSERT_TRUE(writeFile(path, "cat\r\ndog\n\nlast").ok());
  EXPECT_EQ(*readLabels(path), (std::vector<std::string>{"cat", "dog", "last"}));
  ASSERT_TRUE(writeFile(path, "file,class\nx/a.png, 4\nb,c.png,5\n").ok());
  const auto labels = readLabelsCsv(path);
  ASSERT_TRUE(labels.ok()) << labels.status().message();
  EXPECT_EQ(*labels, (std::map<std::string, int64_t>{{"a.png", 4}, {"b,c.png", 5}}));
  ASSERT_TRUE(writeFile(path, "a,1\nb\n").ok());
  EXPECT_THAT(readLabelsCsv(path).status().message(), HasSubstr(":2: 'b' is not FILE,CLASS"));
  ASSERT_TRUE(writeFile(path, "file,class\na.png,cat\n").ok());
  EXPECT_THAT(readLabelsCsv(path).status().message(),
              HasSubstr(":2: 'a.png,cat' is not FILE,CLASS, where CLASS is the number of a class"));
  ASSERT_TRUE(writeFile(path, "a.png,cat\n").ok());
  EXPECT_THAT(readLabelsCsv(path).status().message(),
              HasSubstr("no line FILE,CLASS, where CLASS is the number of a class, from 0"));
  ASSERT_TRUE(writeFile(path, "x/a.png,1\ny/a.png,2\n").ok());
  EXPECT_THAT(readLabelsCsv(path).status().message(),
              HasSubstr(":2: 'a.png' has class 1 and class 2"));
  ASSERT_TRUE(writeFile(path, "a,-1\n").ok());
  EXPECT_THAT(readLabelsCsv(path).status().message(), HasSubstr("no line"));
}

TEST(Classes, Differences) {
  const auto difference = compareTensors(floats({3}, {1, 2, 3}), floats({1, 3}, {1, 2.5f, 1}));
  ASSERT_TRUE(difference.ok());
  EXPECT_DOUBLE_EQ(difference->max_abs, 2);
  EXPECT_NEAR(difference->mean_abs, 2.5 / 3, 1e-12);
  EXPECT_EQ(difference->different, 2);
  EXPECT_THAT(compareTensors(floats({3}, {1, 2, 3}), floats({2}, {1, 2})).status().message(),
              HasSubstr("the output is 3 float32, the reference 2 float32"));
}

}  // namespace
}  // namespace vta::tools
