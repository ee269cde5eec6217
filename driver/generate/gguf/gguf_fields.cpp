// Source of the fields: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#include "driver/generate/gguf/gguf_fields.h"

#include <fmt/format.h>

#include <optional>

namespace vta::driver {

std::string tokenizerField(const char* name) { return fmt::format("tokenizer.ggml.{}", name); }

Result<bool> isSet(const GgufFile& file, const char* name, bool otherwise) {
  VTA_ASSIGN_OR_RETURN(const std::optional<double> value, file.number(tokenizerField(name)));
  return value.value_or(otherwise ? 1 : 0) != 0;
}

Result<std::vector<std::string>> tokensOf(const GgufFile& file) {
  VTA_ASSIGN_OR_RETURN(std::vector<std::string> tokens, file.texts(tokenizerField("tokens")));
  if (tokens.empty()) return invalidArgument("the GGUF file has no tokens");
  return tokens;
}

Result<std::vector<GgufTokenKind>> kindsOf(const GgufFile& file, size_t tokens) {
  VTA_ASSIGN_OR_RETURN(const std::vector<double> numbers,
                       file.numbers(tokenizerField("token_type")));
  if (numbers.empty()) return std::vector<GgufTokenKind>(tokens, GgufTokenKind::kNormal);
  if (numbers.size() != tokens) {
    return invalidArgument(fmt::format("the GGUF file has {} tokens, but kinds of {} of them",
                                       tokens, numbers.size()));
  }
  std::vector<GgufTokenKind> kinds;
  for (const double number : numbers) {
    if (!(number >= 1 && number <= 6)) {
      return invalidArgument(fmt::format("token {} of the GGUF file has kind {}; kinds are 1 to 6",
                                         kinds.size(), number));
    }
    kinds.push_back(static_cast<GgufTokenKind>(number));
  }
  return kinds;
}

Result<std::set<int64_t>> endsOf(const GgufFile& file) {
  std::set<int64_t> ends;
  for (const char* name : {"eos_token_id", "eot_token_id"}) {
    VTA_ASSIGN_OR_RETURN(const std::optional<int64_t> end, file.integer(tokenizerField(name)));
    if (end) ends.insert(*end);
  }
  return ends;
}

}  // namespace vta::driver
