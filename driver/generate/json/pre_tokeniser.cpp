#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/utf8.h"
#include "driver/generate/json/pattern.h"
#include "driver/generate/json/text_steps.h"

namespace vta::driver {

const char* const kGpt2Expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

using Json = nlohmann::json;

/// What becomes of what a pattern finds.
enum class Found : uint8_t { kRemoved, kIsolated, kWithPrevious, kWithNext };

Result<Found> parseBehaviour(const std::string& name) {
  const std::pair<const char*, Found> known[] = {{"Removed", Found::kRemoved},
                                                 {"Isolated", Found::kIsolated},
                                                 {"MergedWithPrevious", Found::kWithPrevious},
                                                 {"MergedWithNext", Found::kWithNext}};
  for (const auto& [text, found] : known) {
    if (name == text) return found;
  }
  return unsupported(
      fmt::format("behaviour '{}' of a pre_tokenizer is not supported; Removed, Isolated, "
                  "MergedWithPrevious and MergedWithNext are",
                  name));
}

struct Section {
  TextRange range;
  bool is_found;
};

/// The whole text, cut at both ends of what was found.
std::vector<Section> sectionsOf(const std::vector<TextRange>& found, size_t bytes, bool inverted) {
  std::vector<Section> sections;
  size_t at = 0;
  for (const TextRange& range : found) {
    if (range.begin > at) sections.push_back({{at, range.begin}, inverted});
    sections.push_back({range, !inverted});
    at = range.end;
  }
  if (at < bytes) sections.push_back({{at, bytes}, inverted});
  return sections;
}

/// Where the pieces of a text begin and end.
std::vector<TextRange> rangesOf(const std::vector<Section>& sections, Found behaviour) {
  std::vector<TextRange> ranges;
  bool was_found = false;
  for (const Section& section : sections) {
    const bool joins = behaviour == Found::kWithPrevious ? section.is_found && !was_found
                       : behaviour == Found::kWithNext   ? was_found && !section.is_found
                                                         : false;
    was_found = section.is_found;
    if (section.is_found && behaviour == Found::kRemoved) continue;
    if (joins && !ranges.empty()) {
      ranges.back().end = section.range.end;
    } else {
      ranges.push_back(section.range);
    }
  }
  return ranges;
}

/// Every text that a piece becomes; the first one begins where it does.
Result<std::vector<TextPiece>> cutPiece(const TextPiece& piece, const Pattern& pattern,
                                        Found behaviour, bool inverted) {
  VTA_ASSIGN_OR_RETURN(const std::vector<TextRange> found, pattern.find(piece.text));
  std::vector<TextPiece> pieces;
  for (const TextRange& range :
       rangesOf(sectionsOf(found, piece.text.size(), inverted), behaviour)) {
    pieces.push_back({piece.text.substr(range.begin, range.end - range.begin),
                      piece.is_first && range.begin == 0});
  }
  return pieces;
}

Cut cutBy(Pattern pattern, Found behaviour, bool inverted = false) {
  return [pattern = std::move(pattern), behaviour,
          inverted](const std::vector<TextPiece>& pieces) -> Result<std::vector<TextPiece>> {
    std::vector<TextPiece> all;
    for (const TextPiece& piece : pieces) {
      VTA_ASSIGN_OR_RETURN(const std::vector<TextPiece> parts,
                           cutPiece(piece, pattern, behaviour, inverted));
      all.insert(all.end(), parts.begin(), parts.end());
    }
    return all;
  };
}

/// One after the other.
Cut inOrder(std::vector<Cut> steps) {
  return
      [steps = std::move(steps)](std::vector<TextPiece> pieces) -> Result<std::vector<TextPiece>> {
        for (const Cut& step : steps) {
          VTA_ASSIGN_OR_RETURN(pieces, step(std::move(pieces)));
        }
        return pieces;
      };
}

/// Changes the text of every piece.
template <typename Change>
Cut changing(Change change) {
  return [change](std::vector<TextPiece> pieces) -> Result<std::vector<TextPiece>> {
    for (TextPiece& piece : pieces) piece.text = change(piece);
    return pieces;
  };
}

Result<Cut> parseSplit(const Json& field) {
  const Json& pattern = field.at("pattern");
  const bool is_text = pattern.contains("String");
  const auto expression = pattern.at(is_text ? "String" : "Regex").get<std::string>();
  if (expression.empty()) return invalidArgument("'Split' looks for an empty text");
  auto compiled = is_text ? Pattern::literal(expression) : Pattern::compile(expression);
  if (!compiled.ok()) return compiled.status();
  VTA_ASSIGN_OR_RETURN(const Found behaviour,
                       parseBehaviour(field.at("behavior").get<std::string>()));
  return cutBy(*std::move(compiled), behaviour, field.value("invert", false));
}

Result<Cut> parseByteLevel(const Json& field) {
  std::vector<Cut> steps;
  if (field.value("add_prefix_space", true)) {
    steps.push_back(changing([](const TextPiece& piece) {
      return piece.text.starts_with(' ') ? piece.text : ' ' + piece.text;
    }));
  }
  if (field.value("use_regex", true)) {
    VTA_ASSIGN_OR_RETURN(Pattern pattern, Pattern::compile(kGpt2Expression));
    steps.push_back(cutBy(std::move(pattern), Found::kIsolated));
  }
  steps.push_back(changing([](const TextPiece& piece) {
    std::string text;
    for (const char byte : piece.text) text += characterOfByte(static_cast<unsigned char>(byte));
    return text;
  }));
  return inOrder(std::move(steps));
}

/// How a space is written, and where a text gets one in front.
Result<Cut> parseMetaspace(const Json& field) {
  const std::string mark = field.value("replacement", "▁");
  std::string scheme = field.value("prepend_scheme", "always");
  if (!field.value("add_prefix_space", true)) scheme = "never";
  VTA_ASSIGN_OR_RETURN(const Pattern pattern, Pattern::literal(mark));
  std::vector<Cut> steps = {changing([mark, scheme](const TextPiece& piece) {
    std::string text;
    for (const char byte : piece.text) text += byte == ' ' ? mark : std::string(1, byte);
    const bool prepends = scheme == "always" || (scheme == "first" && piece.is_first);
    return prepends && !text.starts_with(mark) ? mark + text : text;
  })};
  if (field.value("split", true)) steps.push_back(cutBy(pattern, Found::kWithNext));
  return inOrder(std::move(steps));
}

Result<Cut> parseCuts(const Json& field) {
  std::vector<Cut> steps;
  for (const Json& step : field.at("pretokenizers")) {
    VTA_ASSIGN_OR_RETURN(steps.emplace_back(), parsePreTokeniser(step));
  }
  return inOrder(std::move(steps));
}

}  // namespace

