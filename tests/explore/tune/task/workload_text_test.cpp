#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compiler/kernel/desc/fields.h"
#include "explore/tune/task/task_text.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using kernel::EpilogueStep;
using kernel::Geometry;
using kernel::KernelDesc;
using kernel::Pool;

const EpilogueStep kStep = {AluOpcode::kShr, EpilogueStep::Source::kImmediate, 1, 0};

/// Another value than `value`.
void change(std::vector<EpilogueStep>& value) { value.push_back(kStep); }
void change(std::optional<kernel::Residual>& value) { value.emplace().steps = {kStep}; }
void change(std::optional<Pool>& value) { value.emplace().stride_x = 2; }
template <typename Value>
void change(Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    value = !value;
  } else if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(static_cast<int>(value) + 1);
  } else if constexpr (std::is_integral_v<Value>) {
    ++value;
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value += "x";
  } else {
    value.push_back(1);
  }
}

void expectAnotherText(const KernelDesc& desc, const KernelDesc& changed, const char* key) {
  const std::string text = workloadText(changed);
  EXPECT_NE(text, workloadText(desc)) << key;
  const Result<KernelDesc> read = parseWorkload(text);
  ASSERT_TRUE(read.ok()) << key << ": " << read.status().message();
  EXPECT_EQ(workloadText(*read), text) << key;
}

KernelDesc aKernel() {
  KernelDesc desc = testing::smallConvolution();
  desc.bias_exceeds_results = true;
  return desc;
}

// A field that a list forgot would make one task of kernels that take different times.
TEST(WorkloadText, EveryFieldChangesIt) {
  const KernelDesc desc = aKernel();
  const std::set<std::string_view> timeless = {"name", "table"};
  kernel::forEachField<KernelDesc>([&](const auto& field) {
    if constexpr (!std::is_same_v<decltype(field.member), Geometry KernelDesc::*>) {
      KernelDesc changed = desc;
      change(changed.*field.member);
      if (timeless.contains(field.key)) {
        EXPECT_EQ(workloadText(changed), workloadText(desc)) << field.key;
      } else {
        expectAnotherText(desc, changed, field.key);
      }
    }
  });
}

TEST(WorkloadText, EveryFieldOfTheGeometryChangesIt) {
  const KernelDesc desc = aKernel();
  kernel::forEachField<Geometry>([&](const auto& field) {
    KernelDesc changed = desc;
    change(changed.geometry.*field.member);
    expectAnotherText(desc, changed, field.key);
  });
}

TEST(WorkloadText, EveryFieldOfThePoolChangesIt) {
  KernelDesc desc = aKernel();
  desc.pool.emplace();
  kernel::forEachField<Pool>([&](const auto& field) {
    KernelDesc changed = desc;
    change((*changed.pool).*field.member);
    expectAnotherText(desc, changed, field.key);
  });
}

// Databases and the schedules that come with the project hold such texts.
TEST(WorkloadText, IsThatOfDatabases) {
  KernelDesc desc;
  desc.geometry.in_width = 3;
  desc.geometry.out_width = 3;
  EXPECT_EQ(workloadText(desc),
            "{\"kind\":0,\"geometry\":{\"batch_blocks\":1,\"in_channel_blocks\":1,"
            "\"out_channel_blocks\":1,\"groups\":1,\"in_height\":1,\"in_width\":3,\"out_height\":1,"
            "\"out_width\":3,\"kernel_height\":1,\"kernel_width\":1,\"stride_y\":1,\"stride_x\":1,"
            "\"dilation_y\":1,\"dilation_x\":1,\"pad_top\":0,\"pad_left\":0,\"pad_bottom\":0,"
            "\"pad_right\":0,\"interleave_y\":1,\"interleave_x\":1,\"phases\":1,\"crop_top\":0,"
            "\"crop_left\":0,\"crop_bottom\":0,\"crop_right\":0,\"pad_kind\":0},\"num_params\":0,"
            "\"epilogue\":[]}");
  desc.weight_layout = kernel::WeightLayout::kInputRows;
  const Result<KernelDesc> read = parseWorkload(workloadText(desc));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->weight_layout, desc.weight_layout);
}

}  // namespace
}  // namespace vta::tune
