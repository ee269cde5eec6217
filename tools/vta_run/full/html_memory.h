// The memory maps of the report page.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "driver/runtime/session.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"

namespace vta::tools {

/// Tensors by area: [{area, bytes, tensors: [{name, type, offset, bytes, first, last}]}], with the
/// steps of the execution plan, first and last included, between which a tensor is in use. Tensors
/// that no step touches are left out.
nlohmann::ordered_json dramMap(const ModuleInfo& module);

/// Percent of each scratchpad that a layer's LOADs and STOREs reach: [{layer, uop, inp, wgt, acc}],
/// with layers as rows of the table, of which `table_rows` has that of each step. Needs programs,
/// so traces.
nlohmann::ordered_json sramUse(const HwConfig& hw, const driver::RunResult& result,
                               const std::vector<size_t>& table_rows);

}  // namespace vta::tools
