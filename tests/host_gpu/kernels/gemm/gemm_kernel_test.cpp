// Products with schedules of every kind, on every device: sums of small whole numbers, which are
// exact in any order.
#include "host_gpu/kernels/gemm/gemm_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "base/integer_math.h"
#include "compiler/codegen/passes.h"
#include "host_gpu/backend/product_code.h"
#include "host_gpu/backend/product_text.h"
#include "host_gpu/kernels/gemm/product.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Parser/Parser.h"
#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"
#include "tests/host_gpu/kernels/gemm/schedule_sweep.h"

namespace vta::codegen::testing {
namespace {

struct ProductCase {
  std::string name;
  std::string op;
  std::vector<int64_t> x, w, y;  // shapes
  bool is_float = false;
};

void PrintTo(const ProductCase& test, std::ostream* stream) { *stream << test.name; }

const std::string kConv =
    "linalg.conv_2d_nchw_fchw {strides = dense<1> : vector<2xi64>, dilations = dense<1> : "
    "vector<2xi64>}";
const std::string kStrided =
    "linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>, dilations = dense<1> : "
    "vector<2xi64>}";

const std::vector<ProductCase> kProductCases = {
    ProductCase{"floats", "linalg.matmul", {20, 37}, {37, 24}, {20, 24}, true},
    ProductCase{"odd_floats", "linalg.matmul_transpose_b", {9, 67}, {11, 67}, {9, 11}, true},
    ProductCase{"conv_floats", kConv, {1, 5, 7, 10}, {9, 5, 3, 3}, {1, 9, 5, 8}, true},
    ProductCase{"bytes", "linalg.matmul", {20, 37}, {37, 24}, {20, 24}},
    ProductCase{"words", "linalg.matmul_transpose_b", {17, 68}, {12, 68}, {17, 12}},
    ProductCase{"odd_bytes", "linalg.matmul_transpose_b", {9, 67}, {11, 67}, {9, 11}},
    ProductCase{"batches", "linalg.batch_matmul", {3, 8, 40}, {3, 40, 16}, {3, 8, 16}},
    ProductCase{"conv_bytes", kConv, {2, 8, 6, 8}, {12, 8, 1, 1}, {2, 12, 6, 8}},
    ProductCase{"conv_windows", kConv, {1, 5, 7, 10}, {9, 5, 3, 3}, {1, 9, 5, 8}},
    ProductCase{"conv_strided", kStrided, {1, 4, 9, 9}, {8, 4, 3, 3}, {1, 8, 4, 4}}};

std::string bufferType(const std::vector<int64_t>& shape, const std::string& element) {
  std::string text = "memref<";
  for (const int64_t extent : shape) text += std::to_string(extent) + "x";
  return text + element + ">";
}

/// out + left * right, one product after the other.
template <typename In, typename Out>
void multiply(const Contraction& contraction, const Tensor& left, const Tensor& right, Tensor& out,
              std::vector<int64_t>& numbers) {
  if (const size_t loop = numbers.size(); loop < contraction.extents.size()) {
    for (int64_t number = 0; number < contraction.extents[loop]; ++number) {
      numbers.push_back(number);
      multiply<In, Out>(contraction, left, right, out, numbers);
      numbers.pop_back();
    }
    return;
  }
  const auto place = [&](const LinearOperand& operand) {
    int64_t at = operand.offset;
    for (size_t i = 0; i < numbers.size(); ++i) at += numbers[i] * operand.coefficients[i];
    return static_cast<size_t>(at);
  };
  out.as<Out>()[place(contraction.out)] +=
      static_cast<Out>(left.as<In>()[place(contraction.left)]) *
      static_cast<Out>(right.as<In>()[place(contraction.right)]);
}

class ParsedProduct {
 public:
  explicit ParsedProduct(const ProductCase& test) {
    loadCodegenDialects(context_);
    context_.loadDialect<mlir::gpu::GPUDialect, mlir::spirv::SPIRVDialect>();
    const std::string in = test.is_float ? "f32" : "i8", out = test.is_float ? "f32" : "i32";
    const std::string x = bufferType(test.x, in), w = bufferType(test.w, in),
                      y = bufferType(test.y, out);
    module_ = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(%x: " + x + ", %w: " + w + ", %y: " + y + ") {\n" + test.op +
            " ins(%x, %w : " + x + ", " + w + ") outs(%y : " + y + ")\nreturn }",
        &context_);
  }

