// TensorDump: what each step of a run has computed, as files.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/status.h"
#include "driver/runtime/session.h"
#include "module/module_info.h"

namespace vta::tools {

/// Writes `NNN.LAYER.npy` for each result of step NNN, `NNN.LAYER.expected.npy` for what its
/// reference computes, and `tensors.json`, which says of each file what it is. That is complete
/// behind every result, because a layer that differs ends the run.
/// What the VTA keeps in blocks is written as [images, channels, height, width], with the channels
/// and images that fill the last block.
class TensorDump {
 public:
  /// Creates `folder`. `info` has to outlive what is returned. Errors: it cannot be created.
  static Result<std::unique_ptr<TensorDump>> create(const std::filesystem::path& folder,
                                                    const ModuleInfo& info);

  /// One result. Errors: a file that cannot be written.
  Status add(const driver::StepResult& result);

 private:
  TensorDump(std::filesystem::path folder, const ModuleInfo& info);
  Status write(const std::string& name, const TensorInfo& tensor, std::span<const std::byte> bytes);

  std::filesystem::path folder_;
  const ModuleInfo& info_;
  std::vector<std::string> names_;  // of files, by step
  std::set<std::string> written_;
  nlohmann::ordered_json index_;
};

}  // namespace vta::tools
