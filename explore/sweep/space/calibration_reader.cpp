#include "explore/sweep/space/calibration_reader.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/files.h"

namespace vta::sweep {
namespace {

Result<std::string> readText(const std::filesystem::path& file) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(file));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status readReports(YamlSection& entry, const std::filesystem::path& folder,
                   ImplementedDesign& design) {
  if (entry.has("utilization")) {
    VTA_ASSIGN_OR_RETURN(const std::string name, entry.text("utilization"));
    VTA_ASSIGN_OR_RETURN(const std::string text, readText(folder / name));
    auto report = parseUtilization(text);
    if (!report.ok()) return report.status().withContext((folder / name).string());
    design.utilization = *std::move(report);
  }
  std::string clock;
  if (entry.has("clock")) {
    VTA_ASSIGN_OR_RETURN(clock, entry.text("clock"));
  }
  if (!entry.has("timing")) return {};
  VTA_ASSIGN_OR_RETURN(const std::string name, entry.text("timing"));
  VTA_ASSIGN_OR_RETURN(const std::string text, readText(folder / name));
  auto report = parseTiming(text, clock);
  if (!report.ok()) return report.status().withContext((folder / name).string());
  design.timing = *std::move(report);
  return {};
}

Result<ImplementedDesign> readDesign(const YAML::Node& node, const std::string& source,
                                     const std::filesystem::path& folder) {
  YamlSection entry(node, source);
  for (const char* key : {"hw", "utilization", "timing", "clock"}) entry.expect(key);
  VTA_RETURN_IF_ERROR(entry.checkAllKnown());
  VTA_ASSIGN_OR_RETURN(const std::string hw, entry.text("hw"));
  if (!entry.has("utilization") && !entry.has("timing")) {
    return invalidArgument(fmt::format(
        "{}: one of utilization and timing is missing: a report of Vivado", entry.place()));
  }
  ImplementedDesign design;
  design.label = hw;
  auto config = loadHwConfig(folder / hw);
  if (!config.ok()) return config.status().withContext(entry.placeOf("hw"));
  design.hw = *std::move(config);
  VTA_RETURN_IF_ERROR(readReports(entry, folder, design).withContext(entry.place()));
  return design;
}

}  // namespace

Result<Calibration> readCalibration(YamlSection& sweep, const std::filesystem::path& folder) {
  if (!sweep.has("calibration")) return Calibration();
  VTA_ASSIGN_OR_RETURN(const YAML::Node node, sweep.node("calibration"));
  std::vector<ImplementedDesign> designs;
  bool is_legal = node.IsSequence() && node.size() > 0;
  for (const YAML::Node& item : node) is_legal = is_legal && item.IsMap();
  if (!is_legal) {
    return invalidArgument(fmt::format(
        "{}: calibration is a list of maps with the keys hw, utilization, timing and clock",
        sweep.place(node)));
  }
  for (const YAML::Node& item : node) {
    VTA_ASSIGN_OR_RETURN(ImplementedDesign design, readDesign(item, sweep.source(), folder));
    designs.push_back(std::move(design));
  }
  auto calibration = calibrate(designs);
  if (!calibration.ok()) return calibration.status().withContext(sweep.place(node));
  return calibration;
}

}  // namespace vta::sweep
