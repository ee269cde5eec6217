// llama2.c's tokenizer.bin.
#include <fmt/format.h>

#include "base/bytes/byte_reader.h"
#include "base/files.h"
#include "driver/generate/piece_tokenizer.h"
#include "driver/generate/tokenizer.h"

namespace vta::driver {
namespace {

/// Tokens in front of those of bytes: unknown, begin, end.
constexpr int64_t kBegin = 1, kEnd = 2, kFirstByte = 3;

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
    const auto number = static_cast<int64_t>(pieces.size());
    const bool steers = number == kBegin || number == kEnd;
    pieces.push_back({{reinterpret_cast<const char*>(text.data()), text.size()}, *score, steers});
    at += text.size();
  }
  constexpr int64_t kLeast = kFirstByte + 256;
  if (static_cast<int64_t>(pieces.size()) < kLeast) {
    return invalidArgument(
        fmt::format("tokenizer.bin has {} tokens; it has to have {} at least, with one for each "
                    "byte",
                    pieces.size(), kLeast));
  }
  PieceOptions options;
  options.begin = kBegin;
  options.ends = {kBegin, kEnd};
  auto tokenizer = makePieceTokenizer(std::move(pieces), std::move(options));
  if (!tokenizer.ok()) return tokenizer.status().withContext("tokenizer.bin");
  return tokenizer;
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
