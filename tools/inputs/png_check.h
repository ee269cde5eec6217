// What a decoder of PNG files does not look at.
#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"

namespace vta::tools {

/// Ok when `file` is no PNG, or one whose chunks have the checksums of their contents and end with
/// IEND. Errors name the chunk.
Status checkPng(std::span<const std::byte> file);

}  // namespace vta::tools
