// The file of a small tokenizer of llama2.c.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace vta::test {

/// Tokens behind three that steer and 256 bytes.
inline constexpr int64_t kSpace = 259, kA = 260, kB = 261, kC = 262, kAb = 263, kBc = 264,
                         kAbc = 265, kTokens = 266;

inline void addPiece(std::vector<std::byte>& file, float score, const std::string& text) {
  const auto size = static_cast<int32_t>(text.size());
  const size_t at = file.size();
  file.resize(at + sizeof score + sizeof size + text.size());
  std::memcpy(file.data() + at, &score, sizeof score);
  std::memcpy(file.data() + at + sizeof score, &size, sizeof size);
  std::memcpy(file.data() + at + sizeof score + sizeof size, text.data(), text.size());
}

inline std::vector<std::byte> smallTokenizerFile() {
  std::vector<std::byte> file(sizeof(int32_t));
  const int32_t longest = 6;
  std::memcpy(file.data(), &longest, sizeof longest);
  for (const char* text : {"<unk>", "<s>", "</s>"}) addPiece(file, 0, text);
  for (unsigned byte = 0; byte < 256; ++byte) addPiece(file, 0, fmt::format("<0x{:02X}>", byte));
  for (const char* text : {" ", "a", "b", "c"}) addPiece(file, -100, text);
  addPiece(file, -3, "ab");
  addPiece(file, -2, "bc");
  addPiece(file, -1, "abc");
  return file;
}

}  // namespace vta::test
