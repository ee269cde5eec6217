// The results of a sweep as one HTML page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace vta::tools {

/// A page that needs no other file; `results` as sweep::resultsJson makes them.
std::string sweepPage(const nlohmann::ordered_json& results);

}  // namespace vta::tools
