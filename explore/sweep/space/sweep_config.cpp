#include "explore/sweep/space/sweep_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "base/closest_name.h"
#include "base/files.h"
#include "base/yaml_section.h"
#include "explore/sweep/space/accuracy_reader.h"
#include "explore/sweep/space/axis_reader.h"
#include "explore/sweep/space/calibration_reader.h"
#include "explore/sweep/space/value_text.h"
#include "explore/tune/search/registry.h"
#include "isa/config/clock_estimate.h"

namespace vta::sweep {
namespace {

constexpr size_t kMaxModels = 64;

// Of schedules: searched.
constexpr const char* kDefaultSearcher = "learned";
constexpr int64_t kDefaultTrials = 64;

/// A name that expressions can have.
std::string plainName(std::string_view name) {
  std::string plain;
  for (const char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return plain;
}

class SweepReader {
 public:
  SweepReader(const YAML::Node& root, const std::filesystem::path& source)
      : section_(root, source.string()), folder_(source.parent_path()) {
    sweep_.source = source.string();
    sweep_.name = source.stem().string();
  }

  Result<SweepConfig> read() {
    for (const char* key :
         {"name", "base", "grid", "derive", "constraints", "models", "batch", "memories", "clock",
          "calibration", "energy", "schedules", "lut_margin", "objectives", "search"}) {
      section_.expect(key);
    }
    VTA_RETURN_IF_ERROR(section_.checkAllKnown());
    if (section_.has("name")) {
      VTA_ASSIGN_OR_RETURN(sweep_.name, section_.text("name"));
    }
    VTA_RETURN_IF_ERROR(readBase());
    VTA_ASSIGN_OR_RETURN(sweep_.axes, readAxes(section_));
    VTA_ASSIGN_OR_RETURN(sweep_.derived, readDerived(section_, sweep_.axes));
    VTA_RETURN_IF_ERROR(readConstraints());
    VTA_RETURN_IF_ERROR(readModels());
    VTA_RETURN_IF_ERROR(readMemories());
    VTA_RETURN_IF_ERROR(readClock());
    VTA_ASSIGN_OR_RETURN(sweep_.calibration, readCalibration(section_, folder_));
    VTA_RETURN_IF_ERROR(readEvaluation());
    VTA_RETURN_IF_ERROR(readObjectives());
    VTA_RETURN_IF_ERROR(readSearch());
    return std::move(sweep_);
  }

 private:
  Status error(const YAML::Node& node, const Status& status) const {
    return status.withContext(section_.place(node));
  }

  std::filesystem::path fileOf(const std::string& text) const { return folder_ / text; }

  Status readBase() {
    if (!section_.has("base")) return {};
    VTA_ASSIGN_OR_RETURN(const std::string base, section_.text("base"));
    auto hw = loadHwConfig(fileOf(base));
    if (!hw.ok()) return hw.status().withContext(section_.placeOf("base"));
    sweep_.base = *std::move(hw);
    return {};
  }

  /// The texts of a list of single values, or of one value.
  Result<std::vector<YAML::Node>> listOf(const char* key) {
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, section_.node(key));
    std::vector<YAML::Node> items;
    if (node.IsScalar() || node.IsMap()) items.push_back(node);
    for (const YAML::Node& item : node) {
      if (!node.IsSequence()) break;
      items.push_back(item);
    }
    if (!items.empty()) return items;
    return invalidArgument(fmt::format("{}: {} must be a value or a list that is not empty",
                                       section_.place(node), key));
  }

  Status readConstraints() {
    if (!section_.has("constraints")) return {};
    VTA_ASSIGN_OR_RETURN(const auto items, listOf("constraints"));
    for (const YAML::Node& item : items) {
      auto expression = Expression::parse(item.IsScalar() ? item.Scalar() : "");
      if (!expression.ok()) return error(item, expression.status());
      sweep_.constraints.push_back({section_.place(item), *std::move(expression)});
    }
    return {};
  }

  Status readModels() {
    VTA_ASSIGN_OR_RETURN(const auto items, listOf("models"));
    for (const YAML::Node& item : items) {
      VTA_ASSIGN_OR_RETURN(ModelEntry model, readModel(item));
      const auto same = std::ranges::find(sweep_.models, model.name, &ModelEntry::name);
      if (same != sweep_.models.end()) {
        return error(item,
                     invalidArgument(fmt::format(
                         "two models are called {}: give one a name of its own", model.name)));
      }
      sweep_.models.push_back(std::move(model));
    }
    if (sweep_.models.size() <= kMaxModels) return {};
    return invalidArgument(fmt::format("{}: {} models; legal: {} at most",
                                       section_.placeOf("models"), sweep_.models.size(),
                                       kMaxModels));
  }

  Result<ModelEntry> readModel(const YAML::Node& node) {
    ModelEntry model;
    if (node.IsScalar()) {
      model.file = fileOf(node.Scalar());
    } else if (node.IsMap()) {
      YamlSection entry(node, section_.source());
      for (const char* key :
           {"file", "name", "weight", "dimensions", "batch_dimension", "accuracy"}) {
        entry.expect(key);
      }
      VTA_RETURN_IF_ERROR(entry.checkAllKnown());
      VTA_ASSIGN_OR_RETURN(const std::string file, entry.text("file"));
      model.file = fileOf(file);
      VTA_RETURN_IF_ERROR(readModelEntry(entry, model));
    } else {
      return error(node, invalidArgument("a model is a file, or a map with the key file"));
    }
    if (model.name.empty()) model.name = plainName(model.file.stem().string());
    std::error_code code;
    if (std::filesystem::is_regular_file(model.file, code)) return model;
    return error(node, notFound(fmt::format("there is no model '{}'", model.file.string())));
  }

  Status readModelEntry(YamlSection& entry, ModelEntry& model) {
    if (entry.has("name")) {
      VTA_ASSIGN_OR_RETURN(const std::string name, entry.text("name"));
      model.name = plainName(name);
    }
    if (entry.has("weight")) {
      VTA_ASSIGN_OR_RETURN(model.weight, entry.number("weight", 0, 1e9));
    }
    if (entry.has("batch_dimension")) {
      VTA_ASSIGN_OR_RETURN(model.batch_dimension, entry.text("batch_dimension"));
    }
    if (entry.has("accuracy")) {
      VTA_ASSIGN_OR_RETURN(const YAML::Node accuracy, entry.node("accuracy"));
      VTA_ASSIGN_OR_RETURN(model.accuracy, readAccuracy(accuracy, section_.source(), folder_));
    }
    if (!entry.has("dimensions")) return {};
    VTA_ASSIGN_OR_RETURN(const YAML::Node dimensions, entry.node("dimensions"));
    YamlSection section(dimensions, section_.source());
    for (const auto& item : dimensions) {
      const std::string name = item.first.Scalar();
      VTA_ASSIGN_OR_RETURN(model.dimensions[name], section.integer(name));
    }
    return {};
  }

  Status readMemories() {
    sweep_.memories.clear();
    if (!section_.has("memories")) {
      sweep_.memories.emplace_back();
      return {};
    }
    VTA_ASSIGN_OR_RETURN(const auto items, listOf("memories"));
    for (const YAML::Node& item : items) {
      const std::string text = item.IsScalar() ? item.Scalar() : "";
      std::error_code code;
      const bool is_file = std::filesystem::is_regular_file(fileOf(text), code);
      auto memory = sim::resolveMemoryConfig(is_file ? fileOf(text).string() : text);
      if (!memory.ok()) return error(item, memory.status());
      if (is_file) memory->name = fileOf(text).stem().string();  // results tell them apart by it
      sweep_.memories.push_back(*std::move(memory));
    }
    return {};
  }

  Status readClock() {
    if (!section_.has("clock")) return {};
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, section_.node("clock"));
    if (node.IsScalar()) {
      const Parameter* parameter = findParameter("clock_mhz");
      const auto mhz = parseValue(node, parameter);
      if (!mhz.ok()) return error(node, mhz.status());
      HwParams params = sweep_.base.params();
      const Status set = setParameter(*parameter, mhz->number, params);
      if (!set.ok()) return error(node, set);
      auto hw = HwConfig::create(params);
      if (!hw.ok()) return error(node, hw.status());
      sweep_.base = *std::move(hw);
      return {};
    }
    if (!node.IsMap()) {
      return error(node,
                   invalidArgument("clock is a number of MHz, or a map with the key estimate"));
    }
    YamlSection clock(node, section_.source());
    clock.expect("filled");
    VTA_ASSIGN_OR_RETURN(sweep_.clock.device, clock.text("estimate"));
    if (clock.has("filled")) {
      VTA_ASSIGN_OR_RETURN(const std::string filled, clock.text("filled"));
      if (filled != "true" && filled != "false") {
        return error(node["filled"],
                     invalidArgument(fmt::format("filled is \"{}\"; legal: true, false", filled)));
      }
      sweep_.clock.filled = filled == "true";
    }
    VTA_RETURN_IF_ERROR(clock.checkAllKnown());
    std::vector<std::string> known;
    for (const ClockEstimate& estimate : estimateClock(sweep_.base.params())) {
      known.emplace_back(estimate.device);
    }
    if (std::ranges::find(known, sweep_.clock.device) != known.end()) return {};
    return error(node["estimate"],
                 invalidArgument(fmt::format("no clock estimate for \"{}\"; legal: {}{}",
                                             sweep_.clock.device, fmt::join(known, ", "),
                                             suggestion(sweep_.clock.device, known))));
  }

