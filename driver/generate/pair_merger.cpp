#include "driver/generate/pair_merger.h"

#include <queue>
#include <tuple>

namespace vta::driver {
namespace {

constexpr int64_t kNone = -1;

/// Two neighbours that were joined, or may be: `left` and `right` say what they were then.
struct Candidate {
  double order;
  int64_t at;  // place of the left one
  int64_t left, right;
  int64_t token;

  bool operator>(const Candidate& other) const {
    return std::tie(order, at) > std::tie(other.order, other.at);
  }
};

/// A list of tokens that are linked to their neighbours; a joined one takes the left one's place.
class MergeList {
 public:
  MergeList(const std::vector<int64_t>& tokens, const FindMerge& find) : find_(find) {
    const auto count = static_cast<int64_t>(tokens.size());
    for (int64_t i = 0; i < count; ++i) {
      links_.push_back({tokens[static_cast<size_t>(i)], i - 1, i + 1 < count ? i + 1 : kNone});
    }
    for (int64_t i = 0; i < count; ++i) offer(i);
  }

  std::vector<int64_t> run() {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      join(best);
    }
    std::vector<int64_t> tokens;
    for (int64_t i = links_.empty() ? kNone : 0; i != kNone; i = link(i).next) {
      tokens.push_back(link(i).token);
    }
    return tokens;
  }

 private:
  struct Link {
    int64_t token;  // kNone: it was joined to the one in front of it
    int64_t previous, next;
  };

  Link& link(int64_t at) { return links_[static_cast<size_t>(at)]; }

  void offer(int64_t at) {
    if (at == kNone || link(at).next == kNone) return;
    const int64_t left = link(at).token, right = link(link(at).next).token;
    if (const auto merge = find_(left, right)) {
      queue_.push({merge->order, at, left, right, merge->token});
    }
  }

  /// Unless one of the two has changed.
  void join(const Candidate& pair) {
    Link& left = link(pair.at);
    if (left.token != pair.left || left.next == kNone) return;
    Link& right = link(left.next);
    if (right.token != pair.right) return;
    left.token = pair.token;
    right.token = kNone;
    left.next = right.next;
    if (left.next != kNone) link(left.next).previous = pair.at;
    offer(left.previous);
    offer(pair.at);
  }

  const FindMerge& find_;
  std::vector<Link> links_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
};

}  // namespace

std::vector<int64_t> mergePairs(const std::vector<int64_t>& tokens, const FindMerge& find) {
  return MergeList(tokens, find).run();
}

}  // namespace vta::driver
