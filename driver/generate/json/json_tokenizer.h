// Tokenizers of Hugging Face's tokenizer.json.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <span>

#include "base/status.h"
#include "driver/generate/tokenizer.h"

namespace vta::driver {

/// Byte-pair encoding: of bytes as GPT-2 has it, or of characters as SentencePiece has it. Errors:
/// a file that is cut off or no tokenizer.json; what is not supported, by its name.
Result<std::unique_ptr<Tokenizer>> parseJsonTokenizer(std::span<const std::byte> file);

/// The same of a file's fields; `ends` are tokens behind which a text ends, besides those that say
/// it by their names. Errors: likewise.
Result<std::unique_ptr<Tokenizer>> makeJsonTokenizer(const nlohmann::json& fields,
                                                     const std::set<int64_t>& ends = {});

}  // namespace vta::driver
