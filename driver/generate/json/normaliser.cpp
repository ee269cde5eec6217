#include <fmt/format.h>
#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "driver/generate/json/pattern.h"
#include "driver/generate/json/text_steps.h"

namespace vta::driver {
namespace {

using Json = nlohmann::json;

Result<std::string> toUnicodeForm(const std::string& text, int form) {
  utf8proc_uint8_t* made = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | form);
  const utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &made, options);
  if (bytes < 0) return invalidArgument(fmt::format("the text: {}", utf8proc_errmsg(bytes)));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, std::free);
  return std::string(reinterpret_cast<const char*>(made), static_cast<size_t>(bytes));
}

Normalise unicodeForm(int form) {
  return [form](const std::string& text) { return toUnicodeForm(text, form); };
}

Result<Normalise> parseReplace(const Json& field) {
  const Json& pattern = field.at("pattern");
  const bool is_text = pattern.contains("String");
  const std::string expression = pattern.at(is_text ? "String" : "Regex").get<std::string>();
  const auto content = field.at("content").get<std::string>();
  if (expression.empty()) return invalidArgument("'Replace' looks for an empty text");
  auto compiled = is_text ? Pattern::literal(expression) : Pattern::compile(expression);
  if (!compiled.ok()) return compiled.status();
  return Normalise(
      [found = *std::move(compiled), content](const std::string& text) -> Result<std::string> {
        VTA_ASSIGN_OR_RETURN(const std::vector<TextRange> ranges, found.find(text));
        std::string made;
        size_t at = 0;
        for (const TextRange& range : ranges) {
          made += text.substr(at, range.begin - at) + content;
          at = range.end;
        }
        return made + text.substr(at);
      });
}

Result<Normalise> parseNormalisers(const Json& field) {
  std::vector<Normalise> steps;
  for (const Json& step : field.at("normalizers")) {
    VTA_ASSIGN_OR_RETURN(steps.emplace_back(), parseNormaliser(step));
  }
  return Normalise([steps](std::string text) -> Result<std::string> {
    for (const Normalise& step : steps) {
      VTA_ASSIGN_OR_RETURN(text, step(std::move(text)));
    }
    return text;
  });
}

}  // namespace

Result<Normalise> parseNormaliser(const Json& field) {
  if (field.is_null()) return Normalise([](std::string text) { return text; });
  const auto kind = field.at("type").get<std::string>();
  if (kind == "Sequence") return parseNormalisers(field);
  if (kind == "Replace") return parseReplace(field);
  if (kind == "Prepend") {
    const auto prefix = field.at("prepend").get<std::string>();
    return Normalise(
        [prefix](const std::string& text) { return text.empty() ? text : prefix + text; });
  }
  const std::pair<const char*, int> forms[] = {{"NFC", UTF8PROC_COMPOSE},
                                               {"NFD", UTF8PROC_DECOMPOSE},
                                               {"NFKC", UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
                                               {"NFKD", UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT}};
  for (const auto& [name, form] : forms) {
    if (kind == name) return unicodeForm(form);
  }
  return unsupported(
      fmt::format("normalizer '{}' is not supported; Sequence, Replace, Prepend, NFC, NFD, NFKC "
                  "and NFKD are",
                  kind));
}

}  // namespace vta::driver
