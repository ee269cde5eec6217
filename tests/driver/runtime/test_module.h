// Modules for runtime tests: a host step packs an image, kernels on the VTA add 3 each, a host step
// unpacks and scales.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"

namespace vta::driver {

struct TestModuleOptions {
  HwConfig hw = HwConfig::makeDefault();
  int num_kernels = 2;
  std::string reference = "test_add_3";
  std::string target_triple = VTA_TEST_TRIPLE;
  bool deadlock = false;       // the last kernel waits for a token that never comes
  bool small_tensors = false;  // tensors smaller than the programs' buffers
  bool without_host_code = false;
  /// A host step in front of "unpack" that calls a function: input "hook", output "called", both
  /// i64 [2] (host_functions.c). It reads what the first kernel makes, or nothing of the VTA's.
  enum class Hook { kNone, kIndependent, kBehindFirst } hook = Hook::kNone;
  /// What lives from run to run: outputs "counted", i64 [2], whose first number is that of the run,
  /// and "cached", packed, whose elements are three times that, where there are kernels.
  bool keeps_state = false;
  /// Output "scaled" is counted along this dimension, by a further input "count", i64.
  int counted_axis = -1;
  /// The last kernel runs on an executor of its own, "vta2", behind a copy on the host.
  bool two_devices = false;
  std::string executor_kind = "vta";  // of a further executor that has no steps, if it is another
  std::vector<std::string> cpu_features = {};
  std::vector<SizeInfo> sizes = {};
};

inline constexpr float kTestFactor = 0.5f;

/// The module's file contents. Layers: "pack" with two parts, "add0", "add1", ..., "unpack".
std::vector<std::byte> makeTestModule(const TestModuleOptions& options = {});

/// A value for input "count".
Tensor makeTestCount(int64_t count);

/// The first `count` positions of dimension `axis`.
Tensor firstOf(const Tensor& tensor, int axis, int64_t count);

/// An input that fits, and the output that the module must have for it.
Tensor makeTestInput();
Tensor expectedOutput(const Tensor& input, int num_kernels);

}  // namespace vta::driver
