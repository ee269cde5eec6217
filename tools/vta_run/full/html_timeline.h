// The timeline of the report page.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "driver/runtime/session.h"

namespace vta::tools {

/// What the units did when. `bars` are arrays [row, begin, end, work begin, work end, layer, first
/// instruction, instructions, number of the text], with ends exclusive; `rows` names the rows from
/// the top; `launches` are the layers' shares of theirs, [layer, begin, end]; `tokens` and `bus`
/// likewise hold arrays. A layer is a row of the table: `table_rows` has that of each step.
nlohmann::ordered_json timelineJson(const ModuleInfo& module, const driver::RunResult& result,
                                    const std::vector<size_t>& table_rows);

}  // namespace vta::tools
