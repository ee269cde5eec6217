#include "driver/generate/draft_model.h"

#include <algorithm>
#include <utility>

#include "module/analysis/text_rows.h"

namespace vta::driver {

Result<DraftModel> DraftModel::create(const ModuleInfo& info, const Tokenizer& tokenizer,
                                      RunWords run, ShortenText shorten) {
  DraftModel model(info, std::move(run), std::move(shorten), tokenizer.size());
  VTA_RETURN_IF_ERROR(model.reader_.checkText(tokenizer.size()));
  return model;
}

Status DraftModel::keepOnly(size_t words) {
  if (words == read_.size()) return {};
  VTA_RETURN_IF_ERROR(shorten_(static_cast<int64_t>(words)));
  read_.resize(words);
  return {};
}

/// The likeliest token behind `words`, which are not empty.
Result<int64_t> DraftModel::read(std::span<const int64_t> words, LaunchCounters& counters) {
  const auto most = static_cast<size_t>(reader_.mostWords());
  int64_t likeliest = 0;
  for (size_t begin = 0; begin < words.size(); begin += most) {
    const auto part = words.subspan(begin, std::min(most, words.size() - begin));
    VTA_ASSIGN_OR_RETURN(const WordScores scores, reader_.read(part, known_, counters));
    read_.insert(read_.end(), part.begin(), part.end());
    const std::span<const float> row = scores.behind(scores.words() - 1);
    likeliest = std::ranges::max_element(row) - row.begin();
  }
  return likeliest;
}

Result<std::vector<int64_t>> DraftModel::draft(std::span<const int64_t> text, size_t most,
                                               LaunchCounters& counters) {
  const auto capacity = static_cast<size_t>(textCapacity(info_));
  std::vector<int64_t> draft;
  if (text.empty() || most == 0 || text.size() > capacity) return draft;
  const auto differs = std::ranges::mismatch(read_, text).in1;
  // The last token is read in any case: its scores are what is wanted.
  const size_t same = std::min<size_t>(differs - read_.begin(), text.size() - 1);
  VTA_RETURN_IF_ERROR(keepOnly(same));
  VTA_ASSIGN_OR_RETURN(const int64_t first, read(text.subspan(same), counters));
  draft.push_back(first);
  while (draft.size() < most && read_.size() < capacity) {
    const int64_t last = draft.back();
    VTA_ASSIGN_OR_RETURN(const int64_t next, read({&last, 1}, counters));
    draft.push_back(next);
  }
  return draft;
}

}  // namespace vta::driver
