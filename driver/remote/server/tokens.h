// TokenTable: who the clients of a server are.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::remote {

/// Clients and their tokens.
class TokenTable {
 public:
  static constexpr size_t kLeastTokenChars = 16;

  /// Reads lines of "NAME TOKEN"; '#' begins a comment. Errors, with line and remedy: a file that
  /// others may read, a line of another form, a name or token that comes twice, a token that is
  /// short or not plain text, a file without tokens.
  static Result<TokenTable> load(const std::filesystem::path& path);

  /// The client with this token, empty if there is none. Takes the same time for every token of one
  /// length.
  std::string clientOf(std::string_view token) const;

 private:
  struct Entry {
    std::string client;
    std::string token;
  };
  Status add(const std::string& line);

  std::vector<Entry> entries_;
};

}  // namespace vta::remote
