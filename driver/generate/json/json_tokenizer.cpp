#include "driver/generate/json/json_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/json_reason.h"
#include "base/text/utf8.h"
#include "driver/generate/json/added_tokens.h"
#include "driver/generate/json/bpe_model.h"
#include "driver/generate/json/piece_decoder.h"
#include "driver/generate/json/text_steps.h"
#include "driver/generate/json/token_number.h"

namespace vta::driver {
namespace {

using Json = nlohmann::json;

/// `text` for a message: what is no letter of a line is escaped.
std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t bytes = characterBytes(text);
    const char first = text.front();
    if (first == '\n' || first == '\t') {
      result += first == '\n' ? "\\n" : "\\t";
    } else if (bytes == 0 || (first >= 0 && first < ' ') || first == 0x7f) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(first));
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return result;
}

/// Where `part` stands first in `text`, from 1 on; empty if it does not.
std::string placeOf(std::string_view part, std::string_view text) {
  const size_t at = text.find(part);
  if (at == std::string_view::npos) return "";
  std::string_view before = text.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  before.remove_prefix(before.rfind('\n') + 1);
  int64_t column = 1;
  for (; !before.empty(); before.remove_prefix(characterBytes(before))) ++column;
  return fmt::format(", which stands in line {} at character {}", line, column);
}

/// Deeper than any tokenizer's steps stand within each other.
constexpr int kMostDepth = 32;

/// A field that may be left out.
const Json& fieldOf(const Json& file, const char* name) {
  static const Json null;
  const auto found = file.find(name);
  return found == file.end() ? null : *found;
}

class JsonTokenizer final : public Tokenizer {
 public:
  static Result<std::unique_ptr<Tokenizer>> parse(const Json& file, const std::set<int64_t>& ends) {
    auto tokenizer = std::make_unique<JsonTokenizer>();
    VTA_RETURN_IF_ERROR(tokenizer->read(file));
    tokenizer->ends_.insert(ends.begin(), ends.end());
    return std::unique_ptr<Tokenizer>(std::move(tokenizer));
  }

  int64_t size() const override { return static_cast<int64_t>(texts_.size()); }
  const std::set<int64_t>& ends() const override { return ends_; }

  Result<std::vector<int64_t>> encode(std::string_view text) const override {
    if (!isUtf8(text)) return invalidArgument("the text is not UTF-8");
    std::vector<int64_t> tokens = begin_;
    bool is_first = true;
    for (const TextPart& part : added_.split(text)) {
      if (part.token >= 0) {
        tokens.push_back(part.token);
      } else {
        std::string missing;
        const Status added = addText(std::string(part.text), is_first, tokens, missing);
        if (!missing.empty()) return lacks(missing, text);
        VTA_RETURN_IF_ERROR(added);
      }
      is_first = false;
    }
    return tokens;
  }

  std::string decode(int64_t token, bool is_first) const override {
    if (token < 0 || token >= size() || special_.contains(token)) return "";
    const std::string& text = texts_[static_cast<size_t>(token)];
    return added_numbers_.contains(token) ? text : decoder_.decode(text, is_first);
  }

 private:
  Status read(const Json& file) {
    if (!file.is_object() || !file.contains("model")) {
      return invalidArgument("no tokenizer.json: it has no field 'model'");
    }
    VTA_ASSIGN_OR_RETURN(model_, BpeModel::parse(file.at("model")));
    VTA_ASSIGN_OR_RETURN(normalise_, parseNormaliser(fieldOf(file, "normalizer")));
    VTA_ASSIGN_OR_RETURN(cut_, parsePreTokeniser(fieldOf(file, "pre_tokenizer")));
    VTA_ASSIGN_OR_RETURN(decoder_, PieceDecoder::parse(fieldOf(file, "decoder")));
    VTA_ASSIGN_OR_RETURN(added_, AddedTokens::parse(fieldOf(file, "added_tokens")));
    ends_ = added_.ends();
    VTA_RETURN_IF_ERROR(addTexts());
    return readBegin(fieldOf(file, "post_processor"));
  }

