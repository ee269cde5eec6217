#include <cmath>

#include "explore/tune/search/searcher.h"

namespace vta::tune {

void History::add(std::span<const Trial> trials) {
  for (const Trial& trial : trials) {
    propose(trial.candidate);
    trials_.push_back(trial);
    if (!trial.cycles || *trial.cycles >= best_cycles_) continue;
    best_cycles_ = *trial.cycles;
    best_ = trial.candidate;
  }
}

bool History::isHopeless(Candidate i, double tolerance) const {
  if (!best_) return false;
  const double floor = static_cast<double>(space_.floorCycles(i));
  return floor * (1 + tolerance) >= static_cast<double>(best_cycles_);
}

}  // namespace vta::tune
