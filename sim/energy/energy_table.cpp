#include "sim/energy/energy_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "base/closest_name.h"
#include "base/files.h"
#include "base/yaml_section.h"
#include "sim/energy/builtin_tables.h"

namespace vta::sim {
namespace {

struct BuiltinTable {
  std::string_view name;
  std::string_view yaml;
};

// The first is the default of vta-run.
constexpr BuiltinTable kBuiltinTables[] = {{"45nm", kTable45nm}, {"7nm", kTable7nm}};

constexpr double kMaxPj = 1e6;
constexpr double kMaxKib = 1e6;
constexpr int kMaxBits = 4096;
constexpr double kMaxStaticMw = 1e6;

Status readFigure(YamlSection& section, bool is_transfer, EnergyFigure& figure) {
  VTA_ASSIGN_OR_RETURN(figure.pj, section.number("pj", 0, kMaxPj));
  VTA_ASSIGN_OR_RETURN(figure.source, section.text("source"));
  if (figure.source.empty()) {
    return invalidArgument(fmt::format(
        "{}: source is empty; say where the figure was published, or that it is a guess",
        section.place()));
  }
  if (!is_transfer) return {};
  VTA_ASSIGN_OR_RETURN(figure.bits, section.integer("bits"));
  if (figure.bits >= 1 && figure.bits <= kMaxBits) return {};
  return invalidArgument(
      fmt::format("{}: bits is {}; legal: 1 to {}", section.place(), figure.bits, kMaxBits));
}

Result<YamlSection> mapOf(const YAML::Node& node, std::string_view what,
                          const YamlSection& parent) {
  if (node.IsMap()) return YamlSection(node, parent.source());
  return invalidArgument(
      fmt::format("{}: {} must be a map such as {{pj: 10, bits: 64, source: \"...\"}}",
                  parent.place(node), what));
}

Status readNamed(YamlSection& root, std::string_view key, bool is_transfer, EnergyFigure& figure) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node node, root.node(key));
  VTA_ASSIGN_OR_RETURN(YamlSection section, mapOf(node, key, root));
  VTA_RETURN_IF_ERROR(readFigure(section, is_transfer, figure));
  return section.checkAllKnown();
}

Status readSram(YamlSection& root, std::vector<SramFigure>& sram) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node list, root.node("sram"));
  if (!list.IsSequence() || list.size() == 0) {
    return invalidArgument(
        fmt::format("{}: sram must be a list of at least one memory, by size", root.place(list)));
  }
  for (const YAML::Node& node : list) {
    VTA_ASSIGN_OR_RETURN(YamlSection section, mapOf(node, "a memory of sram", root));
    SramFigure figure;
    VTA_ASSIGN_OR_RETURN(figure.kib, section.number("kib", 0, kMaxKib));
    VTA_RETURN_IF_ERROR(readFigure(section, true, figure.access));
    VTA_RETURN_IF_ERROR(section.checkAllKnown());
    if (!sram.empty() && figure.kib <= sram.back().kib) {
      return invalidArgument(fmt::format("{}: kib is {} behind {}; the memories of sram must grow",
                                         section.place(), figure.kib, sram.back().kib));
    }
    sram.push_back(std::move(figure));
  }
  return {};
}

Result<EnergyTable> readTable(const YAML::Node& root_node, std::string_view source_name) {
  if (!root_node.IsMap()) {
    return invalidArgument(fmt::format(
        "{}: an energy table must be a map with the keys node, multiply_int8, add_int32, "
        "multiply_int32, sram and dram",
        source_name));
  }
  YamlSection root(root_node, std::string(source_name));
  EnergyTable table;
  table.name = source_name;
  VTA_ASSIGN_OR_RETURN(table.node, root.text("node"));
  VTA_RETURN_IF_ERROR(readNamed(root, "multiply_int8", false, table.multiply_int8));
  VTA_RETURN_IF_ERROR(readNamed(root, "add_int32", false, table.add_int32));
  VTA_RETURN_IF_ERROR(readNamed(root, "multiply_int32", false, table.multiply_int32));
  VTA_RETURN_IF_ERROR(readNamed(root, "dram", true, table.dram));
  VTA_RETURN_IF_ERROR(readSram(root, table.sram));
  if (root.has("static_mw")) {
    VTA_ASSIGN_OR_RETURN(table.static_mw, root.number("static_mw", 0, kMaxStaticMw));
  }
  VTA_RETURN_IF_ERROR(root.checkAllKnown());
  return table;
}

}  // namespace

double EnergyTable::sramPjPerBit(double kib) const {
  const auto above = std::find_if(sram.begin(), sram.end(),
                                  [&](const SramFigure& figure) { return figure.kib >= kib; });
  if (above == sram.end()) return sram.back().access.pjPerBit();
  if (above == sram.begin()) return above->access.pjPerBit();
  const auto below = above - 1;
  const double part = std::log(kib / below->kib) / std::log(above->kib / below->kib);
  return below->access.pjPerBit() *
         std::pow(above->access.pjPerBit() / below->access.pjPerBit(), part);
}

std::vector<std::string> EnergyTable::sources() const {
  std::vector<std::string> sources;
  const auto add = [&](const EnergyFigure& figure) {
    if (std::find(sources.begin(), sources.end(), figure.source) == sources.end()) {
      sources.push_back(figure.source);
    }
  };
  for (const EnergyFigure* figure : {&multiply_int8, &add_int32, &multiply_int32, &dram}) {
    add(*figure);
  }
  for (const SramFigure& figure : sram) add(figure.access);
  return sources;
}

std::vector<std::string> builtinEnergyTables() {
  std::vector<std::string> names;
  for (const BuiltinTable& table : kBuiltinTables) names.emplace_back(table.name);
  return names;
}

Result<EnergyTable> parseEnergyTable(std::string_view yaml_text, std::string_view source_name) {
  try {
    VTA_ASSIGN_OR_RETURN(const YAML::Node root, loadYaml(yaml_text, source_name));
    return readTable(root, source_name);
  } catch (const YAML::Exception& error) {
    return invalidArgument(fmt::format("{}:{}:{}: not valid YAML: {}", source_name,
                                       error.mark.line + 1, error.mark.column + 1, error.msg));
  }
}

Result<EnergyTable> resolveEnergyTable(std::string_view spec) {
  for (const BuiltinTable& table : kBuiltinTables) {
    if (table.name == spec) return parseEnergyTable(table.yaml, table.name);
  }
  const std::string path(spec);
  std::error_code ec;
  if (!std::filesystem::is_regular_file(path, ec)) {
    return notFound(fmt::format(
        "\"{}\" is neither an energy table that is built in ({}) nor a file{}", spec,
        fmt::join(builtinEnergyTables(), ", "), suggestion(spec, builtinEnergyTables())));
  }
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(path));
  return parseEnergyTable(text, path);
}

}  // namespace vta::sim
