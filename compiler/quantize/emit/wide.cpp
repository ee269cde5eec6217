#include "compiler/quantize/emit/wide.h"

namespace vta::compiler {

using mlir::Value;

mlir::RankedTensorType wideType(mlir::Type type) {
  const auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  llvm::SmallVector<int64_t> shape(tensor.getShape());
  shape[1] *= 2;
  return mlir::RankedTensorType::get(shape, mlir::IntegerType::get(type.getContext(), 8));
}

Value emitWideSteps(EmitBuilder& build, Value sum, const WideSteps& steps) {
  sum = build.add(sum, build.perChannel(steps.bias));
  sum = build.max(sum, build.perChannel(steps.least));
  sum = build.min(sum, build.perChannel(steps.most));
  for (const std::vector<int32_t>& amounts : steps.shifts) {
    sum = build.shr(sum, build.perChannel(amounts));
  }
  return build.narrow(sum);
}

}  // namespace vta::compiler
