// PieceTokenizer: pieces with scores, as SentencePiece makes them for byte-pair encoding.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver/generate/tokenizer.h"

namespace vta::driver {

struct Piece {
  std::string text;
  float score = 0;
  bool steers = false;  // adds nothing to a text, and is not found in one
};

/// The byte of "<0x0A>".
std::optional<uint8_t> byteOfPiece(std::string_view piece);

struct PieceOptions {
  std::optional<int64_t> begin;  // in front of every text
  std::set<int64_t> ends;
  bool has_space_in_front = true;  // a text begins as a word within it does
};

/// Of `pieces`, whose place is their number; of pieces with the same text the last one counts. A
/// character without a piece becomes its bytes. Errors: a byte without a piece, `begin` or `ends`
/// out of range.
Result<std::unique_ptr<Tokenizer>> makePieceTokenizer(std::vector<Piece> pieces,
                                                      PieceOptions options);

}  // namespace vta::driver
