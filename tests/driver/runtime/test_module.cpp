#include "tests/driver/runtime/test_module.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/launch/launches.h"
#include "compiler/launch/vta_linker.h"
#include "compiler/module/module_writer.h"
#include "compiler/module/step_list.h"
#include "isa/program/program.h"

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
  explicit TestModuleBuilder(const TestModuleOptions& options) : options_(options) {
    if (options.num_kernels == 0) return;
    vta_ = steps_.addExecutor(vtaExecutor(options.hw), {"device", kAlignmentBytes});
  }

  std::vector<std::byte> build() {
    const uint32_t image = steps_.addActivation("image", kImage, host());
    if (options_.hook != TestModuleOptions::Hook::kNone) {
      info_.inputs.push_back({"hook", steps_.addActivation("hook", kPair, host())});
    }
    // Without kernels there is no device, and no memory of one.
    const uint32_t space = options_.num_kernels > 0 ? device() : host();
    uint32_t current = steps_.addActivation("packed", packedShape(), space);
    addHostStep("pack", "test_pack", {image, current});
    steps_.addParts(kCpuExecutor, "test_pack", {{"turn", "Transpose", 0}, {"narrow", "Cast", 0}});
    uint32_t first = current;
    for (int i = 0; i < options_.num_kernels; ++i) {
      if (options_.two_devices && i == options_.num_kernels - 1) {
        const uint32_t copy = steps_.addActivation("copy", packedShape(), device());
        addHostStep("move", "test_copy", {current, copy});
        current = copy;
      }
      current = addKernel(current, i);
      if (i == 0) first = current;
    }
    if (options_.hook != TestModuleOptions::Hook::kNone) addHook(first);
    if (options_.keeps_state) addState();
    Tensor factor = Tensor::zeros(DType::kF32, {1});
    factor.as<float>()[0] = kTestFactor;
    const uint32_t constant =
        steps_.addConstant("factor", factor, steps_.constantsOf(kCpuExecutor));
    const uint32_t result = steps_.addActivation("scaled", kImage, host());
    addHostStep("unpack", "test_unpack", {current, constant, result});
    steps_.keep(result);

    info_.model = "test";
    info_.sdk_version = sdkVersion();
    info_.target_triple = options_.target_triple;
    info_.inputs.push_back({"image", image});
    info_.outputs.push_back({"scaled", result});
    if (options_.counted_axis >= 0) countOutput();
    contents_.constants = steps_.finish(info_);
    if (options_.two_devices) moveLastKernel();
    if (options_.executor_kind != kVtaKind) {
      info_.executors.push_back({.kind = options_.executor_kind, .name = "another"});
    }
    info_.executors[kCpuExecutor].features = options_.cpu_features;
    info_.sizes = options_.sizes;
    const Status planned = compiler::addActions(linkers(), contents_.programs, info_);
    EXPECT_TRUE(planned.ok()) << planned.message();
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
    step.entry = steps_.addFunction(symbol);
    step.arguments = std::move(arguments);
    steps_.addStep(step, {layer, "Host", "cpu", "", 0});
  }

  void countOutput() {
    const uint32_t count = steps_.addActivation("count", {DType::kI64, {}, {}}, host());
    steps_.keep(count);
    info_.inputs.push_back({"count", count});
    info_.outputs.back().count = static_cast<int32_t>(count);
    info_.outputs.back().count_axis = static_cast<uint32_t>(options_.counted_axis);
  }

  void addHook(uint32_t first_kernels) {
    const uint32_t called = steps_.addActivation("called", kPair, host());
    if (options_.hook == TestModuleOptions::Hook::kBehindFirst) {
      addHostStep("hook", "test_hook_behind", {info_.inputs[0].tensor, first_kernels, called});
    } else {
      addHostStep("hook", "test_hook", {info_.inputs[0].tensor, called});
    }
    steps_.keep(called);
    info_.outputs.push_back({"called", called});
  }

  /// Gives the last kernel an executor with memories of its own.
  void moveLastKernel() {
    ExecutorInfo second = vtaExecutor(options_.hw);
    second.name = "vta2";
    const auto space = static_cast<uint32_t>(info_.spaces.size());
    const uint32_t executor = addExecutor(info_, second, {"device", kAlignmentBytes});
    info_.spaces[space].size_bytes = info_.arenaBytes(vta_);
    const uint32_t program = static_cast<uint32_t>(info_.programs.size()) - 1;
    info_.programs[program].executor = executor;
    for (StepInfo& step : info_.steps) {
      if (step.executor == vta_ && step.entry == program) step.executor = executor;
    }
    for (const int32_t tensor : info_.programs[program].buffers) {
      if (tensor < 0) continue;
      uint32_t& place = info_.tensors[tensor].space;
      place = place == device() ? space : space + 1;
    }
  }

  void addState() {
    const uint32_t state = steps_.addActivation("state", kPair, steps_.stateOf(kCpuExecutor));
    const uint32_t counted = steps_.addActivation("counted", kPair, host());
    addHostStep("count", "test_count", {state, counted});
    addHostStep("keep", "test_copy_pair", {counted, state});
    steps_.keep(counted);
    info_.outputs.push_back({"counted", counted});
    if (options_.num_kernels == 0) return;
    const uint32_t cache = steps_.addActivation("cache", packedShape(), steps_.stateOf(vta_));
    const uint32_t cached = addKernel(cache, options_.num_kernels);
    addHostStep("keep cache", "test_copy", {cached, cache});
    steps_.keep(cached);
    info_.outputs.push_back({"cached", cached});
  }

  uint32_t addKernel(uint32_t input, int number) {
    const Program program = makeProgram(options_, number == options_.num_kernels - 1);
    const uint32_t output =
        steps_.addActivation("sum" + std::to_string(number), packedShape(), device());
    StepInfo step;
    step.executor = vta_;
    step.reference = static_cast<int32_t>(steps_.addFunction(options_.reference));
    step.arguments = {input, output};
    auto info = compiler::appendProgram(vta_, program, options_.hw, contents_.programs);
    EXPECT_TRUE(info.ok()) << info.status().message();
    for (const BufferDecl& buffer : program.buffers) {
      info->buffers.push_back(bind(buffer, input, output));
    }
    step.entry = steps_.addProgram(*info);
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
        steps_.constantsOf(vta_)));
  }

  uint32_t host() const { return steps_.activationsOf(kCpuExecutor); }
  uint32_t device() const { return steps_.activationsOf(vta_); }

  compiler::Linkers linkers() const {
    compiler::Linkers linkers;
    for (uint32_t i = 0; i < info_.executors.size(); ++i) {
      if (info_.executors[i].kind == kVtaKind) linkers[i] = &compiler::vtaLinker();
    }
    return linkers;
  }

  const TestModuleOptions& options_;
  StepList steps_;
  uint32_t vta_ = 0;
  ModuleInfo info_;
  ModuleContents contents_;
};

}  // namespace

std::vector<std::byte> makeTestModule(const TestModuleOptions& options) {
  return TestModuleBuilder(options).build();
}

Tensor makeTestCount(int64_t count) {
  Tensor tensor = Tensor::zeros(DType::kI64, {});
  tensor.as<int64_t>()[0] = count;
  return tensor;
}

Tensor firstOf(const Tensor& tensor, int axis, int64_t count) {
  Tensor part{tensor.dtype, tensor.shape, {}};
  part.shape[axis] = count;
  size_t block_bytes = dtypeBytes(tensor.dtype);
  for (size_t d = static_cast<size_t>(axis) + 1; d < tensor.shape.size(); ++d) {
    block_bytes *= static_cast<size_t>(tensor.shape[d]);
  }
  const auto extent = static_cast<size_t>(tensor.shape[axis]);
  for (size_t i = 0; i < tensor.data.size(); ++i) {
    const bool is_inside = i / block_bytes % extent < static_cast<size_t>(count);
    if (is_inside) part.data.push_back(tensor.data[i]);
  }
  return part;
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
