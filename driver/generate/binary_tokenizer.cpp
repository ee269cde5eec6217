// llama2.c's tokenizer.bin.
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_map>

#include "base/bytes/byte_reader.h"
#include "base/files.h"
#include "base/text/utf8.h"
#include "driver/generate/pair_merger.h"
#include "driver/generate/tokenizer.h"

namespace vta::driver {
namespace {

constexpr int64_t kBegin = 1, kEnd = 2;
/// The first of 256 tokens that are single bytes.
constexpr int64_t kFirstByte = 3;

/// The byte of "<0x0A>".
std::optional<char> byteOf(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  unsigned value = 0;
  const char* end = piece.data() + 5;
  const auto [stop, error] = std::from_chars(piece.data() + 3, end, value, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return static_cast<char>(value);
}

struct Piece {
  std::string text;
  float score = 0;
};

class BinaryTokenizer final : public Tokenizer {
 public:
  explicit BinaryTokenizer(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
    // Of pieces with one text the last one counts: the bytes in front have that of other pieces.
    for (int64_t i = 0; i < size(); ++i) numbers_[piece(i).text] = i;
  }

  int64_t size() const override { return static_cast<int64_t>(pieces_.size()); }
  const std::set<int64_t>& ends() const override { return ends_; }

  Result<std::vector<int64_t>> encode(std::string_view text) const override {
    if (!isUtf8(text)) return invalidArgument("the text is not UTF-8");
    std::vector<int64_t> tokens;
    if (!text.empty()) addCharacter(" ", tokens);
    while (!text.empty()) {
      const std::string_view character = text.substr(0, characterBytes(text));
      addCharacter(character, tokens);
      text.remove_prefix(character.size());
    }
    tokens = mergePairs(tokens, [this](int64_t left, int64_t right) { return merge(left, right); });
    tokens.insert(tokens.begin(), kBegin);
    return tokens;
  }

  std::string decode(int64_t token, bool is_first) const override {
    if (token < 0 || token >= size() || token == kBegin || token == kEnd) return "";
    const std::string& text = piece(token).text;
    if (const auto byte = byteOf(text)) return {*byte};
    return is_first && text.starts_with(' ') ? text.substr(1) : text;
  }

 private:
  const Piece& piece(int64_t token) const { return pieces_[static_cast<size_t>(token)]; }

  void addCharacter(std::string_view character, std::vector<int64_t>& tokens) const {
    const auto found = numbers_.find(std::string(character));
    if (found != numbers_.end()) {
      tokens.push_back(found->second);
      return;
    }
    for (const char byte : character) tokens.push_back(kFirstByte + static_cast<uint8_t>(byte));
  }

  std::optional<Merge> merge(int64_t left, int64_t right) const {
    const auto found = numbers_.find(piece(left).text + piece(right).text);
    if (found == numbers_.end()) return std::nullopt;
    return Merge{-static_cast<double>(piece(found->second).score), found->second};
  }

  std::vector<Piece> pieces_;
  std::unordered_map<std::string, int64_t> numbers_;
  std::set<int64_t> ends_ = {kBegin, kEnd};
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> parseBinaryTokenizer(std::span<const std::byte> file) {
  const auto longest = readAt<int32_t>(file, 0);
  if (!longest || *longest < 1 || *longest > 1 << 16) {
    return invalidArgument("no tokenizer.bin of llama2.c: it does not begin with a length");
  }
  std::vector<Piece> pieces;
  uint64_t at = sizeof(int32_t);
  while (at < file.size()) {
    const auto score = readAt<float>(file, at);
    const auto bytes = readAt<int32_t>(file, at + sizeof(float));
    at += sizeof(float) + sizeof(int32_t);
    if (!score || !bytes || *bytes < 0 || static_cast<uint64_t>(*bytes) > file.size() - at) {
      return invalidArgument(
          fmt::format("tokenizer.bin is cut off or damaged behind {} tokens", pieces.size()));
    }
    const auto text = file.subspan(at, static_cast<size_t>(*bytes));
    pieces.push_back({{reinterpret_cast<const char*>(text.data()), text.size()}, *score});
    at += text.size();
  }
  constexpr int64_t kLeast = kFirstByte + 256;
  if (static_cast<int64_t>(pieces.size()) < kLeast) {
    return invalidArgument(
        fmt::format("tokenizer.bin has {} tokens; it has to have {} at least, with one for each "
                    "byte",
                    pieces.size(), kLeast));
  }
  return std::unique_ptr<Tokenizer>(std::make_unique<BinaryTokenizer>(std::move(pieces)));
}

Result<std::unique_ptr<Tokenizer>> readBinaryTokenizer(const std::filesystem::path& file) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(file));
  auto tokenizer = parseBinaryTokenizer(bytes);
  if (!tokenizer.ok()) return tokenizer.status().withContext(fmt::format("'{}'", file.string()));
  return tokenizer;
}

std::string decodeAll(const Tokenizer& tokenizer, std::span<const int64_t> tokens) {
  std::string text;
  bool is_first = true;
  for (const int64_t token : tokens) {
    text += tokenizer.decode(token, is_first);
    is_first = is_first && tokenizer.decode(token, false).empty();
  }
  return text;
}

}  // namespace vta::driver
