#include "compiler/dialects/vta/attributes.h"

#include <gtest/gtest.h>

#include <random>

#include "mlir/IR/Builders.h"

namespace vta::compiler {
namespace {

using kernel::EpilogueStep;
using kernel::KernelDesc;
using kernel::KernelKind;

std::vector<EpilogueStep> randomSteps(std::mt19937& rng) {
  std::vector<EpilogueStep> steps(rng() % 4);
  for (EpilogueStep& step : steps) {
    step.opcode = static_cast<AluOpcode>(rng() % 7);
    step.source = static_cast<EpilogueStep::Source>(rng() % 3);
    step.imm = static_cast<int32_t>(rng());
    step.param = static_cast<int32_t>(rng() % 5);
  }
  return steps;
}

KernelDesc randomDesc(std::mt19937& rng) {
  KernelDesc desc;
  desc.name = rng() % 2 ? "layer/3" : "";
  desc.kind = static_cast<KernelKind>(rng() % 4);
  auto& g = desc.geometry;
  for (int64_t* field : {&g.batch_blocks, &g.in_channel_blocks, &g.out_channel_blocks, &g.groups,
                         &g.in_height, &g.in_width, &g.out_height, &g.out_width, &g.kernel_height,
                         &g.kernel_width, &g.stride_y, &g.stride_x, &g.dilation_y, &g.dilation_x,
                         &g.pad_top, &g.pad_left, &g.pad_bottom, &g.pad_right}) {
    *field = static_cast<int64_t>(rng() % 1000);
  }
  g.pad_kind = static_cast<PadKind>(rng() % 2);
  desc.num_params = static_cast<int64_t>(rng() % 4);
  desc.epilogue = randomSteps(rng);
  if (rng() % 2) desc.residual = kernel::Residual{randomSteps(rng)};
  desc.bias_exceeds_results = rng() % 2 == 1;
  if (desc.bias_exceeds_results) desc.small_bias_blocks.resize(rng() % 3, 7);
  return desc;
}

TEST(VtaAttributes, DescriptionsRoundTrip) {
  mlir::MLIRContext context;
  std::mt19937 rng(1);
  for (int i = 0; i < 200; ++i) {
    const KernelDesc desc = randomDesc(rng);
    auto back = kernelDescFromAttr(kernelDescToAttr(desc, &context));
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(*back, desc);
  }
}

TEST(VtaAttributes, SchedulesRoundTrip) {
  mlir::MLIRContext context;
  kernel::Schedule schedule{.tile_height = 7,
                            .tile_width = 14,
                            .tile_out_blocks = 2,
                            .tile_in_blocks = 3,
                            .tile_kernel_height = 5,
                            .tile_kernel_width = 6,
                            .virtual_threads = 1,
                            .order = kernel::Schedule::Order::kWeightsOuter,
                            .int8_through_gemm = false,
                            .skip_padding = true};
  auto back = scheduleFromAttr(scheduleToAttr(schedule, &context));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, schedule);
  back = scheduleFromAttr(scheduleToAttr({}, &context));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, kernel::Schedule{});
}

TEST(VtaAttributes, ErrorsNameTheKey) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  auto attr = builder.getDictionaryAttr(
      {builder.getNamedAttr("tile_height", builder.getStringAttr("seven"))});
  auto schedule = scheduleFromAttr(attr);
  ASSERT_FALSE(schedule.ok());
  EXPECT_EQ(schedule.status().message(), "schedule: `tile_height` is not an integer");

  const mlir::Attribute no_steps = builder.getArrayAttr({});
  auto two_residuals = kernelDescFromAttr(builder.getDictionaryAttr(
      {builder.getNamedAttr("kind", builder.getStringAttr("elementwise")),
       builder.getNamedAttr("residual", builder.getArrayAttr({no_steps, no_steps}))}));
  ASSERT_FALSE(two_residuals.ok());
  EXPECT_EQ(two_residuals.status().message(),
            "kernel description: `residual` holds more than one array of steps");
}

}  // namespace
}  // namespace vta::compiler
