// Who used what last: which instructions a random program has to wait for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/random/token_weaver.h"

namespace vta::sim {

/// The last accesses to each element of one memory, by unit and as counts of the unit's stream.
class Usage {
 public:
  explicit Usage(uint32_t elements) : elements_(elements) {}

  /// Adds to `needs` what a read or write of `element` has to wait for.
  void addNeeds(uint32_t element, bool is_write, TokenWeaver::Clock& needs) const {
    const Element& e = elements_[element];
    for (int i = 0; i < TokenWeaver::kUnits; ++i) {
      needs[i] = std::max(needs[i], is_write ? std::max(e.reads[i], e.writes[i]) : e.writes[i]);
    }
  }

  /// The instruction at `position` of unit `unit` reads or writes `element`.
  void record(uint32_t element, bool is_write, int unit, uint32_t position) {
    Element& e = elements_[element];
    (is_write ? e.writes : e.reads)[unit] = position + 1;
  }

 private:
  struct Element {
    TokenWeaver::Clock reads{};
    TokenWeaver::Clock writes{};
  };
  std::vector<Element> elements_;
};

}  // namespace vta::sim
