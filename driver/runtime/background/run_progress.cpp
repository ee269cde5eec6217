#include "driver/runtime/background/run_progress.h"

#include <numeric>
#include <utility>

namespace vta::driver {

RunProgress::RunProgress(std::vector<double> weights)
    : weights_(std::move(weights)), ended_(weights_.size()) {}

void RunProgress::begin() {
  for (std::atomic<bool>& ended : ended_) ended = false;
  is_running_ = true;
}

double RunProgress::fraction(const std::function<double(size_t action)>& share_of) const {
  if (!is_running_) return 0;
  double done = 0;
  for (size_t i = 0; i < weights_.size(); ++i) {
    done += weights_[i] * (ended_[i] ? 1.0 : share_of(i));
  }
  const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  return all > 0 ? done / all : 0;
}

}  // namespace vta::driver
