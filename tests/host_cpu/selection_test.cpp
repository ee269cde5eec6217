// Ops whose course depends on data: positions by value, suppression, branches and loops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

std::vector<Tensor> runText(const std::string& text, const std::vector<Tensor>& inputs) {
  auto results = compileAndRun(text, inputs);
  EXPECT_TRUE(results.ok()) << results.status().message();
  return results.ok() ? *results : std::vector<Tensor>();
}

TEST(SelectionTest, CompactListsWhatIsTrue) {
  const std::string text = R"(
    func.func @f(%x: tensor<6xi1>) -> tensor<6xi64> {
      %y = graph.compact %x : (tensor<6xi1>) -> tensor<6xi64>
      return %y : tensor<6xi64>
    })";
  const auto positions = [&](const std::vector<uint8_t>& mask) {
    return valuesOf<int64_t>(runText(text, {tensorOfValues(DType::kBool, {6}, mask)})[0]);
  };
  EXPECT_EQ(positions({1, 0, 0, 1, 1, 0}), (std::vector<int64_t>{0, 3, 4, 0, 0, 0}));
  EXPECT_EQ(positions({0, 0, 0, 0, 0, 0}), (std::vector<int64_t>(6, 0)));
  EXPECT_EQ(positions({1, 1, 1, 1, 1, 1}), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
}

/// The first `count` positions of each row in the order that graph.top promises.
std::vector<int64_t> orderOf(const Tensor& x, int64_t count, bool largest) {
  std::vector<int64_t> all;
  const int64_t extent = x.shape[1];
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    std::vector<int64_t> order(extent);
    std::iota(order.begin(), order.end(), 0);
    const auto values = x.as<float>().subspan(row * extent, extent);
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
      if (std::isnan(values[a]) || std::isnan(values[b])) {
        return !std::isnan(values[a]) && std::isnan(values[b]);
      }
      return largest ? values[a] > values[b] : values[a] < values[b];
    });
    all.insert(all.end(), order.begin(), order.begin() + count);
  }
  return all;
}

TEST(SelectionTest, TopSortsAnyNumberWithTiesAndNans) {
  for (const int64_t extent : {1, 2, 3, 7, 64, 1000, 8400}) {
    Tensor x = randomTensor(DType::kF32, {2, extent}, static_cast<unsigned>(extent), -20, 20);
    for (float& value : x.as<float>()) value = std::round(value);
    if (extent > 5) {
      x.as<float>()[3] = std::numeric_limits<float>::quiet_NaN();
      x.as<float>()[1] = std::numeric_limits<float>::quiet_NaN();
      x.as<float>()[4] = -std::numeric_limits<float>::infinity();
    }
    for (const int64_t count : {int64_t{1}, std::max<int64_t>(extent / 3, 1), extent}) {
      for (const bool largest : {true, false}) {
        const std::string result = fmt::format("tensor<2x{}xi64>", count);
        const auto found = runText(
            fmt::format("func.func @f(%x: {0}) -> {1} {{ %y = graph.top %x {{largest = {2}}} : "
                        "({0}) -> {1}\n return %y : {1} }}",
                        mlirType(x), result, largest),
            {x});
        ASSERT_EQ(valuesOf<int64_t>(found[0]), orderOf(x, count, largest))
            << extent << " " << count << " " << largest;
      }
    }
  }
}

TEST(SelectionTest, TopComparesUnsignedIntegersAsSuch) {
  const Tensor x = tensorOfValues<uint8_t>(DType::kU8, {1, 4}, {3, 200, 128, 127});
  const auto found = runText(R"(
    func.func @f(%x: tensor<1x4xui8>) -> tensor<1x4xi64> {
      %y = graph.top %x {largest = true} : (tensor<1x4xui8>) -> tensor<1x4xi64>
      return %y : tensor<1x4xi64>
    })",
                             {x});
  EXPECT_EQ(valuesOf<int64_t>(found[0]), (std::vector<int64_t>{1, 2, 3, 0}));
}

