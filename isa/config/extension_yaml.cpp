#include "isa/config/extension_yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "base/yaml_section.h"

namespace vta {
namespace {

constexpr std::string_view kKind = "alu";

/// In double quotes.
std::string yamlQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

bool isPlain(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') return false;
  }
  return true;
}

/// One of `choices`, which are named by `nameOf`.
template <typename Enum, size_t N, typename NameOf>
Result<Enum> readChoice(YamlSection& section, std::string_view key,
                        const std::array<Enum, N>& choices, NameOf nameOf) {
  VTA_ASSIGN_OR_RETURN(const std::string text, section.text(key));
  std::vector<std::string_view> names;
  for (const Enum choice : choices) {
    if (nameOf(choice) == text) return choice;
    names.push_back(nameOf(choice));
  }
  return invalidArgument(fmt::format("{}: {} is \"{}\"; legal: {}", section.placeOf(key), key, text,
                                     fmt::join(names, ", ")));
}

Status readCost(YamlSection& section, LaneCost& cost) {
  if (!section.has("cost")) return {};
  VTA_ASSIGN_OR_RETURN(const YAML::Node node, section.node("cost"));
  if (!node.IsMap()) {
    return invalidArgument(
        fmt::format("{}: cost must be a map with the keys luts, dsps", section.placeOf("cost")));
  }
  YamlSection map(node, section.source());
  for (const auto& [key, value] : {std::pair("luts", &cost.luts), {"dsps", &cost.dsps}}) {
    map.expect(key);
  }
  VTA_RETURN_IF_ERROR(map.checkAllKnown());
  for (const auto& [key, value] : {std::pair("luts", &cost.luts), {"dsps", &cost.dsps}}) {
    if (!map.has(key)) continue;
    VTA_ASSIGN_OR_RETURN(*value, map.integer(key));
  }
  return {};
}

Status readKind(YamlSection& section) {
  VTA_ASSIGN_OR_RETURN(const std::string kind, section.text("kind"));
  if (kind == kKind) return {};
  return invalidArgument(
      fmt::format("{}: kind is \"{}\"; legal: {}", section.placeOf("kind"), kind, kKind));
}

Result<UserOperationText> readText(YamlSection& section) {
  UserOperationText text;
  VTA_RETURN_IF_ERROR(readKind(section));
  VTA_ASSIGN_OR_RETURN(text.name, section.text("name"));
  VTA_ASSIGN_OR_RETURN(text.code, section.integer("code"));
  VTA_ASSIGN_OR_RETURN(text.operand,
                       readChoice(section, "operand",
                                  std::array{AluOperand::kTensorOrImmediate, AluOperand::kTensor,
                                             AluOperand::kImmediate},
                                  userOperandName));
  VTA_ASSIGN_OR_RETURN(text.immediate,
                       readChoice(section, "immediate",
                                  std::array{AluImmediate::kNumber, AluImmediate::kShift,
                                             AluImmediate::kByteRange, AluImmediate::kZero},
                                  userImmediateName));
  if (section.has("latency_cycles")) {
    VTA_ASSIGN_OR_RETURN(text.latency_cycles, section.integer("latency_cycles"));
  }
  if (section.has("meaning")) {
    VTA_ASSIGN_OR_RETURN(text.meaning, section.text("meaning"));
    if (!isPlain(text.meaning)) {
      return invalidArgument(fmt::format("{}: meaning has control characters; it is one line",
                                         section.placeOf("meaning")));
    }
  }
  VTA_RETURN_IF_ERROR(readCost(section, text.cost));
  return text;
}

/// An error that begins with a key gets the key's place; one in the semantics has its place.
Status withPlace(const Status& status, const YamlSection& section, std::string_view semantics) {
  const std::string& message = status.message();
  if (message.starts_with(semantics)) return status;
  const std::string key = message.substr(0, message.find_first_of(" ."));
  return status.withContext(section.has(key) ? section.placeOf(key) : section.place());
}

}  // namespace

Result<std::shared_ptr<const UserOperation>> readUserOperation(
    const YAML::Node& map, std::string_view source, const std::optional<SemanticsFile>& semantics) {
  const std::string file(source);
  if (!map.IsMap()) {
    return invalidArgument(fmt::format(
        "{}: an operation must be a map with the keys kind, name, code, operand, immediate", file));
  }
  YamlSection section(map, file);
  for (const char* key :
       {"kind", "name", "code", "operand", "immediate", "latency_cycles", "meaning", "cost"}) {
    section.expect(key);
  }
  if (!semantics) section.expect("semantics");
  VTA_RETURN_IF_ERROR(section.checkAllKnown());
  VTA_ASSIGN_OR_RETURN(UserOperationText text, readText(section));
  std::string place = semantics ? semantics->name : "";
  if (semantics) {
    text.semantics = semantics->text;
  } else {
    VTA_ASSIGN_OR_RETURN(text.semantics, section.text("semantics"));
    place = fmt::format("{}: semantics of \"{}\"", section.placeOf("semantics"), text.name);
  }
  auto operation = makeUserOperation(std::move(text), place);
  if (operation.ok()) return operation;
  return withPlace(operation.status(), section, place);
}

std::string userOperationYaml(const UserOperation& operation) {
  const UserOperationText& text = operation.text;
  return fmt::format(
      "{{kind: {}, name: {}, code: {}, operand: {}, immediate: {}, latency_cycles: {}, "
      "cost: {{luts: {}, dsps: {}}}, meaning: {}, semantics: {}}}",
      kKind, text.name, text.code, userOperandName(text.operand), userImmediateName(text.immediate),
      text.latency_cycles, text.cost.luts, text.cost.dsps, yamlQuoted(text.meaning),
      yamlQuoted(text.semantics));
}

}  // namespace vta
