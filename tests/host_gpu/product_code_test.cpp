// Products by themselves: their programs are parts of those of whole functions.
#include "host_gpu/backend/product_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/integer_math.h"
#include "compiler/dialects/graph/graph.h"
#include "host_gpu/backend/backend.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tests/host_gpu/gpu_test_support.h"

namespace vta::codegen::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// x * w + bias, and a ReLU: one kernel.
const char* const kProduct =
    "func.func @f(%x: tensor<40x24xf32>, %w: tensor<24x36xf32>, %b: tensor<36xf32>)\n"
    "    -> tensor<40x36xf32> {\n"
    "  %p = graph.matmul %x, %w : (tensor<40x24xf32>, tensor<24x36xf32>) -> tensor<40x36xf32>\n"
    "  %s = graph.binary add %p, %b : (tensor<40x36xf32>, tensor<36xf32>) -> tensor<40x36xf32>\n"
    "  %y = graph.unary relu %s : (tensor<40x36xf32>) -> tensor<40x36xf32>\n"
    "  return %y : tensor<40x36xf32> }";

struct SeenLayer {
  ProductLayer layer;
  std::string code;
};

/// What the back end makes of a function, and the products that it asks about.
struct Compiled {
  std::vector<GpuProgram> programs;  // variants
  std::vector<std::string> targets;  // of them
  std::vector<LayerNote> notes;
  std::vector<SeenLayer> seen;
};

Compiled compileWith(const std::string& text, const GpuKernelLimits& limits,
                     const std::optional<GemmSchedule>& schedule) {
  Compiled compiled;
  GpuOptions of_gpu;
  of_gpu.limits = limits;
  of_gpu.find_schedule = [&](const ProductLayer& layer) {
    compiled.seen.push_back({layer, layer.code()});
    return schedule;
  };
  CodeOptions options;
  setGpuOptions(options, of_gpu);
  mlir::MLIRContext context;
  context.loadDialect<graph::GraphDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  if (!module) return compiled;
  const auto code = gpuBackend().compile(*module, options);
  EXPECT_TRUE(code.ok()) << code.status().message();
  if (!code.ok()) return compiled;
  for (const CodeBlob& blob : code->blobs) {
    compiled.programs.push_back(*parseGpuProgram(blob.bytes));
    compiled.targets.push_back(blob.target);
  }
  compiled.notes = code->notes;
  return compiled;
}

std::vector<std::byte> codeOf(const GpuProgram& program) {
  return program.kernels.front().codes.front().code;
}

TEST(ProductCodeTest, AProductByItselfHasTheKernelOfTheFunction) {
  const GemmSchedule schedule = {16, 32, 8, 2, 4};
  const Compiled compiled = compileWith(kProduct, {}, schedule);
  ASSERT_EQ(compiled.seen.size(), 1u);
  const auto& [layer, code] = compiled.seen.front();
  EXPECT_EQ(layer.spec, (GemmSpec{.rows = 40, .columns = 36, .depth = 24}));
  EXPECT_THAT(layer.kernel, HasSubstr("arith.select"));
  const auto product = productProgram(code, schedule, {});
  ASSERT_TRUE(product.ok()) << product.status().message() << code;
  EXPECT_EQ(codeOf(product->program), codeOf(compiled.programs.front()));
  EXPECT_EQ(product->program.kernels.front().workgroup_size[0], 64u);
  EXPECT_THAT(product->arguments, ElementsAre(DType::kF32, DType::kF32, DType::kF32, DType::kF32));
  const auto other = productProgram(code, GemmSchedule{16, 16, 8, 2, 2}, {});
  ASSERT_TRUE(other.ok());
  EXPECT_NE(codeOf(other->program), codeOf(product->program));
}

TEST(ProductCodeTest, NotesSayWhoseScheduleAProductHas) {
  const auto note = [](const std::optional<GemmSchedule>& schedule) {
    return compileWith(kProduct, {}, schedule).notes.front().text;
  };
  EXPECT_EQ(note(GemmSchedule{16, 32, 8, 2, 4}), "tuned schedule");
  EXPECT_EQ(note(std::nullopt), "default schedule");
  EXPECT_EQ(note(GemmSchedule{256, 256, 8, 2, 2}), "default schedule");  // breaks a rule
}

TEST(ProductCodeTest, WhatNotAllGpusRunHasASecondForm) {
  const GpuKernelLimits large{.invocations = 1024, .shared_bytes = 49152};
  const GemmSchedule schedule = {32, 32, 8, 2, 2};  // 256 invocations
  const Compiled compiled = compileWith(kProduct, large, schedule);
  ASSERT_EQ(compiled.programs.size(), 2u);
  EXPECT_EQ(compiled.programs[0].kernels.front().workgroup_size[0], 256u);
  EXPECT_LE(compiled.programs[1].kernels.front().workgroup_size[0], 128u);
  EXPECT_THAT(compiled.targets, ElementsAre("large workgroups", ""));
  EXPECT_EQ(compiled.notes.size(), 1u);
  EXPECT_EQ(compileWith(kProduct, large, GemmSchedule{16, 16, 8, 2, 2}).programs.size(), 1u);
}

