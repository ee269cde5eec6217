#include "driver/generate/json/pattern.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace vta::driver {
namespace {

std::string messageOf(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

/// The check of the whole text at each match would take time in proportion to its square.
constexpr uint32_t kMatchOptions = PCRE2_NOTEMPTY | PCRE2_NO_UTF_CHECK;

PCRE2_SPTR bytesOf(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct Pattern::Code {
  explicit Code(pcre2_code* compiled) : code(compiled) {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { pcre2_code_free(code); }

  pcre2_code* code;
};

Result<Pattern> Pattern::compile(const std::string& expression) {
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code = pcre2_compile(bytesOf(expression), expression.size(), PCRE2_UTF | PCRE2_UCP,
                                   &error, &at, nullptr);
  if (code == nullptr) {
    return invalidArgument(fmt::format("the regular expression '{}' at byte {}: {}", expression, at,
                                       messageOf(error)));
  }
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // without it, it is slower
  return Pattern(std::make_shared<const Code>(code));
}

Result<Pattern> Pattern::literal(const std::string& text) {
  std::string expression;
  for (const char byte : text) {
    const bool is_plain = static_cast<unsigned char>(byte) >= 0x80 ||
                          (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                          (byte >= 'A' && byte <= 'Z');
    if (!is_plain) expression += '\\';
    expression += byte;
  }
  return compile(expression);
}

Result<std::vector<TextRange>> Pattern::find(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create_from_pattern(code_->code, nullptr), pcre2_match_data_free);
  if (!data) return Status(StatusCode::kResourceExhausted, "not enough memory to search a text");
  std::vector<TextRange> found;
  size_t at = 0;
  while (at < text.size()) {
    const int count = pcre2_match(code_->code, bytesOf(text), text.size(), at, kMatchOptions,
                                  data.get(), nullptr);
    if (count == PCRE2_ERROR_NOMATCH) break;
    if (count < 0) return invalidArgument(fmt::format("the text: {}", messageOf(count)));
    const PCRE2_SIZE* place = pcre2_get_ovector_pointer(data.get());
    found.push_back({place[0], place[1]});
    at = place[1];
  }
  return found;
}

}  // namespace vta::driver
