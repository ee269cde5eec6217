#include "tests/host_gpu/tensor/tensor_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "explore/tune/gpu/gpu_worker.h"
#include "host_gpu/schedule/gemm_space.h"
#include "tests/driver/gpu/ptx/ptx_device.h"
#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"

namespace vta::codegen::testing {
namespace {

SpaceCase matrixCase(const std::string& name, const std::vector<int64_t>& left,
                     const std::vector<int64_t>& right, const std::vector<int64_t>& out) {
  const std::string a = mlirType(DType::kI8, left), b = mlirType(DType::kI8, right),
                    y = mlirType(DType::kI32, out);
  return {name,
          fmt::format("func.func @f(%a: {0}, %b: {1}) -> {2} {{\n"
                      "%y = graph.matmul %a, %b : ({0}, {1}) -> {2}\nreturn %y : {2}\n}}\n",
                      a, b, y),
          {randomTensor(DType::kI8, left, 1, -128, 127),
           randomTensor(DType::kI8, right, 2, -128, 127)}};
}

SpaceCase convCase(const std::string& name, const std::vector<int64_t>& input,
                   const std::vector<int64_t>& weights, const std::vector<int64_t>& out, int pad) {
  const std::string x = mlirType(DType::kI8, input), w = mlirType(DType::kI8, weights),
                    c = mlirType(DType::kI32, {weights[0]}), y = mlirType(DType::kI32, out);
  return {name,
          fmt::format("func.func @f(%x: {0}, %w: {1}, %c: {2}) -> {3} {{\n"
                      "%y = graph.conv %x, %w, %c {{strides = array<i64: 1, 1>, "
                      "pads = array<i64: {4}, {4}, {4}, {4}>, dilations = array<i64: 1, 1>, "
                      "group = 1 : i64}} : ({0}, {1}, {2}) -> {3}\nreturn %y : {3}\n}}\n",
                      x, w, c, y, pad),
          {randomTensor(DType::kI8, input, 1, -128, 127),
           randomTensor(DType::kI8, weights, 2, -128, 127),
           randomTensor(DType::kI32, {weights[0]}, 3, -1000, 1000)}};
}

}  // namespace

GpuKernelLimits limitsOfTarget(const std::string& target) {
  return tune::kernelLimitsOf(driver::test::openPtxDevice(target)->info());
}

ProductLayer SpaceCase::layer() const {
  ProductLayer found;
  const auto made = compileForGpu(text, {.see = [&](const ProductLayer& layer) { found = layer; }});
  EXPECT_TRUE(made.ok()) << made.status().message();
  found.code = nullptr;  // only good while the schedule is looked for
  return found;
}

std::string SpaceCase::code() const {
  std::string found;
  const auto made =
      compileForGpu(text, {.see = [&](const ProductLayer& layer) { found = layer.code(); }});
  EXPECT_TRUE(made.ok()) << made.status().message();
  return found;
}

std::vector<SpaceCase> spaceCases() {
  return {matrixCase("matrix", {72, 160}, {160, 96}, {72, 96}),
          matrixCase("batch", {2, 40, 75}, {2, 75, 70}, {2, 40, 70}),
          convCase("windows", {1, 16, 9, 11}, {40, 16, 3, 3}, {1, 40, 9, 11}, 1),
          convCase("vectors", {80, 160, 1, 1}, {72, 160, 1, 1}, {80, 72, 1, 1}, 0)};
}

std::vector<GemmSchedule> sampleSpace(const GemmSpec& spec, const std::string& target,
                                      GemmTier tier, size_t count) {
  std::vector<GemmSchedule> schedules;
  std::map<std::string, int64_t> rejected;
  visitGemmSchedules(
      spec, limitsOfTarget(target),
      [&](const GemmSchedule& schedule) {
        if (schedule.tier == tier) schedules.push_back(schedule);
      },
      rejected);
  std::mt19937 random(static_cast<unsigned>(spec.depth));
  std::ranges::shuffle(schedules, random);
  schedules.resize(std::min(schedules.size(), count));
  return schedules;
}

}  // namespace vta::codegen::testing
