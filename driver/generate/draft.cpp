#include "driver/generate/draft.h"

#include <algorithm>
#include <optional>

namespace vta::driver {
namespace {

/// More tokens than these in common say hardly more about the next one.
constexpr size_t kMostInCommon = 4;

/// Behind the latest place where `text` has its last `count` tokens once more.
std::optional<size_t> behindLatest(std::span<const int64_t> text, size_t count) {
  if (text.size() <= count) return std::nullopt;
  const auto end = text.last(count);
  const auto before = text.first(text.size() - 1);
  const auto found = std::find_end(before.begin(), before.end(), end.begin(), end.end());
  if (found == before.end()) return std::nullopt;
  return static_cast<size_t>(found - before.begin()) + count;
}

}  // namespace

std::vector<int64_t> draftFromText(std::span<const int64_t> text, size_t most) {
  for (size_t count = std::min(kMostInCommon, text.size()); count > 0; --count) {
    const auto from = behindLatest(text, count);
    if (!from) continue;
    std::vector<int64_t> draft;
    for (size_t i = 0; i < most; ++i) {
      const size_t at = *from + i;
      draft.push_back(at < text.size() ? text[at] : draft[at - text.size()]);
    }
    return draft;
  }
  return {};
}

}  // namespace vta::driver
