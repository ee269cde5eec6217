// The operators of control flow.
#pragma once

#include "compiler/frontend/onnx/node.h"

namespace vta::compiler {

Status importIf(Node& node);
Status importLoop(Node& node);
Status importScan(Node& node);

}  // namespace vta::compiler
