// The tokenizer in a file, whatever kind of file it is.
#pragma once

#include <filesystem>
#include <memory>

#include "base/status.h"
#include "driver/generate/tokenizer.h"

namespace vta::driver {

/// Of a tokenizer.json, a tokenizer.bin of llama2.c, or a model in GGUF that has its tokenizer
/// inside. Errors name the file.
Result<std::unique_ptr<Tokenizer>> readTokenizer(const std::filesystem::path& file);

}  // namespace vta::driver
