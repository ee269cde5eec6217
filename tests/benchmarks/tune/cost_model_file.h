// Cost models from files, for benchmarks.
#pragma once

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "tune/model/cost_model.h"

namespace vta::tune {

/// Error kNotFound: the file cannot be read; those of CostModel::loadJson.
inline Result<std::optional<CostModel>> readCostModel(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return notFound("cannot read " + file);
  CostModel model({});
  VTA_RETURN_IF_ERROR(model.loadJson(text.str()));
  return std::optional(std::move(model));
}

}  // namespace vta::tune
