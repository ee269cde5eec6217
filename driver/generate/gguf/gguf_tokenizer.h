// The tokenizer in a GGUF file.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "driver/generate/tokenizer.h"

namespace vta::driver {

/// Pieces with scores, or byte-pair encoding (tokenizer.ggml.model "llama" and "gpt2"). Errors: a
/// file without a tokenizer, or with one of another kind; fields that contradict each other.
Result<std::unique_ptr<Tokenizer>> parseGgufTokenizer(std::vector<std::byte> file);

}  // namespace vta::driver
