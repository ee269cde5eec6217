// The instructions that products are computed with, read from the emitted code of each target.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/host_cpu/host_test_support.h"
#include "tests/host_cpu/instructions.h"

namespace vta::codegen::testing {
namespace {

constexpr const char* kX86 = "x86_64-linux-gnu";
constexpr const char* kAArch64 = "aarch64-linux-gnu";
constexpr const char* kArm = "armv7-linux-gnueabihf";

/// A convolution, as a function of its input, or of its weights too: then it is no blocked kernel.
std::string convolution(bool constant_weights, int64_t group = 1) {
  const Tensor weight = randomTensor(DType::kF32, {32, 32 / group, 3, 3}, 1);
  const std::string type = mlirType(weight);
  return fmt::format(
      R"(func.func @f(%x: tensor<1x32x16x16xf32>{}) -> tensor<1x32x14x14xf32> {{
           {}
           %y = graph.conv %x, %w {{strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
             dilations = array<i64: 1, 1>, group = {} : i64}}
             : (tensor<1x32x16x16xf32>, {}) -> tensor<1x32x14x14xf32>
           return %y : tensor<1x32x14x14xf32> }})",
      constant_weights ? "" : ", %w: " + type,
      constant_weights ? "%w = arith.constant " + mlirConstant(weight) : "", group, type);
}

constexpr const char* kMatMul = R"(
  func.func @f(%x: tensor<4x24x40xf32>, %y: tensor<4x40x64xf32>) -> tensor<4x24x64xf32> {
    %z = graph.matmul %x, %y : (tensor<4x24x40xf32>, tensor<4x40x64xf32>) -> tensor<4x24x64xf32>
    return %z : tensor<4x24x64xf32> })";

/// Element by element: nothing that is a sum of products.
constexpr const char* kElements = R"(
  func.func @f(%x: tensor<4096xf32>, %y: tensor<4096xf32>, %z: tensor<4096xf32>)
      -> tensor<4096xf32> {
    %p = graph.binary mul %x, %y : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    %s = graph.binary add %p, %z : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    return %s : tensor<4096xf32> })";

/// A convolution of int8 as quantised networks have it: one blocked kernel.
std::string integerConvolution(bool depthwise) {
  const Tensor weight = randomTensor(DType::kI8, {32, depthwise ? 1 : 32, 3, 3}, 1, -128, 127);
  const Tensor factor = randomTensor(DType::kI32, {1, 32, 1, 1}, 2, 20, 120);
  return fmt::format(
      R"(func.func @f(%x: tensor<1x32x16x16xi8>) -> tensor<1x32x14x14xi8> {{
           %w = arith.constant {}
           %m = arith.constant {}
           %y = graph.conv %x, %w {{strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
             dilations = array<i64: 1, 1>, group = {} : i64}}
             : (tensor<1x32x16x16xi8>, {}) -> tensor<1x32x14x14xi32>
           %q = graph.qmul %y, %m {{shift = 16 : i64}}
             : (tensor<1x32x14x14xi32>, tensor<1x32x1x1xi32>) -> tensor<1x32x14x14xi32>
           %c = graph.clip_int %q {{min = -128 : i64, max = 127 : i64}}
             : (tensor<1x32x14x14xi32>) -> tensor<1x32x14x14xi32>
           %r = graph.cast %c : (tensor<1x32x14x14xi32>) -> tensor<1x32x14x14xi8>
           return %r : tensor<1x32x14x14xi8> }})",
      mlirConstant(weight), mlirConstant(factor), depthwise ? 32 : 1, mlirType(weight));
}

struct Case {
  const char* triple;
  const char* cpu;
  const char* fused;                    // how the fused instructions' names begin
  std::vector<std::string> is_split{};  // how the names of those begin that round twice
};

const std::vector<Case>& cpusWithFusion() {
  static const std::vector<Case> cases = {
      {kX86, "x86-64-v3", "vfmadd", {"vmul", "vadds", "vaddp"}},
      {kX86, "x86-64-v4", "vfmadd", {"vmul", "vadds", "vaddp"}},
      {kX86, "sapphirerapids", "vfmadd", {"vmul", "vadds", "vaddp"}},
      {kAArch64, "generic", "fmla", {"fmul", "fadd"}},
      {kAArch64, "neoverse-v1", "fmla", {"fmul", "fadd"}},
      {kArm, "cortex-a7", "vfma", {"vmul.f", "vmla.f", "vadd.f"}},
      {kArm, "cortex-a53", "vfma", {"vmul.f", "vmla.f", "vadd.f"}}};
  return cases;
}

Mnemonics instructionsFor(const std::string& text, const char* triple, const char* cpu,
                          CodeQuality quality = CodeQuality::kFull, bool winograd = false) {
  CodeOptions options;
  options.target.triple = triple;
  options.target.cpu = cpu;
  options.quality = quality;
  options.winograd = winograd;
  const auto code = compileText(text, options);
  EXPECT_TRUE(code.ok()) << cpu << ": " << code.status().message();
  if (!code.ok()) return {};
  auto found = mnemonicsOf(*code, triple, cpu);
  EXPECT_TRUE(found.ok()) << found.status().message();
  return found.ok() ? *std::move(found) : Mnemonics();
}

