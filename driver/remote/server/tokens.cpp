#include "driver/remote/server/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "driver/remote/protocol/secret_file.h"

namespace vta::remote {
namespace {

constexpr size_t kMostNameChars = 64;

bool isPlain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

/// Without a branch on what is equal.
bool equalTokens(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Result<TokenTable> TokenTable::load(const std::filesystem::path& path) {
  VTA_ASSIGN_OR_RETURN(const std::string text, readSecretFile(path));
  TokenTable table;
  std::istringstream in(text);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    line = line.substr(0, line.find('#'));
    VTA_RETURN_IF_ERROR(table.add(line).withContext(fmt::format("{}:{}", path.string(), number)));
  }
  if (!table.entries_.empty()) return table;
  return invalidArgument(fmt::format(
      "{}: has no tokens; write one client per line, NAME TOKEN; 'openssl rand -hex 24' makes one",
      path.string()));
}

Status TokenTable::add(const std::string& line) {
  std::istringstream words(line);
  Entry entry;
  std::string more;
  if (!(words >> entry.client)) return {};
  if (!(words >> entry.token) || words >> more) {
    return invalidArgument("a line is NAME TOKEN, with a blank between them");
  }
  if (!isPlain(entry.client) || entry.client.size() > kMostNameChars) {
    return invalidArgument(
        fmt::format("the name of a client has 1 to {} plain characters", kMostNameChars));
  }
  if (!isPlain(entry.token) || entry.token.size() < kLeastTokenChars) {
    return invalidArgument(
        fmt::format("the token of '{}' can be guessed: it needs at least {} plain "
                    "characters; 'openssl rand -hex 24' makes one",
                    entry.client, kLeastTokenChars));
  }
  for (const Entry& other : entries_) {
    if (other.client == entry.client || other.token == entry.token) {
      return invalidArgument(
          fmt::format("'{}' has the name or the token of an earlier line", entry.client));
    }
  }
  entries_.push_back(std::move(entry));
  return {};
}

std::string TokenTable::clientOf(std::string_view token) const {
  std::string found;
  for (const Entry& entry : entries_) {
    if (equalTokens(entry.token, token)) found = entry.client;
  }
  return found;
}

}  // namespace vta::remote
