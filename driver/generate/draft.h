// Guesses what follows in a text, so that a model only has to check it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vta::driver {

/// Up to `most` tokens that may follow `text`: those that followed its last few tokens where these
/// stood before, the longest run of them first, and the latest place. A guess that reaches the end
/// of the text goes on with itself. Nothing where the last token is new.
std::vector<int64_t> draftFromText(std::span<const int64_t> text, size_t most);

}  // namespace vta::driver
