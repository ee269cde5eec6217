// Source of the fields: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#include "driver/generate/gguf/gguf_tokenizer.h"

#include <fmt/format.h>

#include "base/gguf/gguf_file.h"
#include "driver/generate/piece_tokenizer.h"

namespace vta::driver {
namespace {

/// Kinds of tokens (tokenizer.ggml.token_type) that add nothing to a text.
constexpr double kUnknown = 2, kControl = 3, kUnused = 5;
/// What SentencePiece writes for a space.
constexpr std::string_view kSpace = "\u2581";

std::string field(std::string_view name) { return fmt::format("tokenizer.ggml.{}", name); }

std::string withSpaces(std::string_view text) {
  std::string result;
  for (size_t at = text.find(kSpace); at != std::string_view::npos; at = text.find(kSpace)) {
    result.append(text.substr(0, at)).append(1, ' ');
    text.remove_prefix(at + kSpace.size());
  }
  return result.append(text);
}

Status checkKind(const GgufFile& file) {
  VTA_ASSIGN_OR_RETURN(const std::optional<std::string> kind, file.text(field("model")));
  if (!kind) return invalidArgument("the GGUF file has no tokenizer");
  if (*kind == "llama") return {};
  return unsupported(
      fmt::format("a tokenizer of kind '{}' in a GGUF file is not supported; llama is. Give the "
                  "model's tokenizer.json",
                  *kind));
}

Result<std::vector<Piece>> readPieces(const GgufFile& file) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::string> texts, file.texts(field("tokens")));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, file.numbers(field("scores")));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> kinds, file.numbers(field("token_type")));
  if (texts.empty()) return invalidArgument("the GGUF file has no tokens");
  if (scores.size() != texts.size() || (!kinds.empty() && kinds.size() != texts.size())) {
    return invalidArgument(
        fmt::format("the GGUF file has {} tokens, {} scores of them and {} kinds", texts.size(),
                    scores.size(), kinds.size()));
  }
  std::vector<Piece> pieces;
  for (size_t i = 0; i < texts.size(); ++i) {
    const double kind = kinds.empty() ? 1 : kinds[i];
    pieces.push_back({withSpaces(texts[i]), static_cast<float>(scores[i]),
                      kind == kUnknown || kind == kControl || kind == kUnused});
  }
  return pieces;
}

Result<bool> isSet(const GgufFile& file, std::string_view name, bool otherwise) {
  VTA_ASSIGN_OR_RETURN(const std::optional<double> value, file.number(field(name)));
  return value.value_or(otherwise ? 1 : 0) != 0;
}

Result<PieceOptions> readOptions(const GgufFile& file) {
  PieceOptions options;
  VTA_ASSIGN_OR_RETURN(const bool begins, isSet(file, "add_bos_token", true));
  if (begins) {
    VTA_ASSIGN_OR_RETURN(options.begin, file.integer(field("bos_token_id")));
  }
  for (const char* name : {"eos_token_id", "eot_token_id"}) {
    VTA_ASSIGN_OR_RETURN(const std::optional<int64_t> end, file.integer(field(name)));
    if (end) options.ends.insert(*end);
  }
  VTA_ASSIGN_OR_RETURN(options.has_space_in_front, isSet(file, "add_space_prefix", true));
  return options;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> parseGgufTokenizer(std::vector<std::byte> bytes) {
  VTA_ASSIGN_OR_RETURN(const GgufFile file, GgufFile::parse(std::move(bytes)));
  VTA_RETURN_IF_ERROR(checkKind(file));
  VTA_ASSIGN_OR_RETURN(std::vector<Piece> pieces, readPieces(file));
  VTA_ASSIGN_OR_RETURN(PieceOptions options, readOptions(file));
  return makePieceTokenizer(std::move(pieces), std::move(options));
}

}  // namespace vta::driver
