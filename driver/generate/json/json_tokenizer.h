// Tokenizers of Hugging Face's tokenizer.json.
#pragma once

#include <memory>
#include <span>

#include "base/status.h"
#include "driver/generate/tokenizer.h"

namespace vta::driver {

/// Byte-pair encoding: of bytes as GPT-2 has it, or of characters as SentencePiece has it. Errors:
/// a file that is cut off or no tokenizer.json; what is not supported, by its name.
Result<std::unique_ptr<Tokenizer>> parseJsonTokenizer(std::span<const std::byte> file);

/// The tokenizer in a file: tokenizer.json, tokenizer.bin of llama2.c, or a model in GGUF that has
/// its tokenizer inside. Errors name the file.
Result<std::unique_ptr<Tokenizer>> readTokenizer(const std::filesystem::path& file);

}  // namespace vta::driver
