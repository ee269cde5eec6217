#include "tools/vta_sweep/confirm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/closest_name.h"
#include "base/process/find_program.h"
#include "base/process/run_command.h"
#include "base/temporary_folder.h"
#include "explore/sweep/area/area_model.h"
#include "tools/common/config_folder.h"
#include "tools/common/files.h"

namespace vta::tools {
Result<std::string> confirmPoint(const sweep::PointResult& point, const std::string& device) {
  if (findProgram("yosys").empty()) {
    return notFound("--confirm needs yosys, which is not on PATH: apt-get install yosys");
  }
  const auto configs = findConfigFolder();
  const std::filesystem::path script =
      configs ? configs->parent_path().parent_path() / "hw/synth/synth" : "";
  std::error_code code;
  if (!configs || !std::filesystem::exists(script, code)) {
    return notFound("--confirm needs hw/synth/synth of the repository: run it from there");
  }
  VTA_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create("vta-sweep"));
  const std::filesystem::path file = folder.path() / "point.yaml";
  VTA_RETURN_IF_ERROR(writeFile(file, point.point.hw->toYaml()));
  const std::vector<std::string> synth = {script.string(), file.string(), "--device", device,
                                          "--json"};
  VTA_ASSIGN_OR_RETURN(const CommandResult result, runCommand(synth, {.limit = std::nullopt}));
  // It fails also when the design does not fit, with its figures.
  const std::string line = result.output.substr(0, result.output.find('\n'));
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return internalError(describeFailure("synthesis failed", result));
  const sweep::AreaEstimate used{json.value("lut", 0.0), json.value("ff", 0.0),
                                 json.value("dsp", 0.0), json.value("bram36", 0.0), 0};
  const sweep::DeviceResources* resources = sweep::findDevice(device);
  const std::string lacks = resources == nullptr ? "" : sweep::fits(used, *resources, 0);
  const sweep::AreaEstimate& estimate = point.point.area;
  return fmt::format(
      "LUT {:.0f} (estimate {:.0f}), FF {:.0f} ({:.0f}), DSP {:g} ({:g}), BRAM36 {:g} "
      "({:g}): {}",
      used.lut, estimate.lut, used.ff, estimate.ff, used.dsp, estimate.dsp, used.bram36,
      estimate.bram36, lacks.empty() ? "fits" : "does not fit: " + lacks);
}

Status checkDevice(const std::string& device) {
  if (device.empty() || sweep::findDevice(device) != nullptr) return {};
  const auto known = namesOf(sweep::knownDevices(), &sweep::DeviceResources::name);
  return invalidArgument(fmt::format("--confirm: there is no device \"{}\"; legal: {}{}", device,
                                     fmt::join(known, ", "), suggestion(device, known)));
}

}  // namespace vta::tools