std::string characterOfByte(unsigned char byte) {
  const bool is_shown = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
  if (is_shown) return characterOf(byte);
  // The others, in their order, are the characters from U+0100 on.
  char32_t number = 0x100;
  for (unsigned other = 0; other < byte; ++other) {
    const bool other_is_shown =
        (other >= 0x21 && other <= 0x7E) || (other >= 0xA1 && other != 0xAD);
    number += other_is_shown ? 0 : 1;
  }
  return characterOf(number);
}

Result<Cut> parsePreTokeniser(const Json& field) {
  if (field.is_null()) return inOrder({});
  const auto kind = field.at("type").get<std::string>();
  if (kind == "Sequence") return parseCuts(field);
  if (kind == "Split") return parseSplit(field);
  if (kind == "ByteLevel") return parseByteLevel(field);
  if (kind == "Metaspace") return parseMetaspace(field);
  if (kind == "Digits") {
    const bool single = field.value("individual_digits", false);
    VTA_ASSIGN_OR_RETURN(Pattern pattern, Pattern::compile(single ? "\\p{N}" : "\\p{N}+"));
    return cutBy(std::move(pattern), Found::kIsolated);
  }
  return unsupported(
      fmt::format("pre_tokenizer '{}' is not supported; Sequence, Split, ByteLevel, Metaspace and "
                  "Digits are",
                  kind));
}

}  // namespace vta::driver