/// All that a sum of products can be compiled to.
std::vector<std::pair<const char*, std::string>> sumsOfProducts() {
  return {{"blocked kernel", convolution(true)},
          {"depthwise kernel", convolution(true, 32)},
          {"grouped convolution", convolution(true, 4)},
          {"convolution without constant weights", convolution(false)},
          {"product", kMatMul}};
}

TEST(InstructionsTest, SumsOfProductsAreFused) {
  for (const Case& c : cpusWithFusion()) {
    for (const auto& [what, text] : sumsOfProducts()) {
      const Mnemonics found = instructionsFor(text, c.triple, c.cpu);
      // aarch64 calls the fused instruction on one element fmadd.
      const bool is_scalar_allowed = std::string_view(c.triple) == kAArch64;
      EXPECT_GT(
          found.beginningWith(c.fused) + (is_scalar_allowed ? found.beginningWith("fmadd") : 0), 0)
          << c.cpu << ", " << what << ": " << found.text();
      for (const std::string& split : c.is_split) {
        EXPECT_EQ(found.beginningWith(split), 0)
            << c.cpu << ", " << what << ": " << split << " of " << found.text();
      }
    }
  }
}

// Transforms add what is not a product, too. Products of matrices are most of it.
TEST(InstructionsTest, ConvolutionsWithFewerMultiplicationsAreFused) {
  for (const Case& c : cpusWithFusion()) {
    if (std::string_view(c.triple) == kArm) continue;  // has no blocked kernels
    const Mnemonics direct = instructionsFor(convolution(true), c.triple, c.cpu);
    const Mnemonics fewer =
        instructionsFor(convolution(true), c.triple, c.cpu, CodeQuality::kFull, true);
    EXPECT_NE(fewer.text(), direct.text()) << c.cpu << " has no transforms";
    EXPECT_GT(fewer.beginningWith(c.fused), 20) << c.cpu << ": " << fewer.text();
  }
}

// A function of the C library would take an element at a time.
TEST(InstructionsTest, CpusWithoutFusionMultiplyAndAdd) {
  const std::pair<const char*, const char*> cpus[] = {{kX86, "x86-64"},
                                                      {kX86, "x86-64-v2"},
                                                      {kX86, "sandybridge"},
                                                      {kArm, ""},
                                                      {kArm, "cortex-a9"}};
  for (const auto& [triple, cpu] : cpus) {
    for (const auto& [what, text] : sumsOfProducts()) {
      const Mnemonics found = instructionsFor(text, triple, cpu);
      for (const char* fused : {"vfmadd", "vfma"}) {
        EXPECT_EQ(found.beginningWith(fused), 0) << cpu << ", " << what << ": " << found.text();
      }
      for (const std::string& name : found.undefined()) {
        EXPECT_FALSE(name.starts_with("fma")) << cpu << ", " << what << " calls " << name;
      }
    }
  }
}

// Calibration's code is compiled in less time, and has to give the same bits.
TEST(InstructionsTest, FusionDoesNotDependOnOptimisation) {
  for (const CodeQuality quality : {CodeQuality::kQuick, CodeQuality::kDraft}) {
    for (const auto& [what, text] : sumsOfProducts()) {
      const Mnemonics found = instructionsFor(text, kX86, "x86-64-v3", quality);
      EXPECT_GT(found.beginningWith("vfmadd"), 0) << what;
      EXPECT_EQ(found.beginningWith("vmul"), 0) << what << ": " << found.text();
    }
  }
}

TEST(InstructionsTest, ElementwiseProductsAndSumsRoundTwice) {
  for (const Case& c : cpusWithFusion()) {
    const Mnemonics found = instructionsFor(kElements, c.triple, c.cpu);
    EXPECT_EQ(found.beginningWith(c.fused), 0) << c.cpu << ": " << found.text();
    EXPECT_EQ(found.beginningWith("fmadd"), 0) << c.cpu << ": " << found.text();
  }
}

TEST(InstructionsTest, ProductsOfBytesAreDotProducts) {
  const Case cases[] = {
      {kX86, "cascadelake", "vpdpbusd", {"vpmaddwd"}},
      {kX86, "sapphirerapids", "vpdpbusd", {"vpmaddwd"}},
      {kX86, "alderlake", "vpdpbusd", {"vpmaddwd"}},
      {kX86, "x86-64-v4", "vpmaddwd", {"vpdpbusd"}},
      {kX86, "x86-64-v3", "vpmaddwd", {"vpdpbusd"}},
      {kAArch64, "cortex-a76", "sdot", {"usdot"}},
      {kAArch64, "neoverse-v1", "usdot", {"sdot"}},
      {kAArch64, "generic", "", {"sdot", "usdot", "udot"}},
  };
  for (const Case& c : cases) {
    for (const bool depthwise : {false, true}) {
      const Mnemonics found = instructionsFor(integerConvolution(depthwise), c.triple, c.cpu);
      EXPECT_GT(found.beginningWith(c.fused), 0)
          << c.cpu << " depthwise " << depthwise << ": " << found.text();
      for (const std::string& split : c.is_split) {
        EXPECT_EQ(found.beginningWith(split), 0)
            << c.cpu << " depthwise " << depthwise << ": " << split << " of " << found.text();
      }
    }
  }
}

}  // namespace
}  // namespace vta::codegen::testing
