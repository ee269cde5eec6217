// What --verify says about a layer that differs on hardware.
#pragma once

#include <string>

#include "driver/runtime/session.h"

namespace vta::tools {

/// Bisects, and writes the layer's launch as an image to PREFIX.json, PREFIX.pre.img.gz and
/// PREFIX.post.img.gz unless `prefix` is empty.
driver::LayerExplanation explainLayers(const std::string& prefix);

}  // namespace vta::tools
