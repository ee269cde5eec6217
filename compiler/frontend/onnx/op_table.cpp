#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {

const OpEntry* findOp(std::string_view op_type, int64_t opset) {
  for (auto part : {convolutionOps(), poolingOps(), normalizationOps(), unaryOps(), binaryOps(),
                    shapeOps(), movementOps(), indexingOps(), constantOps(), reductionOps(),
                    quantizationOps(), resizeOps()}) {
    for (const OpEntry& entry : part) {
      bool covers = entry.since_opset <= opset && opset <= entry.until_opset;
      if (covers && entry.op_type == op_type) return &entry;
    }
  }
  return nullptr;
}

}  // namespace vta::compiler