  OpGroup group() const {
    OpGroup group;
    mlir::ModuleOp module = module_.get();
    module.walk([&](mlir::linalg::LinalgOp op) { group.push_back(op); });
    return group;
  }
  Product product() const { return *matchProduct(group()); }

 private:
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

/// Of kProductCases.
const std::vector<GemmSpec>& specs() {
  static const std::vector<GemmSpec> all = [] {
    std::vector<GemmSpec> made;
    for (const ProductCase& test : kProductCases) {
      made.push_back(gemmSpecOf(ParsedProduct(test).product().contraction));
    }
    return made;
  }();
  return all;
}

/// llvmpipe, SwiftShader and PoCL.
constexpr size_t kSweptDevices = 3, kTrialsOfProduct = 4;

const std::vector<Trial>& trials() {
  static const std::vector<Trial> all = chooseTrials(specs(), kSweptDevices, kTrialsOfProduct);
  return all;
}

/// Those that are installed.
const Gpus& driverGpus() {
  static const Gpus devices = [] {
    Gpus all = vulkanGpus();
    std::ranges::copy(openClGpus(), std::back_inserter(all));
    return all;
  }();
  return devices;
}

/// The GPU that runs PTX and has no tensor cores, and a driver's device, which counts from the
/// first one again behind the last.
Gpus oldGpuAnd(size_t number) {
  Gpus devices = {ptxGpus().front()};
  if (!driverGpus().empty()) devices.push_back(driverGpus()[number % driverGpus().size()]);
  return devices;
}

class GemmKernelTest : public ::testing::TestWithParam<ProductCase> {
 protected:
  GemmKernelTest() {
    const ProductCase& test = GetParam();
    const auto dtype = test.is_float ? DType::kF32 : DType::kI8;
    const double most = test.is_float ? 5 : 127;
    tensors_ = {randomTensor(dtype, test.x, 1, -most, most),
                randomTensor(dtype, test.w, 2, -most, most),
                randomTensor(test.is_float ? DType::kF32 : DType::kI32, test.y, 3, -most, most)};
    for (Tensor& tensor : tensors_) {
      if (tensor.dtype != DType::kF32) continue;
      for (float& value : tensor.as<float>()) value = std::round(value);
    }
  }

  Product product() { return product_.product(); }

  /// A program of the one product.
  Result<GpuText> compile(const GemmSchedule& schedule, const GpuKernelLimits& limits) {
    GpuText text;
    VTA_ASSIGN_OR_RETURN(ProductProgram made,
                         productProgram(productCode(product_.group()), schedule, limits));
    text.program = std::move(made.program);
    text.results = {tensors_[2]};
    return text;
  }

  Tensor expected() {
    const Product made = product();
    const auto number_of = [](const LinearOperand& operand) {
      return mlir::cast<mlir::BlockArgument>(operand.buffer).getArgNumber();
    };
    Tensor out = tensors_[2];
    std::vector<int64_t> numbers;
    const Tensor& left = tensors_[number_of(made.contraction.left)];
    const Tensor& right = tensors_[number_of(made.contraction.right)];
    if (GetParam().is_float) {
      multiply<float, float>(made.contraction, left, right, out, numbers);
    } else {
      multiply<int8_t, int32_t>(made.contraction, left, right, out, numbers);
    }
    return out;
  }

  /// Tuned for a GPU with tensor cores, a program has no codes for them, which take long to
  /// compile.
  void expectProduct(const GemmSchedule& schedule, const Gpus& devices,
                     const GpuKernelLimits& limits = {.warp = 32, .warps_together = 4}) {
    SCOPED_TRACE(scheduleText(schedule));
    const auto text = compile(schedule, limits);
    ASSERT_TRUE(text.ok()) << text.status().message();
    const Tensor want = expected();
    for (const auto& device : devices) {
      SCOPED_TRACE(device->info().name);
      const auto got = runOnGpu(*device, *text, {tensors_[0], tensors_[1]});
      ASSERT_TRUE(got.ok()) << got.status().message();
      ASSERT_EQ(got->front().data, want.data);
    }
  }

