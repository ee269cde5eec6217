#include "sim/card/card_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace vta::sim {
namespace {

constexpr uint32_t kMostCards = 16;

/// Caches are not part of a card, and interrupts of user-managed kernels do not reach XRT.
constexpr BoardFaultKind kFaultsOfCards[] = {BoardFaultKind::kStuck,    BoardFaultKind::kDeadBus,
                                             BoardFaultKind::kBusError, BoardFaultKind::kArithmetic,
                                             BoardFaultKind::kReset,    BoardFaultKind::kGone};

Status addFault(std::string_view text, CardSettings& settings) {
  VTA_ASSIGN_OR_RETURN(const BoardFault fault, parseBoardFault(text));
  if (std::ranges::find(kFaultsOfCards, fault.kind) == std::end(kFaultsOfCards)) {
    std::string legal;
    for (const BoardFaultKind kind : kFaultsOfCards) {
      legal += fmt::format("{}{}", legal.empty() ? "" : ", ", boardFaultName(kind));
    }
    return invalidArgument(fmt::format("{}: a virtual card has no fault '{}'; legal: {}",
                                       kCardVariable, boardFaultName(fault.kind), legal));
  }
  settings.faults.push_back(fault);
  return {};
}

Status setCards(std::string_view text, CardSettings& settings) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), settings.cards);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && settings.cards <= kMostCards) return {};
  return invalidArgument(
      fmt::format("{}: cards={}; legal: 0 to {}", kCardVariable, text, kMostCards));
}

Status setOne(std::string_view setting, CardSettings& settings) {
  const size_t equals = std::min(setting.find('='), setting.size());
  const std::string_view key = setting.substr(0, equals);
  const std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
  if (key == "fault") return addFault(value, settings);
  if (key == "cards") return setCards(value, settings);
  if (setting == "core=model" || setting == "core=rtl") {
    settings.use_rtl = value == "rtl";
    return {};
  }
  return invalidArgument(
      fmt::format("{}: unknown setting '{}'; legal: core=model, core=rtl, cards=<n>, "
                  "fault=<kind>@<launch>",
                  kCardVariable, setting));
}

}  // namespace

Result<CardSettings> parseCardSettings(std::string_view text) {
  CardSettings settings;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    VTA_RETURN_IF_ERROR(setOne(text.substr(0, comma), settings));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return settings;
}

}  // namespace vta::sim
