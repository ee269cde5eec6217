#include "compiler/module/module_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "compiler/common/diagnostics.h"
#include "compiler/registration.h"
#include "compiler/vta/passes.h"
#include "driver/devices/functional_device.h"
#include "driver/runtime/session.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tests/driver/runtime/remote_device.h"

namespace vta::compiler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The IR's text with its functions; `main` is @main's body, `type` its result's type. Two kernels
/// add 3 each, between host functions that go from and to float.
std::string moduleText(const std::string& main, const std::string& type) {
  return R"(
!packed = tensor<1x1x2x2x1x16xi8>
!packed_2 = tensor<1x2x2x2x1x16xi8>
!packed_4 = tensor<1x4x2x2x1x16xi8>
!plain = tensor<1x16x2x2xf32>
module {
  func.func private @host_in(%x: !plain) -> !packed {
    %e = tensor.empty() : !packed
    %r = linalg.generic {indexing_maps = [affine_map<(c, y, x) -> (0, c, y, x)>,
        affine_map<(c, y, x) -> (0, 0, y, x, 0, c)>],
        iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x : !plain) outs(%e : !packed) {
    ^bb0(%v: f32, %o: i8):
      %q = arith.fptosi %v : f32 to i8
      linalg.yield %q : i8
    } -> !packed
    return %r : !packed
  }
  func.func private @host_out(%x: !packed, %bias: tensor<16xf32>) -> !plain {
    %e = tensor.empty() : !plain
    %r = linalg.generic {indexing_maps = [affine_map<(c, y, x) -> (0, 0, y, x, 0, c)>,
        affine_map<(c, y, x) -> (c)>, affine_map<(c, y, x) -> (0, c, y, x)>],
        iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %bias : !packed, tensor<16xf32>) outs(%e : !plain) {
    ^bb0(%v: i8, %b: f32, %o: f32):
      %f = arith.sitofp %v : i8 to f32
      %s = arith.addf %f, %b : f32
      linalg.yield %s : f32
    } -> !plain
    return %r : !plain
  }
  func.func private @ref(%x: !packed) -> !packed attributes {vta.reference} {
    %e = tensor.empty() : !packed
    %c = arith.constant 3 : i8
    %m = linalg.map ins(%x : !packed) outs(%e : !packed) (%v: i8) {
      %s = arith.addi %v, %c : i8
      linalg.yield %s : i8
    }
    return %m : !packed
  }
  func.func private @ref_2(%x: !packed_2) -> !packed_2 attributes {vta.reference} {
    %e = tensor.empty() : !packed_2
    %c = arith.constant 3 : i8
    %m = linalg.map ins(%x : !packed_2) outs(%e : !packed_2) (%v: i8) {
      %s = arith.addi %v, %c : i8
      linalg.yield %s : i8
    }
    return %m : !packed_2
  }
  func.func private @host_out_4(%x: !packed_4) -> tensor<4x16x2x2xf32> {
    %e = tensor.empty() : tensor<4x16x2x2xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(k, c, y, x) -> (0, k, y, x, 0, c)>,
        affine_map<(k, c, y, x) -> (k, c, y, x)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%x : !packed_4) outs(%e : tensor<4x16x2x2xf32>) {
    ^bb0(%v: i8, %o: f32):
      %f = arith.sitofp %v : i8 to f32
      linalg.yield %f : f32
    } -> tensor<4x16x2x2xf32>
    return %r : tensor<4x16x2x2xf32>
  }
  func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  func.func @main(%x: !plain {graph.name = "image"}) -> ()" +
         type +
         R"( {graph.name = "sum"}) {
)" + main +
         R"(
  }
}
)";
}

constexpr const char* kMain = R"(
    %bias = arith.constant dense<0.5> : tensor<16xf32>
    %p = func.call @host_in(%x) {vta.layer = "in", vta.op = "Quantize", vta.reason = "float"}
        : (!plain) -> !packed
    %a = vta.kernel @ref(%p) {desc = #vta.kernel<elementwise, geometry = {in_height = 2,
        in_width = 2, out_height = 2, out_width = 2}, epilogue = [add imm 3]>,
        layer = "add1", op = "Add", macs = 7 : i64}
        : !packed -> !packed
    %b = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise, geometry = {in_height = 2,
        in_width = 2, out_height = 2, out_width = 2}, epilogue = [add imm 3]>,
        layer = "add2", op = "Add", macs = 0 : i64}
        : !packed -> !packed
    %y = func.call @host_out(%b, %bias) {vta.macs = 5 : i64} : (!packed, tensor<16xf32>) -> !plain
    return %y : !plain
)";

