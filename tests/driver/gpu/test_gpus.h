// The GPUs that tests use: processors that stand for one, so that every machine has them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "driver/gpu/gpu_device.h"

namespace vta::driver::test {

struct TestGpu {
  std::string name;     // "llvmpipe", "swiftshader", ...
  std::string icd;      // of Vulkan: the file that names the driver
  bool staged = false;  // the host has no view of buffers
  bool is_opencl = false;
  bool is_cuda = false;  // the library that stands for NVIDIA's

  /// Its driver gives away what it compiles. Those of Vulkan that stand for a GPU do not.
  bool givesCode() const { return is_opencl || is_cuda; }
  /// Its driver is on this machine.
  bool isThere() const;
  Result<std::unique_ptr<GpuDevice>> open() const;
};

inline void PrintTo(const TestGpu& gpu, std::ostream* stream) { *stream << gpu.name; }

/// All of them, whether they are there or not.
std::vector<TestGpu> testGpus();

/// Runs a program of one kernel that every GPU has to run, for a second at most. Its tensors are
/// added to `buffers`, because a kernel that hangs goes on using them.
Status runProbe(GpuDevice& gpu, std::vector<OwnedDeviceBuffer>& buffers);

/// Sets a variable of the environment for as long as the object lives.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::string old_value_;
  bool was_set_;
};

}  // namespace vta::driver::test
