// Tokenizers: any bytes give an error with a text, or a tokenizer whose tokens of a text are its
// own and have texts of their own.
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "driver/generate/json/json_tokenizer.h"
#include "driver/generate/tokenizer.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using vta::driver::Tokenizer;

constexpr std::string_view kTexts[] = {"", " a  b", "Once upon a time",
                                       "\xC3\xA9\n12 \xF0\x9F\x99\x82", "<s></s><|endoftext|>"};

void use(const vta::Result<std::unique_ptr<Tokenizer>>& tokenizer) {
  if (!tokenizer.ok()) {
    if (tokenizer.status().message().empty()) std::abort();
    return;
  }
  for (const std::string_view text : kTexts) {
    const auto tokens = (*tokenizer)->encode(text);
    if (!tokens.ok()) {
      if (tokens.status().message().empty()) std::abort();
      continue;
    }
    (void)decodeAll(**tokenizer, *tokens);
  }
  for (const int64_t end : (*tokenizer)->ends()) {
    if (end < 0 || end >= (*tokenizer)->size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  use(vta::driver::parseJsonTokenizer(file));
  use(vta::driver::parseBinaryTokenizer(file));
  return 0;
}
