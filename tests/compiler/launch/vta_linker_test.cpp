#include "compiler/launch/vta_linker.h"

#include <gtest/gtest.h>

#include "tests/isa/program/sample_program.h"
#include "tests/module/two_machines.h"

namespace vta::compiler {
namespace {

using test::kDeviceConstantSpace;
using test::kDeviceSpace;
using test::kVtaExecutor;

const HwConfig kHw = HwConfig::makeDefault();

// Two kernels, each with the buffers micro-ops, input, weights and output: the weights of the first
// are computed, those of the second are constants.
ModuleInfo twoKernels() {
  ModuleInfo info;
  test::addTwoMachines(info, kHw);
  const auto tensor = [&](uint32_t space, uint64_t offset_bytes) {
    info.tensors.push_back({"", DType::kI8, {256}, space, offset_bytes, 256});
  };
  for (uint64_t i = 0; i < 4; ++i) tensor(kDeviceSpace, 256 * i);
  tensor(kDeviceConstantSpace, 0);
  info.layers = {{"first", "MatMul", "vta", "", 0}, {"second", "MatMul", "vta", "", 0}};
  info.programs = {{kVtaExecutor, {{"", 0, 0}}, {-1, 0, 1, 2}},
                   {kVtaExecutor, {{"", 0, 0}}, {-1, 2, 4, 3}}};
  info.steps = {{kVtaExecutor, 0, 0, {0, 1, 2}, 1, 0}, {kVtaExecutor, 1, 1, {2, 4, 3}, 1, 0}};
  return info;
}

TEST(VtaLinker, WeightsThatAreComputedAreNoConstants) {
  const std::vector<Program> programs = {test::gemmProgram(kHw), test::gemmProgram(kHw)};
  const ModuleInfo info = twoKernels();
  const auto launch = linkLaunch(programs, {kVtaExecutor, 0, 2, 0, false, {}}, kHw, info);
  ASSERT_TRUE(launch.ok()) << launch.status().message();
  int weights = 0;
  for (size_t i = 0; i < launch->buffers.size(); ++i) {
    const BufferKind kind = launch->program.buffers[i].kind;
    const bool is_computed = launch->buffers[i] == 1;
    if (!is_computed && launch->buffers[i] != 4) continue;
    EXPECT_EQ(kind, is_computed ? BufferKind::kInput : BufferKind::kConstant);
    ++weights;
  }
  EXPECT_EQ(weights, 2);
}

}  // namespace
}  // namespace vta::compiler
