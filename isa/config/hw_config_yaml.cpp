// YAML form of HwConfig.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/closest_name.h"
#include "base/yaml_section.h"
#include "isa/config/extension_yaml.h"
#include "isa/config/hw_config.h"
#include "isa/spec/parameters.h"

namespace vta {
namespace {

std::string placeOf(std::string_view source, const YAML::Mark& mark) {
  if (mark.is_null()) return std::string(source);
  return fmt::format("{}:{}:{}", source, mark.line + 1, mark.column + 1);
}

// A scalar of one key: where it stands and what it says.
struct Scalar {
  std::string place;
  std::string key;
  std::string text;

  Status error(std::string_view what) const {
    return invalidArgument(fmt::format("{}: {} is \"{}\"; {}", place, key, text, what));
  }
};

Result<uint64_t> parseUnsigned(const Scalar& scalar, std::string_view digits,
                               std::string_view legal) {
  uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [ptr, ec] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || ec != std::errc() || ptr != end) return scalar.error(legal);
  return value;
}

// "32KiB", "1MiB", "1GiB" or a plain number of bytes.
Result<int64_t> readBytes(const Scalar& scalar) {
  constexpr std::string_view kLegal = "it must be a size such as 32KiB, 1MiB or 32768";
  std::string_view digits = scalar.text;
  uint64_t unit = 1;
  if (digits.ends_with("KiB")) unit = 1024;
  if (digits.ends_with("MiB")) unit = 1024 * 1024;
  if (digits.ends_with("GiB")) unit = 1024 * 1024 * 1024;
  if (unit > 1) digits.remove_suffix(3);
  VTA_ASSIGN_OR_RETURN(const uint64_t value, parseUnsigned(scalar, digits, kLegal));
  if (value > (uint64_t{1} << 40) / unit) return scalar.error("it must be at most 1 TiB");
  return static_cast<int64_t>(value * unit);
}

Result<int64_t> readInteger(const Scalar& scalar) {
  VTA_ASSIGN_OR_RETURN(const uint64_t value,
                       parseUnsigned(scalar, scalar.text, "it must be an integer of 0 or more"));
  if (value > 1'000'000) return scalar.error("it must be an integer up to 1000000");
  return static_cast<int64_t>(value);
}

// "333.33" with as many decimals as the parameter has parts for.
Result<int64_t> readDecimal(const Scalar& scalar, const Parameter& parameter) {
  const std::string legal = fmt::format("it must be a number, {}", legalText(parameter));
  const std::string_view text = scalar.text;
  const size_t point = std::min(text.find('.'), text.size());
  VTA_ASSIGN_OR_RETURN(const uint64_t whole, parseUnsigned(scalar, text.substr(0, point), legal));
  if (whole > 1'000'000) return scalar.error(legal);
  int64_t value = static_cast<int64_t>(whole) * parameter.parts;
  if (point + 1 == text.size()) return scalar.error(legal);
  int64_t part = parameter.parts;
  for (const char digit : text.substr(std::min(point + 1, text.size()))) {
    part /= 10;
    // What is beyond the last part is only legal if it says nothing.
    if (digit < '0' || digit > '9' || (part == 0 && digit != '0')) return scalar.error(legal);
    value += (digit - '0') * part;
  }
  return value;
}

Result<int64_t> readName(const Scalar& scalar, const Parameter& parameter) {
  const auto found = std::ranges::find(parameter.names, scalar.text);
  if (found != parameter.names.end()) return found - parameter.names.begin();
  return scalar.error(
      (parameter.kind == ParameterKind::kSet
           ? fmt::format("known {}: {}", parameter.key, fmt::join(parameter.names, ", "))
           : fmt::format("it must be {}", legalText(parameter))) +
      suggestion(scalar.text, namesOf(parameter.names)));
}

Result<int64_t> readNumber(const Scalar& scalar, const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::kInteger:
      return readInteger(scalar);
    case ParameterKind::kDecimal:
      return readDecimal(scalar, parameter);
    case ParameterKind::kBytes:
      return readBytes(scalar);
    default:
      return readName(scalar, parameter);
  }
}

// The key of users' operations, which is no parameter: its items are maps, or names of extensions.
constexpr std::string_view kOperations = "operations";

