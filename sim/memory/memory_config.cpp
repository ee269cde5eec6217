#include "sim/memory/memory_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <numeric>

#include "base/closest_name.h"
#include "base/yaml_section.h"
#include "sim/memory/ddr_presets.h"

namespace vta::sim {
namespace {

// One integer of a DDR table: its key, where it goes, its legal range.
struct DdrField {
  std::string_view key;
  int DdrTiming::*member;
  int min;
  int max;
  bool power_of_two;
};

constexpr DdrField kDdrFields[] = {
    {"clock_mhz", &DdrTiming::clock_mhz, 1, 10000, false},
    {"bus_bytes", &DdrTiming::bus_bytes, 1, 128, true},
    {"burst_length", &DdrTiming::burst_length, 2, 32, true},
    {"banks", &DdrTiming::banks, 1, 256, true},
    {"rows", &DdrTiming::rows, 1, 1 << 24, true},
    {"row_bytes", &DdrTiming::row_bytes, 64, 1 << 20, true},
    {"tRCD", &DdrTiming::t_rcd, 1, 1000, false},
    {"tRP", &DdrTiming::t_rp, 1, 1000, false},
    {"tCL", &DdrTiming::t_cl, 1, 1000, false},
    {"tCWL", &DdrTiming::t_cwl, 1, 1000, false},
    {"tCCD", &DdrTiming::t_ccd, 1, 1000, false},
    {"tRAS", &DdrTiming::t_ras, 1, 1000, false},
    {"tRFC", &DdrTiming::t_rfc, 1, 100000, false},
    {"tREFI", &DdrTiming::t_refi, 1, 1000000, false},
    {"tWR", &DdrTiming::t_wr, 1, 1000, false},
    {"tWTR", &DdrTiming::t_wtr, 1, 1000, false},
};

Status checkInt(std::string_view key, int64_t value, int64_t min, int64_t max,
                bool power_of_two = false) {
  const bool shape_ok = !power_of_two || (value > 0 && std::has_single_bit(uint64_t(value)));
  if (value >= min && value <= max && shape_ok) return {};
  return invalidArgument(fmt::format("{} is {}; legal: {}{} to {}", key, value,
                                     power_of_two ? "powers of two from " : "", min, max));
}

Status checkDdr(const DdrTiming& ddr) {
  for (const DdrField& field : kDdrFields) {
    VTA_RETURN_IF_ERROR(
        checkInt(field.key, ddr.*field.member, field.min, field.max, field.power_of_two));
  }
  if (ddr.bus_bytes * ddr.burst_length > ddr.row_bytes) {
    return invalidArgument(
        fmt::format("row_bytes is {}; legal: at least bus_bytes * burst_length, "
                    "{}",
                    ddr.row_bytes, ddr.bus_bytes * ddr.burst_length));
  }
  if (ddr.t_refi <= ddr.t_rfc + ddr.t_rp + ddr.t_rcd) {
    return invalidArgument(
        fmt::format("tREFI is {}; legal: more than tRFC + tRP + tRCD, {}, or nothing but refresh "
                    "would happen",
                    ddr.t_refi, ddr.t_rfc + ddr.t_rp + ddr.t_rcd));
  }
  return {};
}

Status readDdr(YamlSection& section, DdrTiming& ddr) {
  for (const DdrField& field : kDdrFields) {
    VTA_ASSIGN_OR_RETURN(ddr.*field.member, section.integer(field.key));
  }
  return {};
}

bool equalIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// The table is part of the build, so it parses; its test reads every entry.
YAML::Node presetTable() { return *loadYaml(kDdrPresets, "ddr-presets.yaml"); }

Result<std::pair<std::string, DdrTiming>> findPreset(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& entry : presetTable()) {
    const std::string preset = entry.first.Scalar();
    known.push_back(preset);
    if (!equalIgnoringCase(preset, name)) continue;
    YamlSection section(entry.second, "DDR preset " + preset);
    DdrTiming ddr;
    VTA_RETURN_IF_ERROR(readDdr(section, ddr));
    VTA_RETURN_IF_ERROR(section.checkAllKnown());
    return std::pair(preset, ddr);
  }
  return notFound(fmt::format("unknown DDR preset \"{}\"; known: {}{}", name,
                              fmt::join(known, ", "), suggestion(name, known)));
}

// "1", "0.5" or "2/3" as a fraction in lowest terms.
Result<std::pair<uint32_t, uint32_t>> parseFraction(std::string_view key, std::string_view text) {
  constexpr uint32_t kMax = 1'000'000;
  const Status wrong = invalidArgument(
      fmt::format("{} is \"{}\"; legal: above 0 and at most 1, such as 1, 0.5 or 2/3", key, text));
  const auto number = [](std::string_view digits, uint32_t& value) {
    const char* end = digits.data() + digits.size();
    const auto [ptr, ec] = std::from_chars(digits.data(), end, value);
    return !digits.empty() && ec == std::errc() && ptr == end && value <= kMax;
  };
  uint32_t numerator = 0;
  uint32_t denominator = 1;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    if (!number(text.substr(0, slash), numerator) || !number(text.substr(slash + 1), denominator)) {
      return wrong;
    }
  } else {
    const size_t dot = std::min(text.find('.'), text.size());
    const std::string_view decimals = text.substr(std::min(dot + 1, text.size()));
    if (decimals.size() > 6 || (dot < text.size() && decimals.empty())) return wrong;
    for (size_t i = 0; i < decimals.size(); ++i) denominator *= 10;
    uint32_t whole = 0;
    uint32_t part = 0;
    if (!number(text.substr(0, dot), whole)) return wrong;
    if (!decimals.empty() && !number(decimals, part)) return wrong;
    if (whole > 1) return wrong;
    numerator = whole * denominator + part;
  }
  if (numerator == 0 || denominator == 0 || numerator > denominator) return wrong;
  const uint32_t divisor = std::gcd(numerator, denominator);
  return std::pair(numerator / divisor, denominator / divisor);
}