class ModuleBuilderTest : public ::testing::Test {
 protected:
  ModuleBuilderTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
  }

  Result<BuiltModule> build(const std::string& main, const BuildOptions& options = {},
                            const std::string& type = "!plain") {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(moduleText(main, type), &context_);
    if (!module_) return invalidArgument("the test's IR does not parse");
    DiagnosticCollector diagnostics(&context_);
    mlir::PassManager manager(&context_);
    buildLoweringPipeline(manager, HwConfig::makeDefault(),
                          {options.schedule_hints, options.schedules}, options.verify_programs);
    if (failed(manager.run(*module_))) return diagnostics.takeStatus("lower the kernels");
    return buildModule(*module_, "sum.onnx", HwConfig::makeDefault(), options);
  }

  /// Every run of `built` adds these to the image, on the device's memory and on another.
  static void expectRuns(const BuiltModule& built, const std::array<float, 4>& added) {
    const auto elf = writeModule(built.info, built.contents);
    ASSERT_TRUE(elf.ok()) << elf.status().message();
    const auto loaded = driver::LoadedModule::fromMemory(*elf);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    Tensor image = Tensor::zeros(DType::kF32, {1, 16, 2, 2});
    for (size_t i = 0; i < 64; ++i) image.as<float>()[i] = static_cast<float>(i) - 30;
    for (const bool is_mapped : {true, false}) {
      for (const bool verifies : {false, true}) {
        auto mapped = driver::FunctionalDevice::create(HwConfig::makeDefault(), {.checked = true});
        ASSERT_TRUE(mapped.ok());
        std::unique_ptr<driver::Device> device = *std::move(mapped);
        if (!is_mapped) device = std::make_unique<driver::RemoteDevice>(std::move(device));
        const auto session = driver::Session::create(*loaded, device.get(), {.verify = verifies});
        ASSERT_TRUE(session.ok()) << session.status().message();
        for (int run = 0; run < 2; ++run) {
          image.as<float>()[run] += 1;
          const auto result = (*session)->run({{"image", image}});
          ASSERT_TRUE(result.ok()) << result.status().message();
          const Tensor& sum = result->outputs.at("sum");
          for (size_t i = 0; i < 256; ++i) {
            EXPECT_EQ(sum.as<float>()[i], image.as<float>()[i % 64] + added[i / 64]) << i;
          }
        }
      }
    }
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(ModuleBuilderTest, BuiltModuleRunsAndVerifies) {
  const auto built = build(kMain, {.verify_programs = true});
  ASSERT_TRUE(built.ok()) << built.status().message();
  const auto elf = writeModule(built->info, built->contents);
  ASSERT_TRUE(elf.ok()) << elf.status().message();
  const auto loaded = driver::LoadedModule::fromMemory(*elf);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const auto device = driver::FunctionalDevice::create(HwConfig::makeDefault(), {});
  ASSERT_TRUE(device.ok());
  const auto session = driver::Session::create(*loaded, device->get(), {.verify = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  Tensor image = Tensor::zeros(DType::kF32, {1, 16, 2, 2});
  for (size_t i = 0; i < 64; ++i) image.as<float>()[i] = static_cast<float>(i) - 30;
  const auto result = (*session)->run({{"image", image}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->verified_steps, 2u);
  const Tensor& sum = result->outputs.at("sum");
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(sum.as<float>()[i], image.as<float>()[i] + 6.5f);
}

/// What the host and two kernels make, joined twice; the second kernel reads what it is joined to.
constexpr const char* kJoins = R"(
    %p = func.call @host_in(%x) : (!plain) -> !packed
    %a = vta.kernel @ref(%p) {desc = #vta.kernel<elementwise, geometry = {in_height = 2,
        in_width = 2, out_height = 2, out_width = 2}, epilogue = [add imm 3]>,
        layer = "add1", op = "Add", macs = 0 : i64}
        : !packed -> !packed
    %j = vta.concat %p, %a {axis = 1 : i64} : (!packed, !packed) -> !packed_2 loc("inner")
    %b = vta.kernel @ref_2(%j) {desc = #vta.kernel<elementwise, geometry = {in_channel_blocks = 2,
        out_channel_blocks = 2, groups = 2, in_height = 2, in_width = 2, out_height = 2,
        out_width = 2}, epilogue = [add imm 3]>, layer = "add2", op = "Add", macs = 0 : i64}
        : !packed_2 -> !packed_2
    %k = vta.concat %j, %b {axis = 1 : i64} : (!packed_2, !packed_2) -> !packed_4 loc("outer")
    %y = func.call @host_out_4(%k) : (!packed_4) -> tensor<4x16x2x2xf32>
    return %y : tensor<4x16x2x2xf32>
)";

TEST_F(ModuleBuilderTest, JoinedTensorsArePlaces) {
  const auto built = build(kJoins, {}, "tensor<4x16x2x2xf32>");
  ASSERT_TRUE(built.ok()) << built.status().message();
  const ModuleInfo& info = built->info;
  ASSERT_EQ(info.steps.size(), 4u);
  const uint32_t outer = info.steps[3].arguments[0];
  EXPECT_EQ(info.tensors[outer].name, "outer");
  EXPECT_EQ(info.tensors[outer].part_of, -1);
  EXPECT_EQ(info.deviceArenaBytes(), 256u);
  const auto offsetOf = [&](size_t step, size_t argument) {
    const TensorInfo& tensor = info.tensors[info.steps[step].arguments[argument]];
    EXPECT_EQ(tensor.part_of, static_cast<int32_t>(outer));
    return tensor.offset_bytes - info.tensors[outer].offset_bytes;
  };
  EXPECT_EQ(offsetOf(0, 1), 0u);
  EXPECT_EQ(offsetOf(1, 1), 64u);
  EXPECT_EQ(offsetOf(2, 0), 0u);
  EXPECT_EQ(offsetOf(2, 1), 128u);
}

TEST_F(ModuleBuilderTest, JoinedTensorsHoldWhatHostAndKernelsWrite) {
  const auto built = build(kJoins, {.verify_programs = true}, "tensor<4x16x2x2xf32>");
  ASSERT_TRUE(built.ok()) << built.status().message();
  expectRuns(*built, {0, 3, 3, 6});
}

/// Ranges of what kernels wrote: of a part of what is joined, and of what is joined itself.
constexpr const char* kSlices = R"(
    %p = func.call @host_in(%x) : (!plain) -> !packed
    %a = vta.kernel @ref(%p) {desc = #vta.kernel<elementwise, geometry = {in_height = 2,
        in_width = 2, out_height = 2, out_width = 2}, epilogue = [add imm 3]>,
        layer = "a", op = "Add", macs = 0 : i64} : !packed -> !packed
    %b = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise, geometry = {in_height = 2,
        in_width = 2, out_height = 2, out_width = 2}, epilogue = [add imm 3]>,
        layer = "b", op = "Add", macs = 0 : i64} : !packed -> !packed
    %j = vta.concat %a, %b {axis = 1 : i64} : (!packed, !packed) -> !packed_2 loc("joined")
    %c = vta.kernel @ref_2(%j) {desc = #vta.kernel<elementwise, geometry = {in_channel_blocks = 2,
        out_channel_blocks = 2, groups = 2, in_height = 2, in_width = 2, out_height = 2,
        out_width = 2}, epilogue = [add imm 3]>, layer = "c", op = "Add", macs = 0 : i64}
        : !packed_2 -> !packed_2
    %s = vta.slice %j {axis = 1 : i64, start = 1 : i64} : !packed_2 -> !packed
    %t = vta.slice %c {axis = 1 : i64, start = 0 : i64} : !packed_2 -> !packed
    %d = vta.kernel @ref(%s) {desc = #vta.kernel<elementwise, geometry = {in_height = 2,
        in_width = 2, out_height = 2, out_width = 2}, epilogue = [add imm 3]>,
        layer = "d", op = "Add", macs = 0 : i64} : !packed -> !packed
    %e = vta.kernel @ref(%t) {desc = #vta.kernel<elementwise, geometry = {in_height = 2,
        in_width = 2, out_height = 2, out_width = 2}, epilogue = [add imm 3]>,
        layer = "e", op = "Add", macs = 0 : i64} : !packed -> !packed
    %k = vta.concat %c, %d, %e {axis = 1 : i64} : (!packed_2, !packed, !packed) -> !packed_4
    %y = func.call @host_out_4(%k) : (!packed_4) -> tensor<4x16x2x2xf32>
    return %y : tensor<4x16x2x2xf32>
)";

