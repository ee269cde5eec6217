#include "tests/driver/runtime/test_module.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/module/module_writer.h"
#include "compiler/module/step_list.h"
#include "program/program.h"

namespace vta::driver {
namespace {

using compiler::ModuleContents;
using compiler::StepList;

constexpr uint64_t kAlignmentBytes = 1024;
const Tensor kImage{DType::kF32, {1, 16, 8, 8}, {}};
const Tensor kPair{DType::kI64, {2}, {}};
const Tensor kPacked{DType::kI8, {1, 1, 8, 8, 1, 16}, {}};

std::vector<std::byte> readFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Program makeProgram(const TestModuleOptions& options, bool is_last) {
  kernel::KernelDesc desc;
  desc.name = "add";
  desc.kind = kernel::KernelKind::kElementwise;
  desc.geometry.in_height = desc.geometry.out_height = 8;
  desc.geometry.in_width = desc.geometry.out_width = 8;
  desc.epilogue = {{AluOpcode::kAdd, kernel::EpilogueStep::Source::kImmediate, 3, 0}};
  const auto schedule = kernel::defaultSchedule(desc, options.hw);
  EXPECT_TRUE(schedule.ok()) << schedule.status().message();
  auto program = kernel::lower(desc, *schedule, options.hw);
  EXPECT_TRUE(program.ok()) << program.status().message();
  if (options.deadlock && is_last) program->instructions.back().tokens.pop_next = true;
  if (options.deadlock && is_last) program->instructions.back().tokens.pop_prev = true;
  return *std::move(program);
}

class TestModuleBuilder {
 public:
  explicit TestModuleBuilder(const TestModuleOptions& options) : options_(options) {}

  std::vector<std::byte> build() {
    const uint32_t image = steps_.addActivation("image", kImage, Storage::kHost);
    if (options_.hook != TestModuleOptions::Hook::kNone) {
      info_.inputs.push_back({"hook", steps_.addActivation("hook", kPair, Storage::kHost)});
    }
    uint32_t current = steps_.addActivation("packed", packedShape(), Storage::kDevice);
    addHostStep("pack", "test_pack", {image, current});
    uint32_t first = current;
    for (int i = 0; i < options_.num_kernels; ++i) {
      current = addKernel(current, i);
      if (i == 0) first = current;
    }
    if (options_.hook != TestModuleOptions::Hook::kNone) addHook(first);
    Tensor factor = Tensor::zeros(DType::kF32, {1});
    factor.as<float>()[0] = kTestFactor;
    const uint32_t constant = steps_.addConstant("factor", factor, Storage::kConstant);
    const uint32_t result = steps_.addActivation("scaled", kImage, Storage::kHost);
    addHostStep("unpack", "test_unpack", {current, constant, result});
    steps_.keep(result);

    info_.model = "test";
    info_.sdk_version = sdkVersion();
    info_.target_triple = options_.target_triple;
    if (options_.num_kernels > 0) info_.hw_yaml = options_.hw.toYaml();
    info_.inputs.push_back({"image", image});
    info_.outputs.push_back({"scaled", result});
    contents_.constants = steps_.finish(kAlignmentBytes, info_);
    if (!options_.without_host_code) contents_.host_objects = {readFile(VTA_TEST_HOST_OBJECT)};
    auto elf = compiler::writeModule(info_, contents_);
    EXPECT_TRUE(elf.ok()) << elf.status().message();
    return elf.ok() ? *std::move(elf) : std::vector<std::byte>{};
  }

 private:
  Tensor packedShape() const {
    if (options_.small_tensors) return {DType::kI8, {1, 1, 7, 8, 1, 16}, {}};
    return kPacked;
  }

  void addHostStep(const std::string& layer, const std::string& symbol,
                   std::vector<uint32_t> arguments) {
    StepInfo step;
    step.symbol = symbol;
    step.arguments = std::move(arguments);
    steps_.addStep(step, {layer, "Host", "cpu", "", 0});
  }

  void addHook(uint32_t first_kernels) {
    const uint32_t called = steps_.addActivation("called", kPair, Storage::kHost);
    if (options_.hook == TestModuleOptions::Hook::kBehindFirst) {
      addHostStep("hook", "test_hook_behind", {info_.inputs[0].tensor, first_kernels, called});
    } else {
      addHostStep("hook", "test_hook", {info_.inputs[0].tensor, called});
    }
    steps_.keep(called);
    info_.outputs.push_back({"called", called});
  }

  uint32_t addKernel(uint32_t input, int number) {
    const Program program = makeProgram(options_, number == options_.num_kernels - 1);
    const uint32_t output =
        steps_.addActivation("sum" + std::to_string(number), packedShape(), Storage::kDevice);
    StepInfo step;
    step.kind = StepInfo::Kind::kVta;
    step.symbol = options_.reference;
    step.arguments = {input, output};
    step.program = static_cast<uint32_t>(info_.programs.size());
    for (const BufferDecl& buffer : program.buffers) {
      step.buffers.push_back(bind(buffer, input, output));
    }
    const auto bytes = serializeProgram(program, options_.hw);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    info_.programs.push_back({contents_.programs.size(), bytes->size()});
    contents_.programs.insert(contents_.programs.end(), bytes->begin(), bytes->end());
    steps_.addStep(step, {"add" + std::to_string(number), "Add", "vta", "", 0});
    return output;
  }

  int32_t bind(const BufferDecl& buffer, uint32_t input, uint32_t output) {
    if (buffer.kind == BufferKind::kUop) return -1;
    if (buffer.name == kernel::kInputBuffer) return static_cast<int32_t>(input);
    if (buffer.name == kernel::kOutputBuffer) return static_cast<int32_t>(output);
    EXPECT_EQ(buffer.name, kernel::kIdentityBuffer);
    const std::vector<int8_t> weights = kernel::identityWeights(options_.hw);
    const auto bytes = std::as_bytes(std::span(weights));
    return static_cast<int32_t>(steps_.addConstant(
        "identity",
        {DType::kI8, {static_cast<int64_t>(weights.size())}, {bytes.begin(), bytes.end()}},
        Storage::kDeviceConstant));
  }

  const TestModuleOptions& options_;
  StepList steps_;
  ModuleInfo info_;
  ModuleContents contents_;
};

}  // namespace

std::vector<std::byte> makeTestModule(const TestModuleOptions& options) {
  return TestModuleBuilder(options).build();
}

Tensor makeTestInput() {
  Tensor input = Tensor::zeros(DType::kF32, {1, 16, 8, 8});
  int i = 0;
  for (float& value : input.as<float>()) value = static_cast<float>(i++ % 199 - 99);
  return input;
}

Tensor expectedOutput(const Tensor& input, int num_kernels) {
  Tensor output = input;
  for (float& value : output.as<float>()) value = (value + 3.0f * num_kernels) * kTestFactor;
  return output;
}

}  // namespace vta::driver