  Status readSchedules() {
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, section_.node("schedules"));
    if (node.IsMap()) return readScheduleSearch(node);
    VTA_ASSIGN_OR_RETURN(const std::string effort, section_.text("schedules"));
    if (effort == "estimated") return {};
    if (effort == "simulated") {
      sweep_.effort = Effort::kSimulated;
    } else if (effort == "searched") {
      sweep_.effort = Effort(kDefaultSearcher, kDefaultTrials);
    } else {
      return error(node,
                   invalidArgument(fmt::format(
                       "schedules is \"{}\"; legal: estimated, simulated, searched", effort)));
    }
    return {};
  }

  Status readScheduleSearch(const YAML::Node& node) {
    YamlSection search(node, section_.source());
    search.expect("trials");
    VTA_ASSIGN_OR_RETURN(const std::string name, search.text("searcher"));
    VTA_RETURN_IF_ERROR(search.checkAllKnown());
    const auto kind = tune::findSearcher(name);
    if (!kind.ok()) return error(node["searcher"], kind.status());
    sweep_.effort = Effort(name, kDefaultTrials);
    if (!search.has("trials")) return {};
    VTA_ASSIGN_OR_RETURN(const double trials, search.number("trials", 0, 1e6));
    if (trials != std::floor(trials)) {
      return error(node["trials"], invalidArgument("trials is a whole number"));
    }
    sweep_.effort.trials = static_cast<int64_t>(trials);
    return {};
  }

