#include "driver/runtime/memory/copy_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vta::driver {
namespace {

uint32_t wholeOf(const ModuleInfo& info, uint32_t tensor) {
  const int32_t whole = info.tensors[tensor].part_of;
  return whole < 0 ? tensor : static_cast<uint32_t>(whole);
}

/// Bytes that every tensor either has all of or none: tensors and their parts cut at all of their
/// bounds. So a plan need not look at bytes.
class Pieces {
 public:
  struct Piece {
    SpaceRange range;
    uint32_t whole = 0;  // the tensor that is no part of another
  };
  /// A tensor's pieces, one behind the other.
  struct Run {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  explicit Pieces(const ModuleInfo& info) : runs_(info.tensors.size()) {
    std::map<uint32_t, std::set<uint64_t>> bounds;  // by whole tensor
    for (uint32_t i = 0; i < info.tensors.size(); ++i) {
      const TensorInfo& tensor = info.tensors[i];
      if (tensor.size_bytes == 0) continue;
      bounds[wholeOf(info, i)].insert(
          {tensor.offset_bytes, tensor.offset_bytes + tensor.size_bytes});
    }
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> starts;  // by whole tensor and offset
    for (const auto& [whole, cuts] : bounds) {
      for (auto cut = cuts.begin(); cut != cuts.end(); ++cut) {
        starts[{whole, *cut}] = static_cast<uint32_t>(pieces_.size());
        const auto next = std::next(cut);
        if (next == cuts.end()) break;
        pieces_.push_back({{info.tensors[whole].space, *cut, *next - *cut}, whole});
      }
    }
    for (uint32_t i = 0; i < info.tensors.size(); ++i) {
      const TensorInfo& tensor = info.tensors[i];
      if (tensor.size_bytes == 0) continue;
      const uint32_t whole = wholeOf(info, i);
      const uint32_t first = starts.at({whole, tensor.offset_bytes});
      const uint32_t end = starts.at({whole, tensor.offset_bytes + tensor.size_bytes});
      runs_[i] = {first, end - first};
    }
  }

  size_t count() const { return pieces_.size(); }
  const Piece& at(uint32_t piece) const { return pieces_[piece]; }
  Run of(uint32_t tensor) const { return runs_[tensor]; }

  /// Neighbours of one tensor as one.
  std::vector<SpaceRange> join(const std::set<uint32_t>& pieces) const {
    std::vector<SpaceRange> ranges;
    int64_t last = -2;
    for (const uint32_t piece : pieces) {
      const bool follows = last + 1 == piece && pieces_[last].whole == pieces_[piece].whole;
      if (follows) {
        ranges.back().size_bytes += pieces_[piece].range.size_bytes;
      } else {
        ranges.push_back(pieces_[piece].range);
      }
      last = piece;
    }
    return ranges;
  }

 private:
  std::vector<Piece> pieces_;
  std::vector<Run> runs_;  // by tensor
};

/// Which actions have ended when another one starts, whatever the threads do.
class Order {
 public:
  explicit Order(std::span<const PlannedAction> actions) : actions_(actions) {
    std::map<uint32_t, uint32_t> background;  // by executor: how many there were
    std::map<uint32_t, uint32_t> awaited;     // by executor: how many of them have ended
    for (const PlannedAction& action : actions) {
      const ActionInfo& info = *action.info;
      for (const WaitInfo& wait : info.waits) {
        uint32_t& count = awaited[wait.executor];
        count = std::max(count, wait.count);
      }
      awaited_.push_back(awaited);
      number_.push_back(info.in_background ? ++background[info.executor] : 0);
    }
  }

  /// `before` comes in front of `action` in the list.
  bool hasEnded(size_t before, size_t action) const {
    if (number_[before] == 0) return true;
    const uint32_t executor = actions_[before].info->executor;
    // Those in the background of one executor take turns.
    if (number_[action] > 0 && actions_[action].info->executor == executor) return true;
    const auto found = awaited_[action].find(executor);
    return found != awaited_[action].end() && found->second >= number_[before];
  }

