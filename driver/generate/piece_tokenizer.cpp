#include "driver/generate/piece_tokenizer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <unordered_map>

#include "base/text/utf8.h"
#include "driver/generate/pair_merger.h"

namespace vta::driver {
namespace {

class PieceTokenizer final : public Tokenizer {
 public:
  PieceTokenizer(std::vector<Piece> pieces, PieceOptions options)
      : pieces_(std::move(pieces)), options_(std::move(options)) {
    bytes_.fill(-1);
    for (int64_t i = 0; i < size(); ++i) {
      if (piece(i).steers) continue;
      if (const auto byte = byteOfPiece(piece(i).text); byte && bytes_[*byte] < 0) {
        bytes_[*byte] = i;
      }
      // The bytes in front have the text of other pieces, so the last one counts.
      numbers_[piece(i).text] = i;
    }
  }

  Status check() const {
    for (size_t byte = 0; byte < bytes_.size(); ++byte) {
      if (bytes_[byte] >= 0) continue;
      return invalidArgument(fmt::format("the tokenizer has no token '<0x{:02X}>'", byte));
    }
    std::set<int64_t> numbers = options_.ends;
    if (options_.begin) numbers.insert(*options_.begin);
    for (const int64_t number : numbers) {
      if (number >= 0 && number < size()) continue;
      return invalidArgument(
          fmt::format("the tokenizer has {} tokens, and names token {}", size(), number));
    }
    return {};
  }

  int64_t size() const override { return static_cast<int64_t>(pieces_.size()); }
  const std::set<int64_t>& ends() const override { return options_.ends; }

  Result<std::vector<int64_t>> encode(std::string_view text) const override {
    if (!isUtf8(text)) return invalidArgument("the text is not UTF-8");
    std::vector<int64_t> tokens;
    if (!text.empty() && options_.has_space_in_front) addCharacter(" ", tokens);
    while (!text.empty()) {
      const std::string_view character = text.substr(0, characterBytes(text));
      addCharacter(character, tokens);
      text.remove_prefix(character.size());
    }
    tokens = mergePairs(tokens, [this](int64_t left, int64_t right) { return merge(left, right); });
    if (options_.begin) tokens.insert(tokens.begin(), *options_.begin);
    return tokens;
  }

  std::string decode(int64_t token, bool is_first) const override {
    if (token < 0 || token >= size() || piece(token).steers) return "";
    const std::string& text = piece(token).text;
    if (const auto byte = byteOfPiece(text)) return {static_cast<char>(*byte)};
    const bool drops_space = is_first && options_.has_space_in_front && text.starts_with(' ');
    return drops_space ? text.substr(1) : text;
  }

 private:
  const Piece& piece(int64_t token) const { return pieces_[static_cast<size_t>(token)]; }

  void addCharacter(std::string_view character, std::vector<int64_t>& tokens) const {
    const auto found = numbers_.find(std::string(character));
    if (found != numbers_.end()) {
      tokens.push_back(found->second);
      return;
    }
    for (const char byte : character) tokens.push_back(bytes_[static_cast<uint8_t>(byte)]);
  }

  std::optional<Merge> merge(int64_t left, int64_t right) const {
    const auto found = numbers_.find(piece(left).text + piece(right).text);
    if (found == numbers_.end()) return std::nullopt;
    return Merge{-static_cast<double>(piece(found->second).score), found->second};
  }

  std::vector<Piece> pieces_;
  PieceOptions options_;
  std::unordered_map<std::string, int64_t> numbers_;
  std::array<int64_t, 256> bytes_{};
};

}  // namespace

std::optional<uint8_t> byteOfPiece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  unsigned value = 0;
  const char* end = piece.data() + 5;
  const auto [stop, error] = std::from_chars(piece.data() + 3, end, value, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return static_cast<uint8_t>(value);
}

Result<std::unique_ptr<Tokenizer>> makePieceTokenizer(std::vector<Piece> pieces,
                                                      PieceOptions options) {
  auto tokenizer = std::make_unique<PieceTokenizer>(std::move(pieces), std::move(options));
  VTA_RETURN_IF_ERROR(tokenizer->check());
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

}  // namespace vta::driver