  Status readEvaluation() {
    std::string energy = "45nm";
    if (section_.has("energy")) {
      VTA_ASSIGN_OR_RETURN(energy, section_.text("energy"));
    }
    std::error_code code;
    const bool is_file = std::filesystem::is_regular_file(fileOf(energy), code);
    auto table = sim::resolveEnergyTable(is_file ? fileOf(energy).string() : energy);
    if (!table.ok()) return table.status().withContext(section_.place());
    sweep_.energy = *std::move(table);
    if (section_.has("schedules")) {
      VTA_RETURN_IF_ERROR(readSchedules());
    }
    if (section_.has("lut_margin")) {
      VTA_ASSIGN_OR_RETURN(sweep_.lut_margin, section_.number("lut_margin", -1, 0.9));
    }
    if (!section_.has("batch")) return {};
    VTA_ASSIGN_OR_RETURN(const auto items, listOf("batch"));
    sweep_.batches.clear();
    for (const YAML::Node& item : items) {
      const auto value = parseValue(item, nullptr);
      if (!value.ok()) return error(item, value.status());
      if (value->number < 1 || value->number > 4096 || value->number != std::floor(value->number)) {
        return error(item,
                     invalidArgument(fmt::format("batch is {}; legal: whole numbers from 1 to "
                                                 "4096",
                                                 value->text)));
      }
      sweep_.batches.push_back(static_cast<int64_t>(value->number));
    }
    return {};
  }