constexpr const char* kSuppress = R"(
  func.func @f(%b: tensor<1x4x4xf32>, %s: tensor<1x1x4xf32>, %m: tensor<i64>, %i: tensor<f32>,
               %t: tensor<f32>, %c: tensor<i64>) -> tensor<1x1x3xi64> {
    %y = graph.suppress %b, %s, %m, %i score %t count %c {center = false}
        : tensor<1x4x4xf32>, tensor<1x1x4xf32>, tensor<i64>, tensor<f32>, tensor<f32>,
          count tensor<i64> -> tensor<1x1x3xi64>
    return %y : tensor<1x1x3xi64>
  })";

std::vector<int64_t> suppress(const std::vector<float>& scores, int64_t most, float iou,
                              float least, int64_t count) {
  // The second box overlaps the first by half, the third touches none, the last has no area.
  const std::vector<float> boxes = {0, 0, 2, 2, 2, 3, 0, 1, 5, 5, 6, 6, 1, 1, 1, 1};
  return valuesOf<int64_t>(
      runText(kSuppress, {tensorOfValues(DType::kF32, {1, 4, 4}, boxes),
                          tensorOfValues(DType::kF32, {1, 1, 4}, scores),
                          tensorOfValues<int64_t>(DType::kI64, {}, {most}),
                          tensorOfValues<float>(DType::kF32, {}, {iou}),
                          tensorOfValues<float>(DType::kF32, {}, {least}),
                          tensorOfValues<int64_t>(DType::kI64, {}, {count})})[0]);
}

TEST(SelectionTest, SuppressSelectsByScore) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  using Boxes = std::vector<int64_t>;
  // Intersection 2, union 6.
  EXPECT_EQ(suppress({0.9F, 0.8F, 0.7F, 0.1F}, 3, 0.3F, 0, 4), (Boxes{0, 2, 3}));
  EXPECT_EQ(suppress({0.9F, 0.8F, 0.7F, 0.1F}, 3, 0.4F, 0, 4), (Boxes{0, 1, 2}));
  EXPECT_EQ(suppress({0.8F, 0.9F, 0.7F, 0.1F}, 3, 0.3F, 0.5F, 4), (Boxes{1, 2, -1}));
  EXPECT_EQ(suppress({0.5F, 0.5F, 0.5F, 0.5F}, 2, 0.4F, 0, 4), (Boxes{0, 1, -1}));
  EXPECT_EQ(suppress({nan, nan, 0.7F, nan}, 3, 0.3F, 0, 4), (Boxes{2, -1, -1}));
  EXPECT_EQ(suppress({nan, nan, nan, nan}, 3, 0.3F, 0, 4), (Boxes{-1, -1, -1}));
  EXPECT_EQ(suppress({0.9F, 0.8F, 0.7F, 0.1F}, -1, 0.3F, 0, 4), (Boxes{-1, -1, -1}));
}

TEST(SelectionTest, SuppressLooksAtTheFirstBoxesAlone) {
  using Boxes = std::vector<int64_t>;
  EXPECT_EQ(suppress({0.1F, 0.2F, 0.7F, 0.9F}, 3, 1, 0, 2), (Boxes{1, 0, -1}));
  EXPECT_EQ(suppress({0.1F, 0.2F, 0.7F, 0.9F}, 3, 1, 0, 0), (Boxes{-1, -1, -1}));
  // Counts that cannot be are as near as there are boxes.
  EXPECT_EQ(suppress({0.1F, 0.2F, 0.7F, 0.9F}, 100, 1, 0, 100), (Boxes{3, 2, 1}));
  EXPECT_EQ(suppress({0.1F, 0.2F, 0.7F, 0.9F}, 3, 1, 0, -7), (Boxes{-1, -1, -1}));
}

constexpr const char* kBranch = R"(
  func.func @f(%c: tensor<i1>, %x: tensor<4xui8>) -> (tensor<4xui8>, tensor<2x2xui8>) {
    %y, %z = "graph.if"(%c, %x) ({
    ^bb0(%a: tensor<4xui8>):
      %s = graph.binary add %a, %a : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
      %r = graph.reshape %a : (tensor<4xui8>) -> tensor<2x2xui8>
      graph.yield %s, %r : tensor<4xui8>, tensor<2x2xui8>
    }, {
    ^bb0(%a: tensor<4xui8>):
      %d = graph.binary div %a, %a : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
      %r = graph.reshape %d : (tensor<4xui8>) -> tensor<2x2xui8>
      graph.yield %a, %r : tensor<4xui8>, tensor<2x2xui8>
    }) : (tensor<i1>, tensor<4xui8>) -> (tensor<4xui8>, tensor<2x2xui8>)
    return %y, %z : tensor<4xui8>, tensor<2x2xui8>
  })";

