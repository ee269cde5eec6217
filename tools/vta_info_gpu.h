// The GPUs of this machine, as vta-info shows them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/status.h"

namespace vta::tools {

/// A line for each GPU with its number, and one with its limits; why there are no more.
std::string gpuText();

/// The same as an array of objects.
nlohmann::ordered_json gpuJson();

/// What the self-tests of all GPUs have found, as text and as an array of objects.
struct GpuTests {
  std::string text;
  nlohmann::ordered_json json;
  bool passed = true;
};
GpuTests testGpus();

/// Bytes of a GPU's memory that one session of the module in `file` takes, without the code that
/// the driver makes; 0 for a module without steps for a GPU. Errors: a file that is no module, or
/// one for another processor.
Result<uint64_t> gpuBytesOfSession(const std::string& file);

}  // namespace vta::tools