class ConfigReader {
 public:
  ConfigReader(std::string_view source, const ExtensionLoader& load_extension)
      : source_(source), load_extension_(load_extension) {
    params_.name = nameOfFile(source);
  }

  Result<HwParams> read(const YAML::Node& root) {
    if (!root.IsMap()) {
      return invalidArgument(
          fmt::format("{}: a hardware configuration must be a map with the keys {}", source_,
                      fmt::join(keysIn(""), ", ")));
    }
    VTA_RETURN_IF_ERROR(checkKeys(root, ""));
    for (const Parameter& parameter : parameters()) {
      const YAML::Node section =
          parameter.section.empty() ? root : root[std::string(parameter.section)];
      if (!section.IsDefined()) continue;
      const YAML::Node node = section[std::string(parameter.key)];
      if (!node.IsDefined()) continue;
      marks_.emplace_back(parameter.fullKey(), node.Mark());
      VTA_RETURN_IF_ERROR(readValue(node, parameter));
    }
    if (const YAML::Node operations = root[std::string(kOperations)]; operations.IsDefined()) {
      marks_.emplace_back(kOperations, operations.Mark());
      VTA_RETURN_IF_ERROR(readOperations(operations));
    }
    return params_;
  }

  // Where the key that `message` begins with stands, for errors of HwConfig::create.
  std::string placeOfKeyIn(std::string_view message) const {
    for (const auto& [key, mark] : marks_) {
      if (message.starts_with(key + " ")) return placeOf(source_, mark);
    }
    return source_;
  }

 private:
  static std::string nameOfFile(std::string_view source) {
    std::string_view name = source.substr(source.rfind('/') + 1);  // npos + 1 is 0
    if (const size_t dot = name.rfind('.'); dot != 0) name = name.substr(0, dot);
    const bool plain = std::ranges::all_of(
        name, [](unsigned char c) { return c >= ' ' && c != '"' && c != '\\'; });
    return plain && !name.empty() ? std::string(name) : "unnamed";
  }

  Result<Scalar> scalarOf(const YAML::Node& node, std::string_view full_key) const {
    const std::string place = placeOf(source_, node.Mark());
    if (!node.IsScalar()) {
      return invalidArgument(fmt::format("{}: {} must be a single value", place, full_key));
    }
    return Scalar{place, std::string(full_key), node.Scalar()};
  }

  Status readValue(const YAML::Node& node, const Parameter& parameter) {
    if (parameter.kind == ParameterKind::kSet) return readSet(node, parameter);
    VTA_ASSIGN_OR_RETURN(const Scalar scalar, scalarOf(node, parameter.fullKey()));
    if (parameter.kind == ParameterKind::kText) {
      params_.name = scalar.text;
      return {};
    }
    VTA_ASSIGN_OR_RETURN(const int64_t value, readNumber(scalar, parameter));
    parameter.access.set(params_, value);
    return {};
  }

  Status readSet(const YAML::Node& node, const Parameter& parameter) {
    if (!node.IsSequence()) {
      return invalidArgument(fmt::format("{}: {} must be a list such as [{}]",
                                         placeOf(source_, node.Mark()), parameter.fullKey(),
                                         fmt::join(parameter.names, ", ")));
    }
    int64_t set = 0;
    for (const YAML::Node& item : node) {
      VTA_ASSIGN_OR_RETURN(const Scalar scalar, scalarOf(item, parameter.fullKey()));
      VTA_ASSIGN_OR_RETURN(const int64_t i, readName(scalar, parameter));
      if ((set >> i & 1) != 0) return scalar.error("it is listed twice");
      set |= int64_t{1} << i;
    }
    parameter.access.set(params_, set);
    return {};
  }

  Status readOperations(const YAML::Node& node) {
    const std::string place = placeOf(source_, node.Mark());
    if (!node.IsSequence()) {
      return invalidArgument(fmt::format("{}: {} must be a list of folders with an extension.yaml",
                                         place, kOperations));
    }
    for (const YAML::Node& item : node) {
      if (!item.IsScalar()) {
        VTA_ASSIGN_OR_RETURN(auto operation, readUserOperation(item, source_, std::nullopt));
        params_.operations.add(std::move(operation));
        continue;
      }
      const std::string item_place = placeOf(source_, item.Mark());
      if (!load_extension_) {
        return invalidArgument(
            fmt::format("{}: {} names the folder \"{}\", and this text is from no file of a folder",
                        item_place, kOperations, item.Scalar()));
      }
      auto operation = load_extension_(item.Scalar());
      if (!operation.ok()) return operation.status().withContext(item_place);
      params_.operations.add(std::move(*operation));
    }
    return {};
  }

