// Networks of a tuning database as text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/tune/database/network_record.h"

namespace vta::tune {

/// A line of JSON: a network with all that a database knows of it.
struct NetworkLine {
  NetworkKey key;
  std::string source;
  std::string compiler;
  NetworkRecord record;
};
std::string networkLine(const NetworkLine& line);
/// Whether `text`, an object of JSON, is a network's.
bool isNetworkLine(std::string_view text);
/// Errors: kInvalidArgument for texts that networkLine does not write.
Result<NetworkLine> parseNetworkLine(std::string_view text);

/// An array of JSON. Errors of parsing: kInvalidArgument.
std::string keptSchedulesText(std::span<const KeptSchedule> schedules);
Result<std::vector<KeptSchedule>> parseKeptSchedules(std::string_view text);

/// A memory that is no JSON.
Status checkMemory(const NetworkKey& key);
/// What no choice gives: a network that takes no cycles, or more than without a tuned schedule.
Status checkCycles(const NetworkRecord& record);

}  // namespace vta::tune
