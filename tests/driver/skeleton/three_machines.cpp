#include "tests/driver/skeleton/three_machines.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <span>

#include "base/integer_math.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/launch/action_plan.h"
#include "compiler/launch/launches.h"
#include "compiler/launch/vta_linker.h"
#include "compiler/module/module_writer.h"
#include "isa/program/program.h"
#include "module/executor_kinds.h"

namespace vta::driver::test {
namespace {

using Contents = SpaceInfo::Contents;

constexpr int8_t kConstant = 7;
constexpr uint64_t kAlignmentBytes = 1024;
const std::vector<int64_t> kShape = {1, 1, 8, 8, 1, 16};

std::vector<std::byte> readObject(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// A kernel that adds 3.
Program kernelProgram(const HwConfig& hw) {
  kernel::KernelDesc desc;
  desc.name = "add";
  desc.kind = kernel::KernelKind::kElementwise;
  desc.geometry.in_height = desc.geometry.out_height = 8;
  desc.geometry.in_width = desc.geometry.out_width = 8;
  desc.epilogue = {{AluOpcode::kAdd, kernel::EpilogueStep::Source::kImmediate, 3, 0}};
  const auto schedule = kernel::defaultSchedule(desc, hw);
  EXPECT_TRUE(schedule.ok()) << schedule.status().message();
  auto program = kernel::lower(desc, *schedule, hw);
  EXPECT_TRUE(program.ok()) << program.status().message();
  return *std::move(program);
}

/// Puts tensors one behind the other: this module tests machines, not plans of memory.
class ThreeMachinesBuilder {
 public:
  explicit ThreeMachinesBuilder(const ThreeMachinesOptions& options) : options_(options) {
    cpu_ = addExecutor(info_, cpuExecutor(), hostMemory());
    if (options.has_vta) {
      second_ = addExecutor(info_, vtaExecutor(options.hw), {"device", kAlignmentBytes});
    } else {
      second_ = addExecutor(info_, skeletonExecutor("other"), {"other", 256});
    }
    third_ = addExecutor(info_, skeletonExecutor("skeleton"), {"skeleton", 256});
  }

  std::vector<std::byte> build() {
    const uint32_t x = add("x", cpu_), a = add("a", second_), b = add("b", second_),
                   k = addConstant("k", cpu_, std::vector<int8_t>(kThreeMachinesBytes, kConstant)),
                   c = add("c", third_), d = add("d", second_), e = add("e", third_),
                   s = add("s", third_, Contents::kState), t = add("t", third_), y = add("y", cpu_);
    callFunction("enter", "test_copy", {x, a});
    addThree("second", a, b);
    runSkeleton("third", third_, "sum", "test_sum_2", {b, k, c});
    addThree("back", c, d);
    runSkeleton("both", third_, options_.code, "test_sum_2", {d, x, e});
    runSkeleton("count", third_, "sum", "test_sum_2", {s, e, t});
    callFunction("keep", "test_copy", {t, s});
    callFunction("leave", "test_copy", {e, y});
    info_.inputs.push_back({"x", x});
    info_.outputs.push_back({"y", y});
    info_.outputs.push_back({"t", t});
    return finish();
  }

 private:
  static ExecutorInfo skeletonExecutor(const std::string& name) {
    return {.kind = "skeleton",
            .name = name,
            .traits = {.entries = EntryTable::kPrograms, .runs_in_background = true}};
  }

  uint32_t add(const std::string& name, uint32_t executor,
               Contents contents = Contents::kActivations) {
    const uint32_t space = *info_.findSpace(executor, contents);
    TensorInfo tensor{name, DType::kI8, kShape, space, 0, kThreeMachinesBytes};
    uint64_t& end_bytes = info_.spaces[space].size_bytes;
    tensor.offset_bytes = roundUp(end_bytes, info_.spaces[space].alignment_bytes);
    end_bytes = tensor.offset_bytes + tensor.size_bytes;
    info_.tensors.push_back(tensor);
    return static_cast<uint32_t>(info_.tensors.size() - 1);
  }

  uint32_t addConstant(const std::string& name, uint32_t executor,
                       const std::vector<int8_t>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    std::vector<std::byte>& section = contents_.constants;
    section.resize(roundUp(section.size(), 64));
    const std::vector<int64_t> shape = bytes.size() == kThreeMachinesBytes
                                           ? kShape
                                           : std::vector{static_cast<int64_t>(bytes.size())};
    info_.tensors.push_back({name, DType::kI8, shape,
                             *info_.findSpace(executor, Contents::kConstants), section.size(),
                             bytes.size()});
    section.insert(section.end(), bytes.begin(), bytes.end());
    return static_cast<uint32_t>(info_.tensors.size() - 1);
  }

  uint32_t function(const std::string& symbol) {
    const auto found = std::ranges::find(info_.functions, symbol);
    if (found == info_.functions.end()) info_.functions.push_back(symbol);
    return static_cast<uint32_t>(std::ranges::find(info_.functions, symbol) -
                                 info_.functions.begin());
  }

  void addStep(const std::string& layer, StepInfo step) {
    step.layer = static_cast<uint32_t>(info_.layers.size());
    info_.layers.push_back({layer, "Test", info_.executors[step.executor].name, "", 0});
    info_.steps.push_back(std::move(step));
  }

  void callFunction(const std::string& layer, const std::string& symbol,
                    std::vector<uint32_t> arguments) {
    addStep(layer,
            {.executor = cpu_, .entry = function(symbol), .arguments = std::move(arguments)});
  }

  void runProgram(const std::string& layer, uint32_t executor, ProgramInfo program,
                  const std::string& reference, std::vector<uint32_t> arguments) {
    program.executor = executor;
    info_.programs.push_back(std::move(program));
    addStep(layer, {.executor = executor,
                    .entry = static_cast<uint32_t>(info_.programs.size() - 1),
                    .arguments = std::move(arguments),
                    .reference = static_cast<int32_t>(function(reference))});
  }

  void runSkeleton(const std::string& layer, uint32_t executor, const std::string& code,
                   const std::string& reference, const std::vector<uint32_t>& arguments) {
    ProgramInfo program;
    for (const std::string& target : options_.targets) {
      program.variants.push_back(
          compiler::appendCode(target, std::as_bytes(std::span(code)), contents_.programs));
    }
    program.buffers.assign(arguments.begin(), arguments.end());
    runProgram(layer, executor, std::move(program), reference, arguments);
  }

  void addThree(const std::string& layer, uint32_t input, uint32_t output) {
    if (!options_.has_vta) {
      const uint32_t three =
          addConstant("three", second_, std::vector<int8_t>(kThreeMachinesBytes, 3));
      runSkeleton(layer, second_, "sum", "test_sum_2", {input, three, output});
      return;
    }
    const Program program = kernelProgram(options_.hw);
    auto info = compiler::appendProgram(second_, program, options_.hw, contents_.programs);
    EXPECT_TRUE(info.ok()) << info.status().message();
    for (const BufferDecl& buffer : program.buffers) {
      int32_t tensor = -1;
      if (buffer.name == kernel::kInputBuffer) tensor = static_cast<int32_t>(input);
      if (buffer.name == kernel::kOutputBuffer) tensor = static_cast<int32_t>(output);
      if (buffer.name == kernel::kIdentityBuffer) {
        tensor = static_cast<int32_t>(
            addConstant("identity", second_, kernel::identityWeights(options_.hw)));
      }
      info->buffers.push_back(tensor);
    }
    runProgram(layer, second_, *std::move(info), "test_add_3", {input, output});
  }

  std::vector<std::byte> finish() {
    info_.model = "three machines";
    info_.sdk_version = sdkVersion();
    info_.target_triple = VTA_TEST_TRIPLE;
    if (options_.has_open_size) info_.sizes.push_back({"n", 1, 8});
    compiler::Linkers linkers;
    if (options_.has_vta) linkers[second_] = &compiler::vtaLinker();
    const Status planned = compiler::addActions(linkers, contents_.programs, info_);
    EXPECT_TRUE(planned.ok()) << planned.message();
    contents_.host_objects = {readObject(VTA_TEST_HOST_OBJECT)};
    auto elf = compiler::writeModule(info_, contents_);
    EXPECT_TRUE(elf.ok()) << elf.status().message();
    return elf.ok() ? *std::move(elf) : std::vector<std::byte>{};
  }

  const ThreeMachinesOptions& options_;
  uint32_t cpu_ = 0, second_ = 0, third_ = 0;
  ModuleInfo info_;
  compiler::ModuleContents contents_;
};

/// Each byte of `input` times `factor`, and `summand`.
Tensor mapped(const Tensor& input, int factor, int summand) {
  Tensor output = input;
  for (int8_t& value : output.as<int8_t>()) {
    value = static_cast<int8_t>(value * factor + summand);
  }
  return output;
}

}  // namespace

std::vector<std::byte> makeThreeMachines(const ThreeMachinesOptions& options) {
  return ThreeMachinesBuilder(options).build();
}

Tensor threeMachinesInput() {
  Tensor input = Tensor::zeros(DType::kI8, kShape);
  int i = 0;
  for (int8_t& value : input.as<int8_t>()) value = static_cast<int8_t>(i++ % 23 - 11);
  return input;
}

Tensor expectedY(const Tensor& input) { return mapped(input, 2, 2 * 3 + kConstant); }

Tensor expectedT(const Tensor& input, int run) { return mapped(expectedY(input), run, 0); }

}  // namespace vta::driver::test
