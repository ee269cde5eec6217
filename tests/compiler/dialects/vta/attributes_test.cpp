#include "compiler/dialects/vta/attributes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "compiler/dialects/vta/vta.h"
#include "mlir/AsmParser/AsmParser.h"

namespace vta::compiler {
namespace {

using kernel::EpilogueStep;
using kernel::KernelDesc;
using kernel::KernelKind;

std::vector<EpilogueStep> randomSteps(std::mt19937& rng) {
  std::vector<EpilogueStep> steps(rng() % 4);
  for (EpilogueStep& step : steps) {
    step.opcode = kAluOperations[rng() % std::size(kAluOperations)].opcode;
    step.source = static_cast<EpilogueStep::Source>(rng() % 4);
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
  g.pad_value = static_cast<int64_t>(rng() % 256) - 128;
  g.groups = 1 + static_cast<int64_t>(rng() % 4);
  g.in_channel_blocks *= g.groups;
  g.out_channel_blocks *= g.groups;
  desc.num_params = static_cast<int64_t>(rng() % 4);
  desc.factor_blocks = static_cast<int64_t>(rng() % 3);
  desc.epilogue = randomSteps(rng);
  if (rng() % 2) desc.residual = kernel::Residual{randomSteps(rng)};
  if (rng() % 2) {
    desc.pool = kernel::Pool{.out_height = 3, .kernel_width = static_cast<int64_t>(rng() % 5)};
  }
  desc.bias_exceeds_results = rng() % 2 == 1;
  if (desc.bias_exceeds_results) desc.small_bias_blocks.resize(rng() % 3, 7);
  return desc;
}

std::string textOf(mlir::Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

class VtaAttributes : public ::testing::Test {
 protected:
  VtaAttributes() { context_.loadDialect<VtaDialect>(); }

  mlir::MLIRContext context_;
};

TEST_F(VtaAttributes, DescriptionsRoundTrip) {
  std::mt19937 rng(1);
  for (int i = 0; i < 200; ++i) {
    const KernelDesc desc = randomDesc(rng);
    const auto attribute = KernelAttr::get(&context_, desc);
    EXPECT_EQ(attribute.getValue(), desc);
    EXPECT_EQ(KernelAttr::get(&context_, desc), attribute);
    EXPECT_EQ(mlir::parseAttribute(textOf(attribute), &context_), attribute) << textOf(attribute);
  }
}

TEST_F(VtaAttributes, SchedulesRoundTrip) {
  const kernel::Schedule schedule{.tile_height = 7,
                                  .tile_width = 14,
                                  .tile_out_blocks = 2,
                                  .tile_in_blocks = 3,
                                  .tile_kernel_height = 5,
                                  .tile_kernel_width = 6,
                                  .virtual_threads = 1,
                                  .order = kernel::Schedule::Order::kWeightsOuter,
                                  .int8_through_gemm = false,
                                  .skip_padding = true};
  for (const kernel::Schedule& value : {schedule, kernel::Schedule{}}) {
    const auto attribute = ScheduleAttr::get(&context_, value);
    EXPECT_EQ(attribute.getValue(), value);
    EXPECT_EQ(mlir::parseAttribute(textOf(attribute), &context_), attribute) << textOf(attribute);
  }
}

TEST_F(VtaAttributes, DefaultsAreLeftOut) {
  EXPECT_EQ(textOf(KernelAttr::get(&context_, {})), "#vta.kernel<contraction>");
  EXPECT_EQ(textOf(ScheduleAttr::get(&context_, {.tile_height = 7})),
            "#vta.schedule<tile_height = 7>");
}

TEST_F(VtaAttributes, EveryFieldOfScheduleIsDocumented) {
  std::ifstream file(VTA_SOURCE_DIR "/docs/reference/vta-dialect.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const kernel::ScheduleField& field : kernel::scheduleFields()) {
    const std::string quoted = std::string("`").append(field.key).append("`");
    EXPECT_NE(page.find(quoted), std::string::npos) << field.key;
  }
}

}  // namespace
}  // namespace vta::compiler