TEST_F(ModuleBuilderTest, SlicesAreReadWhereTheyLie) {
  const auto built = build(kSlices, {.verify_programs = true}, "tensor<4x16x2x2xf32>");
  ASSERT_TRUE(built.ok()) << built.status().message();
  const ModuleInfo& info = built->info;
  ASSERT_EQ(info.steps.size(), 7u);
  const auto placeOf = [&](size_t step) {
    const TensorInfo& read = info.tensors[info.steps[step].arguments[0]];
    return read.offset_bytes - info.tensors[static_cast<size_t>(read.part_of)].offset_bytes;
  };
  EXPECT_EQ(placeOf(4), 64u);  // in what is joined
  EXPECT_EQ(placeOf(5), 0u);   // in what is a part itself
  expectRuns(*built, {6, 9, 9, 9});
}

TEST_F(ModuleBuilderTest, RefusesPartsThatHaveTwoPlacesOrNone) {
  EXPECT_THAT(build(R"(
    %p = func.call @host_in(%x) : (!plain) -> !packed
    %j = vta.concat %p, %p {axis = 1 : i64} : (!packed, !packed) -> !packed_2
    return %j : !packed_2
)",
                    {}, "!packed_2")
                  .status()
                  .message(),
              HasSubstr("joined elsewhere"));
  EXPECT_THAT(build(R"(
    %p = arith.constant dense<1> : !packed
    %j = vta.concat %p {axis = 1 : i64} : (!packed) -> !packed
    return %j : !packed
)",
                    {}, "!packed")
                  .status()
                  .message(),
              HasSubstr("of a constant"));
}

