// Sweeps of tests, which stand beside the example model and name it digits.onnx.
#pragma once

#include <filesystem>
#include <string>

#include "explore/sweep/space/sweep_config.h"

namespace vta::sweep {

inline Result<SweepConfig> parseBesideDigits(const std::string& text) {
  return parseSweepConfig(text,
                          std::filesystem::path(VTA_SOURCE_DIR) / "examples/digits/sweep.yaml");
}

}  // namespace vta::sweep
