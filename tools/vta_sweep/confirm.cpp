#include "tools/vta_sweep/confirm.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "sweep/area/area_model.h"
#include "tools/common/config_folder.h"
#include "tools/common/files.h"

namespace vta::tools {
namespace {

bool isOnPath(const char* program) {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    const std::filesystem::path folder = rest.substr(0, colon);
    std::error_code code;
    if (std::filesystem::exists(folder / program, code)) return true;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return false;
}

struct ClosePipe {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

std::string outputOf(const std::string& command) {
  const std::unique_ptr<std::FILE, ClosePipe> pipe(popen(command.c_str(), "r"));
  std::string output;
  char buffer[4096];
  while (pipe && std::fgets(buffer, sizeof(buffer), pipe.get()) != nullptr) output += buffer;
  return output;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

Result<std::string> confirmPoint(const sweep::PointResult& point, const std::string& device) {
  if (!isOnPath("yosys")) {
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
  const std::string output =
      outputOf(fmt::format("{} {} --device {} --json 2>&1", quoted(script.string()),
                           quoted(file.string()), quoted(device)));
  const auto json = nlohmann::json::parse(output.substr(0, output.find('\n')), nullptr, false);
  if (!json.is_object()) return internalError(fmt::format("synthesis failed: {}", output));
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

}  // namespace vta::tools