  const ParsedProduct product_{GetParam()};
  std::vector<Tensor> tensors_;
};

// A driver's device takes seconds to compile a kernel, so each schedule has one of them.
TEST_P(GemmKernelTest, EverySchedulesSumsAreTheSame) {
  for (const Trial& trial : trials()) {
    if (kProductCases[trial.product].name != GetParam().name) continue;
    expectProduct(trial.schedule, oldGpuAnd(trial.device));
    if (HasFatalFailure()) return;
  }
}

TEST(GemmKernelSweep, CoversEveryPairOfValuesThatAScheduleCanHave) {
  std::vector<Trial> possible;
  for (size_t product = 0; product < kProductCases.size(); ++product) {
    std::ranges::copy(possibleTrials(specs(), product, kSweptDevices),
                      std::back_inserter(possible));
  }
  EXPECT_EQ(countPairs(trials()), countPairs(possible));
}

/// Schedules of every tier that the product has, which `change` changes and `check` gets where they
/// break no rule; how many.
template <typename Change, typename Check>
int forEachTier(const GemmSpec& spec, Change change, Check check) {
  int count = 0;
  for (const GemmTier tier : {GemmTier::kSimt, GemmTier::kDot4}) {
    GemmSchedule schedule{.tier = tier};
    schedule.block_depth *= schedule.packed();
    change(schedule);
    if (!brokenRule(spec, schedule, {}).empty()) continue;
    check(schedule);
    ++count;
  }
  return count;
}

TEST_P(GemmKernelTest, StagesAndVectorsGoTogether) {
  const GemmSpec spec = gemmSpecOf(product().contraction);
  for (const int64_t stages : {1, 2}) {
    for (const int64_t vector : {1, 2, 4}) {
      const int tiers = forEachTier(
          spec,
          [&](GemmSchedule& schedule) {
            schedule.stages = stages;
            schedule.vector = vector;
            if (vector == 2) schedule.split_depth = 2;
            if (vector == 4) schedule.block_depth *= 2;  // groups of four are shared evenly
          },
          [&](const GemmSchedule& schedule) { expectProduct(schedule, {ptxGpus().front()}); });
      EXPECT_GT(tiers, 0) << stages << " " << vector;
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(GemmKernelTest, TheGridSharesTheDepth) {
  const GemmSpec spec = gemmSpecOf(product().contraction);
  size_t device = 0;  // over all products, every kind of schedule is on each of them
  while (kProductCases[device].name != GetParam().name) ++device;
  int tiers = 0;
  for (const int64_t parts : {2, 3}) {
    tiers += forEachTier(
        spec,
        [&](GemmSchedule& schedule) {
          schedule.block_depth /= 2;
          schedule.split_grid = parts;
          schedule.split_depth = parts == 3 ? 2 : 1;
          schedule.stages = parts == 2 ? 2 : 1;
        },
        [&](const GemmSchedule& schedule) { expectProduct(schedule, oldGpuAnd(device++)); });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tiers, 0);
}

// The depth of the last part is behind the end, or it has one element.
TEST_P(GemmKernelTest, PartsOfTheGridMayBeEmpty) {
  const GemmSpec spec = gemmSpecOf(product().contraction);
  const GemmSchedule shallow{.block_depth = 4, .split_grid = ceilDiv(spec.depth, 4)};
  ASSERT_EQ(brokenRule(spec, shallow, {}), "");
  expectProduct(shallow, {ptxGpus().front()});
  for (int64_t parts = 2; parts < shallow.split_grid; ++parts) {
    GemmSchedule schedule = shallow;
    schedule.split_grid = parts;
    if (partDepth(spec, schedule) * (parts - 1) < spec.depth) continue;
    expectProduct(schedule, {ptxGpus().front()});
    break;
  }
}

TEST_P(GemmKernelTest, TheDefaultsSumsAreTheSame) {
  Gpus devices = ptxGpus();
  std::ranges::copy(driverGpus(), std::back_inserter(devices));
  expectProduct(defaultGemmSchedule(gemmSpecOf(product().contraction), {}), devices, {});
}

INSTANTIATE_TEST_SUITE_P(All, GemmKernelTest, ::testing::ValuesIn(kProductCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::codegen::testing