  Status readObjectives() {
    if (!section_.has("objectives")) {
      VTA_ASSIGN_OR_RETURN(Expression latency, Expression::parse("latency_ms"));
      VTA_ASSIGN_OR_RETURN(Expression luts, Expression::parse("lut"));
      sweep_.objectives.push_back({"latency_ms", std::move(latency), false});
      sweep_.objectives.push_back({"lut", std::move(luts), false});
      return {};
    }
    VTA_ASSIGN_OR_RETURN(const auto items, listOf("objectives"));
    for (const YAML::Node& item : items) {
      const std::string text = item.IsScalar() ? item.Scalar() : "";
      const bool maximise = text.starts_with("-");
      auto expression = Expression::parse(maximise ? text.substr(1) : text);
      if (!expression.ok()) return error(item, expression.status());
      sweep_.objectives.push_back({text, *std::move(expression), maximise});
    }
    return {};
  }

  Status readSearch() {
    if (!section_.has("search")) return {};
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, section_.node("search"));
    if (!node.IsMap()) return error(node, invalidArgument("search is a map with the key method"));
    YamlSection search(node, section_.source());
    for (const char* key : {"evaluations", "population", "seed"}) search.expect(key);
    VTA_ASSIGN_OR_RETURN(sweep_.search.method, search.text("method"));
    VTA_RETURN_IF_ERROR(search.checkAllKnown());
    if (std::ranges::find(searchMethods(), sweep_.search.method) == searchMethods().end()) {
      return error(
          node["method"],
          invalidArgument(fmt::format("method is \"{}\"; legal: {}{}", sweep_.search.method,
                                      fmt::join(searchMethods(), ", "),
                                      suggestion(sweep_.search.method, namesOf(searchMethods())))));
    }
    if (search.has("evaluations")) {
      VTA_ASSIGN_OR_RETURN(const double count, search.number("evaluations", 0, 1e7));
      sweep_.search.evaluations = static_cast<int>(count);
    }
    if (search.has("population")) {
      VTA_ASSIGN_OR_RETURN(const double count, search.number("population", 4, 10000));
      sweep_.search.population = static_cast<int>(count);
    }
    if (search.has("seed")) {
      VTA_ASSIGN_OR_RETURN(const int seed, search.integer("seed"));
      sweep_.search.seed = static_cast<uint64_t>(seed);
    }
    return {};
  }

  YamlSection section_;
  std::filesystem::path folder_;
  SweepConfig sweep_;
};

}  // namespace

const std::vector<std::string>& searchMethods() {
  static const std::vector<std::string> methods = {"enumerate", "random", "nsga2", "moead",
                                                   "surrogate"};
  return methods;
}

std::filesystem::path pathOfSamples(const std::string& argument) {
  std::error_code code;
  const size_t equals = argument.find('=');
  if (equals == std::string::npos || std::filesystem::exists(argument, code)) return argument;
  return argument.substr(equals + 1);
}

Result<ModelEntry> modelEntry(const std::filesystem::path& file) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(file, code)) {
    return notFound(fmt::format("there is no model '{}'", file.string()));
  }
  ModelEntry model;
  model.name = plainName(file.stem().string());
  model.file = file;
  return model;
}

Result<SweepConfig> parseSweepConfig(std::string_view text, const std::filesystem::path& source) {
  try {  // yaml-cpp reports wrong conversions no other way
    VTA_ASSIGN_OR_RETURN(const YAML::Node root, loadYaml(text, source.string()));
    if (!root.IsMap()) {
      return invalidArgument(
          fmt::format("{}: a sweep is a map; docs/sweep.md describes its keys, the first is base",
                      source.string()));
    }
    VTA_ASSIGN_OR_RETURN(SweepConfig sweep, SweepReader(root, source).read());
    sweep.text = text;
    return sweep;
  } catch (const YAML::Exception& error) {
    return invalidArgument(fmt::format("{}:{}:{}: not valid YAML: {}", source.string(),
                                       error.mark.line + 1, error.mark.column + 1, error.msg));
  }
}

Result<SweepConfig> loadSweepConfig(const std::filesystem::path& file) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(file));
  return parseSweepConfig({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

}  // namespace vta::sweep