  Status addTexts() {
    // Numbers may have gaps, but not more of them than tokens.
    const size_t most = 2 * (model_.vocabulary().size() + added_.tokens().size()) + 1024;
    std::vector<bool> is_taken(texts_.size());
    const auto add = [&](const std::string& text, int64_t number) -> Status {
      if (static_cast<size_t>(number) >= most) {
        return invalidArgument(
            fmt::format("token '{}' has the number {}, far above the number of "
                        "tokens",
                        text, number));
      }
      const auto index = static_cast<size_t>(number);
      texts_.resize(std::max(texts_.size(), index + 1));
      is_taken.resize(texts_.size());
      if (is_taken[index] && texts_[index] != text) {
        const auto [first, second] = std::minmax<std::string>(texts_[index], text);
        return invalidArgument(fmt::format("tokens '{}' and '{}' both have the number {}",
                                           escaped(first), escaped(second), number));
      }
      is_taken[index] = true;
      texts_[index] = text;
      return {};
    };
    for (const auto& [text, number] : model_.vocabulary()) VTA_RETURN_IF_ERROR(add(text, number));
    for (const AddedTokens::Token& token : added_.tokens()) {
      VTA_RETURN_IF_ERROR(add(token.text, token.number));
      added_numbers_.insert(token.number);
      if (token.is_special) special_.insert(token.number);
    }
    return {};
  }

  /// The tokens that a template puts in front of a text.
  Status readBegin(const Json& field) {
    if (field.is_null()) return {};
    const auto kind = field.at("type").get<std::string>();
    if (kind == "ByteLevel") return {};
    if (kind == "Sequence") {
      for (const Json& step : field.at("processors")) VTA_RETURN_IF_ERROR(readBegin(step));
      return {};
    }
    if (kind != "TemplateProcessing") {
      return unsupported(fmt::format(
          "post_processor '{}' is not supported; Sequence, ByteLevel and TemplateProcessing are",
          kind));
    }
    for (const Json& item : field.at("single")) {
      if (!item.contains("SpecialToken")) break;
      const auto name = item.at("SpecialToken").at("id").get<std::string>();
      const Json& numbers = field.at("special_tokens").at(name).at("ids");
      for (const Json& number : numbers) {
        VTA_ASSIGN_OR_RETURN(const int64_t token, tokenNumber(name, number));
        begin_.push_back(token);
      }
    }
    return {};
  }

  /// That a character of `text`, as the steps have left it, has no token.
  Status lacks(const std::string& character, std::string_view text) const {
    const bool is_changed = text.find(character) == std::string_view::npos;
    const std::string written = is_changed ? decoder_.decode(character, false) : character;
    return invalidArgument(fmt::format("the tokenizer has no token for '{}'{}", escaped(written),
                                       placeOf(written, text)));
  }

  Status addText(std::string text, bool is_first, std::vector<int64_t>& tokens,
                 std::string& missing) const {
    VTA_ASSIGN_OR_RETURN(std::string normalised, normalise_(std::move(text)));
    VTA_ASSIGN_OR_RETURN(const std::vector<TextPiece> pieces,
                         cut_({{std::move(normalised), is_first}}));
    for (const TextPiece& piece : pieces) {
      VTA_RETURN_IF_ERROR(model_.encode(piece.text, tokens, missing));
    }
    return {};
  }

  BpeModel model_;
  Normalise normalise_;
  Cut cut_;
  PieceDecoder decoder_;
  AddedTokens added_;
  std::set<int64_t> added_numbers_, special_, ends_;
  std::vector<int64_t> begin_;
  std::vector<std::string> texts_;  // by number; empty where there is no token
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> parseJsonTokenizer(std::span<const std::byte> file) {
  try {
    const auto* begin = reinterpret_cast<const char*>(file.data());
    int deepest = 0;
    const Json fields = Json::parse(begin, begin + file.size(), [&](int depth, auto, const Json&) {
      deepest = std::max(deepest, depth);
      return true;
    });
    if (deepest > kMostDepth) {
      return invalidArgument(
          fmt::format("no tokenizer.json: its fields are nested deeper than {}", kMostDepth));
    }
    return makeJsonTokenizer(fields);
  } catch (const Json::parse_error& error) {
    return invalidArgument("no tokenizer.json: " + jsonReason(error.what()));
  }
}

Result<std::unique_ptr<Tokenizer>> makeJsonTokenizer(const Json& fields,
                                                     const std::set<int64_t>& ends) {
  try {
    return JsonTokenizer::parse(fields, ends);
  } catch (const Json::exception& error) {
    return invalidArgument("tokenizer.json: " + jsonReason(error.what()));
  }
}

}  // namespace vta::driver
