// Formats of input files that not every program reads. Libraries that read one register it when a
// program that links them starts.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/status.h"
#include "base/tensor.h"
#include "tools/inputs/preprocess.h"

namespace vta::tools {

/// Reads a file with one array.
using ArrayReader = Result<Tensor> (*)(std::span<const std::byte> file);

/// Adds the reader of files that end in `extension`, ".pb" for example; true, so that it can
/// initialise a variable.
bool registerArrayReader(std::string_view extension, ArrayReader reader);

/// The reader of files that end in `extension`, nullptr if this program has none.
ArrayReader findArrayReader(std::string_view extension);

/// Reads a file that says how images become inputs; `source_name` is for messages.
using PreprocessReader = Result<Preprocess> (*)(std::string_view text,
                                                std::string_view source_name);
bool registerPreprocessReader(PreprocessReader reader);

/// nullptr if this program has none.
PreprocessReader findPreprocessReader();

}  // namespace vta::tools
