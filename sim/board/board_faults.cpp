#include "sim/board/board_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

namespace vta::sim {
namespace {

constexpr std::string_view kNames[] = {"lost-interrupt", "stuck",     "dead-bus",  "bus-error",
                                       "stale-device",   "stale-cpu", "truncated", "wrong-address",
                                       "arithmetic",     "reset",     "gone"};
constexpr BoardFaultKind kKinds[] = {
    BoardFaultKind::kLostInterrupt, BoardFaultKind::kStuck,        BoardFaultKind::kDeadBus,
    BoardFaultKind::kBusError,      BoardFaultKind::kStaleDevice,  BoardFaultKind::kStaleCpu,
    BoardFaultKind::kTruncated,     BoardFaultKind::kWrongAddress, BoardFaultKind::kArithmetic,
    BoardFaultKind::kReset,         BoardFaultKind::kGone};
static_assert(std::size(kNames) == std::size(kKinds));

bool parseNumber(std::string_view text, uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && number > 0;
}

bool parseLaunches(std::string_view text, BoardFault& fault) {
  if (text == "*") {
    fault.last_launch = std::numeric_limits<uint64_t>::max();
    return true;
  }
  const size_t dash = text.find('-');
  if (!parseNumber(text.substr(0, dash), fault.first_launch)) return false;
  fault.last_launch = fault.first_launch;
  return dash == std::string_view::npos || (parseNumber(text.substr(dash + 1), fault.last_launch) &&
                                            fault.last_launch >= fault.first_launch);
}

}  // namespace

std::string_view boardFaultName(BoardFaultKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::span<const BoardFaultKind> boardFaultKinds() { return kKinds; }

Result<BoardFault> parseBoardFault(std::string_view text) {
  const size_t at = std::min(text.find('@'), text.size());
  const auto* const name = std::ranges::find(kNames, text.substr(0, at));
  BoardFault fault;
  const bool is_legal =
      name != std::end(kNames) && at < text.size() && parseLaunches(text.substr(at + 1), fault);
  if (is_legal) {
    fault.kind = kKinds[name - std::begin(kNames)];
    return fault;
  }
  std::string known;
  for (const std::string_view each : kNames) {
    known += (known.empty() ? "" : ", ") + std::string(each);
  }
  return invalidArgument(fmt::format(
      "'{}' is no fault; legal: KIND@LAUNCH, KIND@FIRST-LAST or KIND@*, where KIND is one of {}",
      text, known));
}

}  // namespace vta::sim
