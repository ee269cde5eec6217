// How far a run of a session is, for a thread that shows it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

namespace vta::driver {

/// The actions of a run, by what they take, and which of them have ended. fraction() may be called
/// from any thread at any time; the others by the threads that run the actions.
class RunProgress {
 public:
  /// One weight for each action, in any unit.
  explicit RunProgress(std::vector<double> weights);

  void begin();
  void endAction(size_t action) { ended_[action] = true; }
  void end() { is_running_ = false; }

  /// From 0 to 1: the share of the run's weight that has been done; 0 between runs. `share_of` says
  /// it of an action that has not ended.
  double fraction(const std::function<double(size_t action)>& share_of) const;

 private:
  std::vector<double> weights_;
  std::vector<std::atomic<bool>> ended_;
  std::atomic<bool> is_running_ = false;
};

}  // namespace vta::driver
