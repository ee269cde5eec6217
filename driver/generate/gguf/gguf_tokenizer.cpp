#include "driver/generate/gguf/gguf_tokenizer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "driver/generate/gguf/byte_pair_fields.h"
#include "driver/generate/gguf/gguf_fields.h"
#include "driver/generate/json/json_tokenizer.h"
#include "driver/generate/piece_tokenizer.h"

namespace vta::driver {
namespace {

/// What SentencePiece writes for a space.
constexpr std::string_view kSpace = "\u2581";

std::string withSpaces(std::string_view text) {
  std::string result;
  for (size_t at = text.find(kSpace); at != std::string_view::npos; at = text.find(kSpace)) {
    result.append(text.substr(0, at)).append(1, ' ');
    text.remove_prefix(at + kSpace.size());
  }
  return result.append(text);
}

bool addsNothing(GgufTokenKind kind) {
  return kind == GgufTokenKind::kUnknown || kind == GgufTokenKind::kControl ||
         kind == GgufTokenKind::kUnused;
}

Result<std::vector<Piece>> readPieces(const GgufFile& file) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::string> texts, tokensOf(file));
  VTA_ASSIGN_OR_RETURN(const std::vector<GgufTokenKind> kinds, kindsOf(file, texts.size()));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, file.numbers(tokenizerField("scores")));
  if (scores.size() != texts.size()) {
    return invalidArgument(fmt::format("the GGUF file has {} tokens, but scores of {} of them",
                                       texts.size(), scores.size()));
  }
  std::vector<Piece> pieces;
  for (size_t i = 0; i < texts.size(); ++i) {
    pieces.push_back({withSpaces(texts[i]), static_cast<float>(scores[i]), addsNothing(kinds[i])});
  }
  return pieces;
}

Result<std::unique_ptr<Tokenizer>> parsePieces(const GgufFile& file) {
  VTA_ASSIGN_OR_RETURN(std::vector<Piece> pieces, readPieces(file));
  PieceOptions options;
  VTA_ASSIGN_OR_RETURN(const bool begins, isSet(file, "add_bos_token", true));
  if (begins) {
    VTA_ASSIGN_OR_RETURN(options.begin, file.integer(tokenizerField("bos_token_id")));
  }
  VTA_ASSIGN_OR_RETURN(options.ends, endsOf(file));
  VTA_ASSIGN_OR_RETURN(options.has_space_in_front, isSet(file, "add_space_prefix", true));
  return makePieceTokenizer(std::move(pieces), std::move(options));
}

Result<std::unique_ptr<Tokenizer>> parseBytePairs(const GgufFile& file) {
  VTA_ASSIGN_OR_RETURN(const nlohmann::json fields, bytePairFields(file));
  VTA_ASSIGN_OR_RETURN(const std::set<int64_t> ends, endsOf(file));
  return makeJsonTokenizer(fields, ends);
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> parseGgufTokenizer(std::vector<std::byte> bytes) {
  VTA_ASSIGN_OR_RETURN(const GgufFile file, GgufFile::parse(std::move(bytes)));
  VTA_ASSIGN_OR_RETURN(const std::optional<std::string> kind, file.text(tokenizerField("model")));
  if (!kind) return invalidArgument("the GGUF file has no tokenizer");
  if (*kind == "llama") return parsePieces(file);
  if (*kind == "gpt2") return parseBytePairs(file);
  return unsupported(fmt::format(
      "a tokenizer of kind '{}' in a GGUF file is not supported; llama and gpt2 are. Give the "
      "model's tokenizer.json",
      *kind));
}

}  // namespace vta::driver
