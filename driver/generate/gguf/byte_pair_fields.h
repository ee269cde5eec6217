// Byte-pair encoding in a GGUF file, as the fields of a tokenizer.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/gguf/gguf_file.h"
#include "base/status.h"

namespace vta::driver {

/// What tokenizer.ggml.pre names decides how a text is cut. Errors: a name that is not known, with
/// those that are; fields that are missing or contradict each other.
Result<nlohmann::json> bytePairFields(const GgufFile& file);

}  // namespace vta::driver