  static bool isSection(std::string_view name) {
    return !name.empty() &&
           std::ranges::find(parameters(), name, &Parameter::section) != parameters().end();
  }

  // The legal keys of `section`, for messages.
  static std::vector<std::string> keysIn(std::string_view section) {
    std::vector<std::string_view> keys;
    for (const Parameter& parameter : parameters()) {
      const bool nested = section.empty() && !parameter.section.empty();
      if (!nested && parameter.section != section) continue;
      const std::string_view key = nested ? parameter.section : parameter.key;
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    if (section.empty()) keys.push_back(kOperations);
    return namesOf(keys);
  }

  static bool isKnown(std::string_view section, std::string_view key) {
    if (section.empty() && (isSection(key) || key == kOperations)) return true;
    return std::ranges::any_of(parameters(), [&](const Parameter& parameter) {
      return parameter.section == section && parameter.key == key;
    });
  }

  // Unknown and repeated keys of `map`, its sections included; sections that are no maps.
  Status checkKeys(const YAML::Node& map, std::string_view section) {
    std::vector<std::string> seen;
    for (const auto& entry : map) {
      const std::string place = placeOf(source_, entry.first.Mark());
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string("?");
      const std::string shown = section.empty() ? key : fmt::format("{}.{}", section, key);
      if (!isKnown(section, key)) {
        const std::vector<std::string> legal = keysIn(section);
        return invalidArgument(fmt::format("{}: unknown key {}; legal keys{}: {}{}", place, shown,
                                           section.empty() ? "" : fmt::format(" of {}", section),
                                           fmt::join(legal, ", "), suggestion(key, legal)));
      }
      if (std::ranges::find(seen, key) != seen.end()) {
        return invalidArgument(fmt::format("{}: key {} appears twice", place, shown));
      }
      seen.push_back(key);
      if (!section.empty() || !isSection(key)) continue;
      if (!entry.second.IsMap()) {
        return invalidArgument(fmt::format("{}: {} must be a map with the keys {}", place, key,
                                           fmt::join(keysIn(key), ", ")));
      }
      VTA_RETURN_IF_ERROR(checkKeys(entry.second, key));
    }
    return {};
  }

  std::string source_;
  const ExtensionLoader& load_extension_;
  HwParams params_;
  std::vector<std::pair<std::string, YAML::Mark>> marks_;
};

}  // namespace

std::string HwConfig::toYaml() const {
  std::string text;
  std::string_view section;
  for (const Parameter& parameter : parameters()) {
    const std::string value = valueText(parameter, params_);
    if (!section.empty()) text += parameter.section == section ? ", " : "}\n";
    if (parameter.section.empty()) {
      const char* quote = parameter.kind == ParameterKind::kText ? "\"" : "";
      text += fmt::format("{}: {}{}{}\n", parameter.key, quote, value, quote);
    } else {
      if (parameter.section != section) text += fmt::format("{}: {{", parameter.section);
      text += fmt::format("{}: {}", parameter.key, value);
    }
    section = parameter.section;
  }
  if (!section.empty()) text += "}\n";
  if (params_.operations.empty()) return text;
  text += fmt::format("{}:\n", kOperations);
  for (const auto& operation : params_.operations.list()) {
    text += fmt::format("  - {}\n", userOperationYaml(*operation));
  }
  return text;
}

Result<HwConfig> parseHwConfig(std::string_view yaml_text, std::string_view source_name,
                               const ExtensionLoader& load_extension) {
  try {
    VTA_ASSIGN_OR_RETURN(const YAML::Node root, loadYaml(yaml_text, source_name));
    ConfigReader reader(source_name, load_extension);
    VTA_ASSIGN_OR_RETURN(const HwParams params, reader.read(root));
    Result<HwConfig> config = HwConfig::create(params);
    if (config.ok()) return config;
    return config.status().withContext(reader.placeOfKeyIn(config.status().message()));
  } catch (const YAML::Exception& error) {
    return invalidArgument(
        fmt::format("{}: not valid YAML: {}", placeOf(source_name, error.mark), error.msg));
  }
}

}  // namespace vta
