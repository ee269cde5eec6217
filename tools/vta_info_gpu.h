// The GPUs of this machine, as vta-info shows them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

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

}  // namespace vta::tools