 private:
  std::span<const PlannedAction> actions_;
  std::vector<std::map<uint32_t, uint32_t>> awaited_;  // by action
  std::vector<uint32_t> number_;  // by action: among those in background of its executor, from 1
};

constexpr int64_t kBeforeRun = -1;
constexpr int64_t kNever = -2;

class CopyPlanner {
 public:
  CopyPlanner(const ModuleInfo& info, std::span<const PlannedAction> actions, uint32_t memories)
      : info_(info), actions_(actions), memories_(memories), pieces_(info), order_(actions) {
    at_start_.assign(pieces_.count(), std::vector<bool>(memories, false));
    read_next_run_.assign(pieces_.count(), false);
    for (uint32_t i = 0; i < pieces_.count(); ++i) {
      const auto contents = info_.spaces[pieces_.at(i).range.space].contents;
      if (contents != SpaceInfo::Contents::kActivations) at_start_[i].assign(memories, true);
    }
  }

  CopyPlan plan() {
    // What the first run finds everywhere, the next ones find where the run before has left it.
    // Each repetition takes a memory from a piece's start, or gives it to the host for good.
    do {
      walk();
    } while (startsDiffer());
    return finish();
  }

 private:
  /// One run.
  void walk() {
    from_host_.assign(actions_.size(), {});
    to_host_.assign(actions_.size(), {});
    places_.assign(memories_, std::vector<bool>(info_.tensors.size(), false));
    writer_.assign(pieces_.count(), kBeforeRun);
    valid_.assign(pieces_.count(), std::vector<int64_t>(memories_, kNever));
    for (uint32_t i = 0; i < pieces_.count(); ++i) {
      for (uint32_t m = 0; m < memories_; ++m) {
        if (isAtStart(i, m)) valid_[i][m] = kBeforeRun;
      }
    }
    for (const PortInfo& port : info_.inputs) write(port.tensor, kHostMemory, kBeforeRun);
    for (size_t i = 0; i < actions_.size(); ++i) {
      const PlannedAction& action = actions_[i];
      for (const uint32_t tensor : action.tensors.reads) read(tensor, action.memory, i);
      for (const uint32_t tensor : action.tensors.writes) {
        write(tensor, action.memory, static_cast<int64_t>(i));
      }
      for (const uint32_t tensor : action.host_reads) readOnHost(tensor);
    }
    for (const PortInfo& port : info_.outputs) {
      readOnHost(port.tensor);
      if (port.isCounted()) readOnHost(static_cast<uint32_t>(port.count));
    }
    for (const CacheInfo& cache : info_.context.caches) readOnHost(cache.rows);
    for (uint32_t i = 0; i < pieces_.count(); ++i) {
      if (read_next_run_[i]) bringToHost(i);
    }
  }

  bool isAtStart(uint32_t piece, uint32_t memory) const {
    return at_start_[piece][memory] || (memory == kHostMemory && read_next_run_[piece]);
  }

  void write(uint32_t tensor, uint32_t memory, int64_t action) {
    places_[memory][tensor] = true;
    // A corrupt entry may say that it writes one: then only its machine's copy is wrong.
    if (info_.isConstant(info_.tensors[tensor])) return;
    const auto [first, count] = pieces_.of(tensor);
    for (uint32_t i = first; i < first + count; ++i) {
      std::ranges::fill(valid_[i], kNever);
      valid_[i][memory] = action;
      writer_[i] = action;
    }
  }

  void read(uint32_t tensor, uint32_t memory, size_t action) {
    places_[memory][tensor] = true;
    const auto [first, count] = pieces_.of(tensor);
    for (uint32_t i = first; i < first + count; ++i) {
      if (hasNewest(i, memory, action)) continue;
      if (!bringToHost(i) || memory == kHostMemory) continue;
      places_[kHostMemory][tensor] = true;
      from_host_[action].insert(i);
      valid_[i][memory] = static_cast<int64_t>(action);
    }
  }

  void readOnHost(uint32_t tensor) {
    places_[kHostMemory][tensor] = true;
    const auto [first, count] = pieces_.of(tensor);
    for (uint32_t i = first; i < first + count; ++i) bringToHost(i);
  }

  bool hasNewest(uint32_t piece, uint32_t memory, size_t action) const {
    const int64_t since = valid_[piece][memory];
    if (since == kNever) return false;
    // The waits see to what is written; what was copied for another reader they need not.
    return since == kBeforeRun || since == writer_[piece] ||
           order_.hasEnded(static_cast<size_t>(since), action);
  }

