#include "tests/host_gpu/runtime/gpu_module.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/integer_math.h"
#include "compiler/launch/action_plan.h"
#include "compiler/launch/launches.h"
#include "compiler/module/module_writer.h"
#include "module/executor_kinds.h"
#include "tests/driver/gpu/test_kernels.h"

namespace vta::driver::test {
namespace {

using Contents = SpaceInfo::Contents;

constexpr int8_t kTable = 5;
const std::vector<int64_t> kGpuModuleShape = {1, 1, 8, 8, 1, 16};

GpuProgram sumProgram() {
  constexpr uint64_t kBytes = kGpuModuleBytes;
  using Source = GpuBinding::Source;
  return {.argument_bytes = {kBytes, kBytes, kBytes},
          .kernels = {addBytesKernel(kGpuModuleBytes)},
          .dispatches = {{0,
                          workgroupsFor(kGpuModuleBytes, 64),
                          {{Source::kArgument, 0, 0, kBytes},
                           {Source::kArgument, 1, 0, kBytes},
                           {Source::kArgument, 2, 0, kBytes}}}}};
}

class GpuModuleBuilder {
 public:
  explicit GpuModuleBuilder(const GpuModuleOptions& options) : options_(options) {
    cpu_ = addExecutor(info_, cpuExecutor(), hostMemory());
    gpu_ = addExecutor(info_, gpuExecutor(), gpuMemory());
  }

  std::vector<std::byte> build() {
    const uint32_t x = add("x", cpu_), a = add("a", gpu_), b = add("b", gpu_), c = add("c", gpu_),
                   y = add("y", cpu_), k = addTable();
    copy("enter", x, a);
    sum("sum", {a, x, b});
    sum("table", {b, k, c});
    copy("leave", c, y);
    info_.inputs.push_back({"x", x});
    info_.outputs.push_back({"y", y});
    info_.model = "GPU module";
    info_.sdk_version = sdkVersion();
    info_.target_triple = VTA_TEST_TRIPLE;
    if (options_.change_info) options_.change_info(info_);
    const Status planned = compiler::addActions({}, contents_.programs, info_);
    EXPECT_TRUE(planned.ok()) << planned.message();
    const auto object = readFile(VTA_TEST_HOST_OBJECT);
    EXPECT_TRUE(object.ok()) << object.status().message();
    contents_.host_objects = {*object};
    auto elf = compiler::writeModule(info_, contents_);
    EXPECT_TRUE(elf.ok()) << elf.status().message();
    return elf.ok() ? *std::move(elf) : std::vector<std::byte>{};
  }

 private:
  uint32_t add(const std::string& name, uint32_t executor) {
    const uint32_t space = *info_.findSpace(executor, Contents::kActivations);
    SpaceInfo& memory = info_.spaces[space];
    const uint64_t offset_bytes = roundUp(memory.size_bytes, memory.alignment_bytes);
    memory.size_bytes = offset_bytes + kGpuModuleBytes;
    info_.tensors.push_back(
        {name, DType::kI8, kGpuModuleShape, space, offset_bytes, kGpuModuleBytes});
    return static_cast<uint32_t>(info_.tensors.size() - 1);
  }

  uint32_t addTable() {
    contents_.constants.assign(kGpuModuleBytes, std::byte{kTable});
    info_.tensors.push_back({"k", DType::kI8, kGpuModuleShape,
                             *info_.findSpace(cpu_, Contents::kConstants), 0, kGpuModuleBytes});
    return static_cast<uint32_t>(info_.tensors.size() - 1);
  }

  uint32_t function(const std::string& symbol) {
    info_.functions.push_back(symbol);
    return static_cast<uint32_t>(info_.functions.size() - 1);
  }

  void addStep(const std::string& layer, StepInfo step) {
    step.layer = static_cast<uint32_t>(info_.layers.size());
    info_.layers.push_back({layer, "Test", info_.executors[step.executor].name, "", 0});
    info_.steps.push_back(std::move(step));
  }

  void copy(const std::string& layer, uint32_t from, uint32_t to) {
    addStep(layer, {.executor = cpu_, .entry = function("test_copy"), .arguments = {from, to}});
  }

  void sum(const std::string& layer, const std::vector<uint32_t>& arguments) {
    GpuProgram program = sumProgram();
    ProgramInfo info;
    info.executor = gpu_;
    info.buffers.assign(arguments.begin(), arguments.end());
    if (options_.has_variant_for_others) {
      GpuProgram other = program;
      other.kernels[0].workgroup_size = {1 << 16, 1, 1};
      addVariant("large", other, info);
    }
    if (options_.change_program) options_.change_program(program);
    addVariant("", program, info);
    info_.programs.push_back(std::move(info));
    addStep(layer, {.executor = gpu_,
                    .entry = static_cast<uint32_t>(info_.programs.size() - 1),
                    .arguments = arguments,
                    .reference = static_cast<int32_t>(function(options_.reference))});
  }

  void addVariant(const std::string& target, const GpuProgram& program, ProgramInfo& info) {
    const auto bytes = serializeGpuProgram(program);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    info.variants.push_back(compiler::appendCode(target, *bytes, contents_.programs));
  }

  const GpuModuleOptions& options_;
  uint32_t cpu_ = 0, gpu_ = 0;
  ModuleInfo info_;
  compiler::ModuleContents contents_;
};

}  // namespace

std::vector<std::byte> makeGpuModule(const GpuModuleOptions& options) {
  return GpuModuleBuilder(options).build();
}

Tensor gpuModuleInput() {
  Tensor input = Tensor::zeros(DType::kI8, kGpuModuleShape);
  int i = 0;
  for (int8_t& value : input.as<int8_t>()) value = static_cast<int8_t>(i++ % 23 - 11);
  return input;
}

Tensor gpuModuleOutput(const Tensor& input) {
  Tensor output = input;
  for (int8_t& value : output.as<int8_t>()) value = static_cast<int8_t>(2 * value + kTable);
  return output;
}

}  // namespace vta::driver::test