// Values of constants do not decide how long a kernel takes.
TEST(ProductCodeTest, KernelsThatDifferInConstantsAreOneTask) {
  std::string other = kProduct;
  const auto kernel = [](const std::string& text) {
    return compileWith(text, {}, std::nullopt).seen.front().layer.kernel;
  };
  EXPECT_EQ(kernel(other), kernel(kProduct));
  other.replace(other.find("relu"), 4, "neg");
  EXPECT_NE(kernel(other), kernel(kProduct));
}

TEST(ProductCodeTest, TheReferenceComputesTheSame) {
  const Compiled compiled = compileWith(kProduct, {}, std::nullopt);
  const std::string& code = compiled.seen.front().code;
  const auto reference = productProgram(code, std::nullopt, {});
  ASSERT_TRUE(reference.ok()) << reference.status().message();
  EXPECT_EQ(reference->program.kernels.front().shared_bytes, 0u);
  if (vulkanGpus().empty()) GTEST_SKIP() << "no GPU";
  std::vector<Tensor> inputs;
  for (const std::vector<int64_t>& shape :
       std::vector<std::vector<int64_t>>{{40, 24}, {24, 36}, {36}}) {
    Tensor input = Tensor::zeros(DType::kF32, shape);
    int number = 0;
    for (float& value : input.as<float>()) value = static_cast<float>(number++ % 13 - 6);
    inputs.push_back(std::move(input));
  }
  // The same arguments in the order in which the product's function has them.
  for (const auto& device : vulkanGpus()) {
    const auto whole = compileForGpu(kProduct);
    ASSERT_TRUE(whole.ok()) << whole.status().message();
    const auto want = runOnGpu(*device, *whole, inputs);
    ASSERT_TRUE(want.ok()) << want.status().message();
    for (const std::optional<GemmSchedule>& schedule :
         {std::optional<GemmSchedule>(), std::optional(GemmSchedule{16, 16, 16, 2, 4}),
          std::optional(GemmSchedule{.split_grid = 3})}) {
      const auto product = productProgram(code, schedule, {});
      ASSERT_TRUE(product.ok()) << product.status().message();
      GpuText text = *whole;
      text.program = product->program;
      const auto got = runOnGpu(*device, text, inputs);
      ASSERT_TRUE(got.ok()) << got.status().message();
      EXPECT_EQ(got->front().data, want->front().data);  // whole numbers
    }
  }
}

TEST(ProductCodeTest, PartsOfTheGridAreAddedByASecondKernel) {
  const Compiled compiled = compileWith(kProduct, {}, GemmSchedule{.split_grid = 3});
  const GpuProgram& program = compiled.programs.front();
  ASSERT_EQ(program.dispatches.size(), 2u);
  const GpuBinding sums = program.dispatches[0].bindings.back();
  EXPECT_EQ(sums.source, GpuBinding::Source::kScratch);
  EXPECT_EQ(sums.size_bytes, 3u * 40 * 36 * 4);
  EXPECT_EQ(program.dispatches[0].bindings.size(), 3u);  // factors and sums
  EXPECT_EQ(program.dispatches[1].bindings.front(), sums);
  EXPECT_EQ(program.kernels[program.dispatches[1].kernel].shared_bytes, 0u);
  EXPECT_EQ(program.kernels[0].name, program.kernels[1].name);
  EXPECT_GE(program.scratch_bytes, sums.offset_bytes + sums.size_bytes);
  EXPECT_EQ(compiled.notes.size(), 1u);
}

TEST(ProductCodeTest, ProductsHaveOneMemoryForTheirParts) {
  const std::string twice =
      "func.func @f(%x: tensor<40x24xf32>, %w: tensor<24x24xf32>) -> tensor<40x24xf32> {\n"
      "  %p = graph.matmul %x, %w : (tensor<40x24xf32>, tensor<24x24xf32>) -> tensor<40x24xf32>\n"
      "  %y = graph.matmul %p, %w : (tensor<40x24xf32>, tensor<24x24xf32>) -> tensor<40x24xf32>\n"
      "  return %y : tensor<40x24xf32> }";
  const Compiled one = compileWith(twice, {}, GemmSchedule()),
                 parts = compileWith(twice, {}, GemmSchedule{.split_grid = 2});
  const GpuProgram& program = parts.programs.front();
  ASSERT_EQ(program.dispatches.size(), 4u);
  EXPECT_EQ(program.kernels.size(), 2u);
  EXPECT_EQ(program.dispatches[0].bindings.back(), program.dispatches[2].bindings.back());
  EXPECT_EQ(program.scratch_bytes,
            roundUp(one.programs.front().scratch_bytes, kGpuAlignmentBytes) + 2 * 40 * 24 * 4);
}

TEST(ProductCodeTest, RefusesWhatIsNoProduct) {
  EXPECT_THAT(productProgram("nonsense", std::nullopt, {}).status().message(),
              HasSubstr("no code of a product"));
  EXPECT_THAT(productProgram("module {}", std::nullopt, {}).status().message(),
              HasSubstr("no code of a product"));
  const Compiled compiled = compileWith(kProduct, {}, std::nullopt);
  EXPECT_THAT(productProgram(compiled.seen.front().code, GemmSchedule{64, 64, 8, 2, 2}, {})
                  .status()
                  .message(),
              HasSubstr("a schedule of a product: 1024 invocations are more than the 128"));
}

}  // namespace
}  // namespace vta::codegen::testing