TEST_F(ModuleBuilderTest, DescribesLayersAndPlacesTensors) {
  const auto built = build(kMain);
  ASSERT_TRUE(built.ok()) << built.status().message();
  const ModuleInfo& info = built->info;
  ASSERT_EQ(info.layers.size(), 4u);
  EXPECT_EQ(info.layers[0].name, "in");
  EXPECT_EQ(info.layers[0].reason, "float");
  EXPECT_EQ(info.layers[1].where, "vta");
  EXPECT_EQ(info.layers[1].macs, 7);
  EXPECT_THAT(info.layers[1].reason, HasSubstr("default schedule"));
  EXPECT_EQ(info.layers[3].name, "host_out");
  EXPECT_EQ(info.layers[3].macs, 5);
  EXPECT_EQ(info.inputs[0].name, "image");
  EXPECT_EQ(info.outputs[0].name, "sum");
  EXPECT_EQ(info.tensors[info.inputs[0].tensor].space,
            info.findSpace(kCpuExecutor, SpaceInfo::Contents::kActivations));
  EXPECT_EQ(info.tensors[info.steps[1].arguments[0]].space,
            info.findSpace(info.steps[1].executor, SpaceInfo::Contents::kActivations));
  EXPECT_EQ(info.tensors[info.steps[3].arguments[1]].space,
            info.findSpace(kCpuExecutor, SpaceInfo::Contents::kConstants));
  // Three activations of the device take turns in two places.
  EXPECT_EQ(info.deviceArenaBytes(), 2 * 256u);
  EXPECT_NE(info.hw(), nullptr);
}

TEST_F(ModuleBuilderTest, ModuleWithoutKernelsHasNoConfiguration) {
  const auto built = build(R"(
    return %x : !plain
)");
  ASSERT_TRUE(built.ok()) << built.status().message();
  EXPECT_EQ(built->info.hw(), nullptr);
  EXPECT_TRUE(built->info.steps.empty());
  EXPECT_EQ(built->info.inputs[0].tensor, built->info.outputs[0].tensor);
}

TEST_F(ModuleBuilderTest, ConstantsMayBeOutputs) {
  const auto built = build(R"(
    %c = arith.constant dense<2.0> : !plain
    return %c : !plain
)");
  ASSERT_TRUE(built.ok()) << built.status().message();
  EXPECT_EQ(built->info.tensors[built->info.outputs[0].tensor].space,
            built->info.findSpace(kCpuExecutor, SpaceInfo::Contents::kConstants));
  EXPECT_EQ(built->contents.constants.size(), 256u);
}