  /// Has the last writer copy a piece to the host. False if nobody has written it.
  bool bringToHost(uint32_t piece) {
    if (valid_[piece][kHostMemory] != kNever) return true;
    if (std::ranges::all_of(valid_[piece], [](int64_t since) { return since == kNever; })) {
      return false;
    }
    const int64_t writer = writer_[piece];
    if (writer == kBeforeRun) {
      read_next_run_[piece] = true;  // it is the run before that copies it
    } else {
      to_host_[static_cast<size_t>(writer)].insert(piece);
    }
    valid_[piece][kHostMemory] = writer;
    return true;
  }

  /// Takes from the start what the end of a run does not leave; true if something has changed since
  /// the walk began.
  bool startsDiffer() {
    bool differ = false;
    for (uint32_t i = 0; i < pieces_.count(); ++i) {
      if (info_.spaces[pieces_.at(i).range.space].contents != SpaceInfo::Contents::kState) continue;
      const bool is_new = read_next_run_[i] && !was_read_next_run_.contains(i);
      if (is_new) was_read_next_run_.insert(i);
      differ |= is_new;
      for (uint32_t m = 0; m < memories_; ++m) {
        if (valid_[i][m] != kNever || !at_start_[i][m]) continue;
        at_start_[i][m] = false;
        differ = true;
      }
    }
    return differ;
  }

  CopyPlan finish() {
    CopyPlan plan;
    for (size_t i = 0; i < actions_.size(); ++i) {
      plan.actions.push_back({pieces_.join(from_host_[i]), pieces_.join(to_host_[i])});
    }
    for (uint32_t i = 0; i < pieces_.count(); ++i) {
      const SpaceRange& range = pieces_.at(i).range;
      if (info_.spaces[range.space].contents != SpaceInfo::Contents::kState) continue;
      uint32_t memory = 0;
      while (memory + 1 < memories_ && !isAtStart(i, memory)) ++memory;
      plan.state.push_back({range, memory});
    }
    addStaging();
    plan.places = std::move(places_);
    return plan;
  }

  /// What is copied has a place in the memory of the host: that of its whole tensor, since the
  /// pieces of one copy may be of several parts.
  void addStaging() {
    for (const auto* copies : {&from_host_, &to_host_}) {
      for (const std::set<uint32_t>& pieces : *copies) {
        for (const uint32_t piece : pieces) places_[kHostMemory][pieces_.at(piece).whole] = true;
      }
    }
  }

  const ModuleInfo& info_;
  std::span<const PlannedAction> actions_;
  uint32_t memories_;
  Pieces pieces_;
  Order order_;
  std::vector<std::vector<bool>> at_start_;  // by piece and memory: holds it before every run
  std::vector<bool> read_next_run_;          // by piece: a run leaves it on the host for the next
  std::set<uint32_t> was_read_next_run_;     // what the walk began with
  // Of a walk:
  std::vector<std::vector<int64_t>> valid_;  // by piece and memory: the action that put it there
  std::vector<int64_t> writer_;              // by piece: the last action that wrote it
  std::vector<std::set<uint32_t>> from_host_;
  std::vector<std::set<uint32_t>> to_host_;
  std::vector<std::vector<bool>> places_;
};

}  // namespace

ActionTensors tensorsOfSteps(const ModuleInfo& info, const ActionInfo& action) {
  ActionTensors tensors;
  std::set<uint32_t> read;
  std::set<uint32_t> written;
  for (uint32_t i = 0; i < action.step_count; ++i) {
    const StepInfo& step = info.steps[action.first_step + i];
    const size_t results = std::min<size_t>(step.num_results, step.arguments.size());
    const size_t first_result = step.arguments.size() - results;
    for (size_t k = 0; k < step.arguments.size(); ++k) {
      const uint32_t tensor = step.arguments[k];
      if (written.contains(tensor)) continue;
      if (k >= first_result) {
        written.insert(tensor);
        tensors.writes.push_back(tensor);
      } else if (read.insert(tensor).second) {
        tensors.reads.push_back(tensor);
      }
    }
  }
  return tensors;
}

CopyPlan planCopies(const ModuleInfo& info, std::span<const PlannedAction> actions,
                    uint32_t memory_count) {
  return CopyPlanner(info, actions, memory_count).plan();
}

}  // namespace vta::driver
