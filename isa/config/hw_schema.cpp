#include "isa/config/hw_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "isa/spec/parameters.h"

namespace vta {
namespace {

using Kind = ParameterKind;

// The texts of the table have no character that JSON would escape but the quote.
std::string jsonQuoted(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json + '"';
}

std::string listOf(std::span<const std::string_view> names) {
  std::vector<std::string> json;
  for (const std::string_view name : names) json.push_back(jsonQuoted(name));
  return fmt::format("[{}]", fmt::join(json, ", "));
}

// What values are legal.
std::string typeOf(const Parameter& p) {
  switch (p.kind) {
    case Kind::kText:
      return R"("type": "string", "pattern": "^[^\"\\\\\\n\\r\\t]+$")";
    case Kind::kInteger: {
      if (!p.legal.power_of_two) {
        return fmt::format(R"("type": "integer", "minimum": {}, "maximum": {})", p.legal.min,
                           p.legal.max);
      }
      std::vector<int64_t> powers;
      for (int64_t value = p.legal.min; value <= p.legal.max; value *= 2) powers.push_back(value);
      return fmt::format(R"("type": "integer", "enum": [{}])", fmt::join(powers, ", "));
    }
    case Kind::kDecimal:
      return fmt::format(R"("type": "number", "minimum": {}, "maximum": {})", p.legal.min / p.parts,
                         p.legal.max / p.parts);
    case Kind::kBytes:
      return R"("type": ["integer", "string"], "minimum": 1, "pattern": "^[0-9]+([KM]iB)?$")";
    case Kind::kChoice:
      return p.isFlag() ? R"("type": "boolean")" : fmt::format(R"("enum": {})", listOf(p.names));
    case Kind::kSet:
      return fmt::format(R"("type": "array", "uniqueItems": true, "items": {{"enum": {}}})",
                         listOf(p.names));
  }
  return "";
}

std::string defaultOf(const Parameter& p) {
  const HwParams params;
  std::string text = valueText(p, params);
  if (p.kind == Kind::kInteger || p.kind == Kind::kDecimal || p.isFlag()) return text;
  if (p.kind != Kind::kSet) return jsonQuoted(text);
  std::vector<std::string_view> names;
  for (size_t i = 0; i < p.names.size(); ++i) {
    if ((p.access.get(params) >> i & 1) != 0) names.push_back(p.names[i]);
  }
  return listOf(names);
}

std::string property(const Parameter& p, std::string_view indent) {
  const std::string unit = p.unit.empty() ? "" : fmt::format("; unit: {}", p.unit);
  return fmt::format(
      "{0}\"{1}\": {{\n{0}  {2},\n{0}  \"default\": {3},\n{0}  \"description\": {4}\n{0}}}", indent,
      p.key, typeOf(p), defaultOf(p),
      jsonQuoted(fmt::format("{}{}; legal: {}", p.doc, unit, legalText(p))));
}

std::string section(std::string_view name) {
  std::vector<std::string> properties;
  for (const Parameter& p : parameters()) {
    if (p.section == name) properties.push_back(property(p, "        "));
  }
  return fmt::format(
      "    \"{}\": {{\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n"
      "      \"properties\": {{\n{}\n      }}\n    }}",
      name, fmt::join(properties, ",\n"));
}

}  // namespace

std::string hwConfigSchema() {
  std::vector<std::string> properties;
  std::string_view last;
  for (const Parameter& p : parameters()) {
    if (p.section.empty()) {
      properties.push_back(property(p, "    "));
    } else if (p.section != last) {
      properties.push_back(section(p.section));
    }
    last = p.section;
  }
  properties.emplace_back(
      "    \"operations\": {\n      \"type\": \"array\",\n"
      "      \"items\": {\"type\": [\"string\", \"object\"]},\n"
      "      \"description\": \"ALU operations of your own: folders with an extension.yaml, "
      "relative "
      "to this file\"\n    }");
  return fmt::format(
      "{{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
      "  \"title\": \"VTA hardware configuration\",\n  \"type\": \"object\",\n"
      "  \"additionalProperties\": false,\n  \"properties\": {{\n{}\n  }}\n}}\n",
      fmt::join(properties, ",\n"));
}

}  // namespace vta