TEST(ControlFlowTest, OneBranchIsTaken) {
  using Bytes = std::vector<uint8_t>;
  const Tensor x = tensorOfValues<uint8_t>(DType::kU8, {4}, {1, 100, 200, 255});
  const auto branch = [&](uint8_t condition) {
    return runText(kBranch, {tensorOfValues<uint8_t>(DType::kBool, {}, {condition}), x});
  };
  EXPECT_EQ(valuesOf<uint8_t>(branch(1)[0]), (Bytes{2, 200, 144, 254}));
  EXPECT_EQ(valuesOf<uint8_t>(branch(1)[1]), (Bytes{1, 100, 200, 255}));
  EXPECT_EQ(valuesOf<uint8_t>(branch(0)[0]), (Bytes{1, 100, 200, 255}));
  EXPECT_EQ(valuesOf<uint8_t>(branch(0)[1]), (Bytes{1, 1, 1, 1}));
}

// The states change places, one row is a state as it was, and a large constant is used inside.
constexpr const char* kLoop = R"(
  func.func @f(%m: tensor<i64>, %c: tensor<i1>, %x: tensor<3xf32>, %y: tensor<3xf32>)
      -> (tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<5x3xf32>) {
    %n, %p, %q, %r = "graph.loop"(%m, %c, %x, %y) <{operandSegmentSizes = array<i32: 1, 1, 2, 0>}> ({
    ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
      %s = graph.binary add %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %limit = arith.constant dense<50.0> : tensor<f32>
      %top = graph.reduce max %s {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
      %go = graph.binary less %top, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      graph.yield %go, %b, %s, %a : tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }) : (tensor<i64>, tensor<i1>, tensor<3xf32>, tensor<3xf32>)
        -> (tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<5x3xf32>)
    return %n, %p, %q, %r : tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<5x3xf32>
  })";

std::vector<Tensor> loop(int64_t most, uint8_t condition, float scale) {
  return runText(kLoop, {tensorOfValues<int64_t>(DType::kI64, {}, {most}),
                         tensorOfValues<uint8_t>(DType::kBool, {}, {condition}),
                         tensorOfValues<float>(DType::kF32, {3}, {scale, 0, -scale}),
                         tensorOfValues<float>(DType::kF32, {3}, {2 * scale, 1, 0})});
}

TEST(ControlFlowTest, LoopsEndByCountOrCondition) {
  using Floats = std::vector<float>;
  auto results = loop(3, 1, 1);
  EXPECT_EQ(valuesOf<int64_t>(results[0]), (std::vector<int64_t>{3}));
  EXPECT_EQ(valuesOf<float>(results[1]), (Floats{5, 2, -1}));
  EXPECT_EQ(valuesOf<float>(results[2]), (Floats{8, 3, -2}));
  EXPECT_EQ(valuesOf<float>(results[3]), (Floats{1, 0, -1, 2, 1, 0, 3, 1, -1, 0, 0, 0, 0, 0, 0}));
  // The sum passes 50 in the third iteration.
  results = loop(5, 1, 10);
  EXPECT_EQ(valuesOf<int64_t>(results[0]), (std::vector<int64_t>{2}));
  EXPECT_EQ(valuesOf<float>(results[2]), (Floats{50, 2, -10}));
  for (const auto& none : {loop(0, 1, 1), loop(-3, 1, 1), loop(5, 0, 1)}) {
    EXPECT_EQ(valuesOf<int64_t>(none[0]), (std::vector<int64_t>{0}));
    EXPECT_EQ(valuesOf<float>(none[1]), (Floats{1, 0, -1}));
    EXPECT_EQ(valuesOf<float>(none[3]), (Floats(15, 0)));
  }
}

}  // namespace
}  // namespace vta::codegen::testing