Status readSimple(YamlSection& section, MemoryConfig& config) {
  config.kind = MemoryKind::kSimple;
  config.name = "simple";
  VTA_ASSIGN_OR_RETURN(config.simple.latency_cycles, section.integer("latency_cycles"));
  VTA_ASSIGN_OR_RETURN(const std::string rate, section.text("beats_per_cycle"));
  const auto fraction = parseFraction("beats_per_cycle", rate);
  if (!fraction.ok()) return fraction.status().withContext(section.placeOf("beats_per_cycle"));
  config.simple.beats_numerator = fraction->first;
  config.simple.beats_denominator = fraction->second;
  return {};
}

Status readDdrKind(YamlSection& section, MemoryConfig& config) {
  config.kind = MemoryKind::kDdr;
  config.name = "ddr";
  VTA_ASSIGN_OR_RETURN(config.controller_latency_cycles,
                       section.integer("controller_latency_cycles"));
  if (!section.has("preset")) return readDdr(section, config.ddr);
  VTA_ASSIGN_OR_RETURN(const std::string name, section.text("preset"));
  auto preset = findPreset(name);
  if (!preset.ok()) return preset.status().withContext(section.placeOf("preset"));
  config.name = std::move(preset->first);
  config.ddr = preset->second;
  return {};
}

Result<MemoryConfig> readConfig(const YAML::Node& root, std::string_view source) {
  if (!root.IsMap()) {
    return invalidArgument("a memory must be a map with the key kind: simple or ddr");
  }
  YamlSection section(root, std::string(source));
  MemoryConfig config;
  VTA_ASSIGN_OR_RETURN(const std::string kind, section.text("kind"));
  VTA_ASSIGN_OR_RETURN(config.outstanding, section.integer("outstanding"));
  if (kind == "simple") {
    VTA_RETURN_IF_ERROR(readSimple(section, config));
  } else if (kind == "ddr") {
    VTA_RETURN_IF_ERROR(readDdrKind(section, config));
  } else {
    return invalidArgument(fmt::format("kind is \"{}\"; legal: simple, ddr", kind));
  }
  VTA_RETURN_IF_ERROR(section.checkAllKnown());
  VTA_RETURN_IF_ERROR(checkMemoryConfig(config));
  return config;
}

}  // namespace

Status checkMemoryConfig(const MemoryConfig& config) {
  VTA_RETURN_IF_ERROR(checkInt("outstanding", config.outstanding, 1, 1024));
  if (config.kind == MemoryKind::kDdr) {
    VTA_RETURN_IF_ERROR(
        checkInt("controller_latency_cycles", config.controller_latency_cycles, 1, 100'000));
    return checkDdr(config.ddr);
  }
  const SimpleMemoryParams& simple = config.simple;
  VTA_RETURN_IF_ERROR(checkInt("latency_cycles", simple.latency_cycles, 1, 100'000));
  if (simple.beats_numerator == 0 || simple.beats_numerator > simple.beats_denominator) {
    return invalidArgument(fmt::format("beats_per_cycle is {}/{}; legal: above 0 and at most 1",
                                       simple.beats_numerator, simple.beats_denominator));
  }
  return {};
}

std::vector<std::string> builtinMemoryNames() {
  std::vector<std::string> names = {"simple"};
  for (const auto& entry : presetTable()) names.push_back(entry.first.Scalar());
  return names;
}

Result<MemoryConfig> parseMemoryConfig(std::string_view yaml_text, std::string_view source_name) {
  try {
    VTA_ASSIGN_OR_RETURN(const YAML::Node root, loadYaml(yaml_text, source_name));
    Result<MemoryConfig> config = readConfig(root, source_name);
    if (config.ok() || config.status().message().starts_with(source_name)) return config;
    return config.status().withContext(source_name);
  } catch (const YAML::Exception& error) {
    return invalidArgument(fmt::format("{}:{}:{}: not valid YAML: {}", source_name,
                                       error.mark.line + 1, error.mark.column + 1, error.msg));
  }
}

Result<MemoryConfig> builtinMemory(std::string_view name) {
  if (equalIgnoringCase(name, "simple")) return MemoryConfig{};
  VTA_ASSIGN_OR_RETURN(auto preset, findPreset(name));
  MemoryConfig config;
  config.kind = MemoryKind::kDdr;
  config.name = std::move(preset.first);
  config.ddr = preset.second;
  config.controller_latency_cycles = 16;
  return config;
}

}  // namespace vta::sim