TEST_F(ModuleBuilderTest, RefusesOperationsThatPartitioningShouldHaveMoved) {
  const auto built = build(R"(
    %y = arith.negf %x : !plain
    return %y : !plain
)");
  EXPECT_THAT(built.status().message(), HasSubstr("'arith.negf' is left over"));
}

TEST_F(ModuleBuilderTest, ErrorsOfLoweringNameTheLayer) {
  const auto built = build(R"(
    %p = func.call @host_in(%x) : (!plain) -> !packed
    %a = vta.kernel @ref(%p) {desc = #vta.kernel<elementwise, geometry = {in_height = 2,
        in_width = 2, out_height = 2, out_width = 2}>,
        schedule = #vta.schedule<tile_height = 100000, tile_width = 100000>,
        layer = "add1", op = "Add", macs = 0 : i64} : !packed -> !packed
    %bias = arith.constant dense<0.5> : tensor<16xf32>
    %y = func.call @host_out(%a, %bias) : (!packed, tensor<16xf32>) -> !plain
    return %y : !plain
)");
  EXPECT_THAT(built.status().message(), HasSubstr("layer 'add1'"));
  EXPECT_THAT(built.status().message(), HasSubstr("tile_height is 100000, the limit 2"));
}

TEST_F(ModuleBuilderTest, KernelsNeedProgramsForTheConfiguration) {
  module_ = mlir::parseSourceString<mlir::ModuleOp>(moduleText(kMain, "!plain"), &context_);
  const BuildOptions options;
  const auto missing = buildModule(*module_, "", HwConfig::makeDefault(), options);
  EXPECT_EQ(missing.status().message(),
            "layer 'add1': there is no program; vta-lower-kernels makes it");
  const auto other = loadHwConfig(VTA_SOURCE_DIR "/configs/hw/tiny-buffers.yaml");
  ASSERT_TRUE(other.ok());
  module_ = mlir::parseSourceString<mlir::ModuleOp>(moduleText(kMain, "!plain"), &context_);
  mlir::PassManager manager(&context_);
  buildLoweringPipeline(manager, HwConfig::makeDefault(), {}, /*verify=*/false);
  ASSERT_TRUE(succeeded(manager.run(*module_)));
  EXPECT_THAT(buildModule(*module_, "", *other, options).status().message(),
              StartsWith("layer 'add1': "));
}

BuildOptions withSchedule(kernel::LayerSchedule schedule) {
  BuildOptions options;
  options.schedules.push_back(std::move(schedule));
  return options;
}

TEST_F(ModuleBuilderTest, SomeLayersHaveGivenSchedules) {
  const kernel::Schedule given = {.tile_width = 2, .virtual_threads = 1};
  const auto built = build(kMain, withSchedule({"add2", given, "s.yaml:3:5"}));
  ASSERT_TRUE(built.ok()) << built.status().message();
  EXPECT_THAT(built->info.layers[1].reason, HasSubstr("default schedule"));
  EXPECT_THAT(built->info.layers[2].reason, HasSubstr("given schedule h=1 w=2"));
  ASSERT_EQ(built->schedules.size(), 2U);
  EXPECT_EQ(built->schedules[0].layer, "add1");
  EXPECT_NE(built->schedules[0].schedule, given);
  EXPECT_EQ(built->schedules[1].schedule, given);
}

TEST_F(ModuleBuilderTest, GivenSchedulesThatFitNoLayer) {
  const auto too_large = build(kMain, withSchedule({"add2", {.tile_height = 3}, "s.yaml:3:5"}));
  EXPECT_THAT(too_large.status().message(),
              AllOf(StartsWith("s.yaml:3:5: layer 'add2'"), HasSubstr("does not fit 'default'"),
                    HasSubstr("tile_height is 3, the limit 2")));
  const auto unknown = build(kMain, withSchedule({"add3", {}, "s.yaml:3:5"}));
  EXPECT_THAT(unknown.status().message(),
              StartsWith("s.yaml:3:5: no layer 'add3' runs on the VTA; those that do: add1, add2"));
}

}  // namespace
}  // namespace vta::compiler
