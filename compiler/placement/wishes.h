// Where the user wants layers to run, and which of them do not. Free of MLIR types.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/machine_rates.h"
#include "base/status.h"

namespace vta::placement {

/// The machine of kernels; the others are called as their back ends are.
inline constexpr std::string_view kVtaMachine = "vta";

/// Layers whose names fit the pattern are for that machine. In a pattern, `*` stands for any
/// letters and `?` for one.
struct PlaceRule {
  std::string pattern;
  std::string machine;
};

/// Reads "LAYER=MACHINE"; what is behind the last "=" is the machine. Errors: another form.
Result<PlaceRule> parsePlaceRule(std::string_view text);

/// The machine of the last rule that fits; empty if none does.
std::string_view machineFor(const std::vector<PlaceRule>& rules, std::string_view layer);

/// Ok if each rule fits one of `layers` and names one of `machines`. Errors: kInvalidArgument with
/// the name that is meant, perhaps.
Status checkRules(const std::vector<PlaceRule>& rules, const std::vector<std::string>& layers,
                  const std::vector<std::string>& machines);

/// What the partition has to keep to.
struct PlacementOptions {
  std::string offered;    // an optional back end that is weighed, too; empty: none
  std::string preferred;  // a back end that gets all that it can run; empty: none
  std::vector<PlaceRule> rules;
  /// What is known of the machines of back ends, by the names of these. The others say themselves
  /// what operators cost.
  std::map<std::string, MachineRates, std::less<>> rates;
};

/// An operator that is elsewhere than where the user wants it.
struct Misplaced {
  std::string layer;
  std::string wanted;
  std::string machine;
  std::string reason;
};

/// "layer 'nms' is for the gpu, but runs on the cpu: GPUs have no kernel of it".
std::string textOf(const Misplaced& misplaced);

}  // namespace vta::placement
