#include "explore/tune/measure/measurement.h"

namespace vta::tune {

std::string_view outcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCycles:
      return "cycles";
    case Outcome::kSlower:
      return "slower";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCrashed:
      return "crashed";
    case Outcome::kTimedOut:
      return "timed out";
    case Outcome::kNotMeasured:
      return "not measured";
  }
  return "failed";
}

}  // namespace vta::tune
