// What XGBoost is given of a cost model's file: it trusts what it reads, and the file may be a
// stranger's.
#pragma once

#include <nlohmann/json.hpp>

#include "base/status.h"

namespace vta::tune {

/// A model of XGBoost with nothing but the trees of `saved`, which XGBoost saved as JSON. `ranks`:
/// with the objective of ranks, else that of residuals. Error: a tree is none. Its nodes name
/// children that are not there or in a circle, or features that there are not; its lists differ in
/// length; it has something that trees of cost models do not have.
Result<nlohmann::json> checkedModel(const nlohmann::json& saved, size_t features, bool ranks);

}  // namespace vta::tune
