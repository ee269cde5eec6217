#include "compiler/quantize/calibrate/rounded_run.h"

#include <utility>
#include <vector>

#include "compiler/dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {

Result<ActivationRun> createRoundedRun(mlir::ModuleOp module, const QuantPlan& plan,
                                       const GivenQuantization& given,
                                       const codegen::CodeOptions& code) {
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(module->clone(mapping)));
  GivenQuantization copied;
  std::vector<mlir::Value> values;
  for (mlir::Value value : plan.activations) values.push_back(mapping.lookup(value));
  for (const auto& [value, params] : given.activations) {
    if (mlir::Value mapped = mapping.lookupOrNull(value)) copied.activations[mapped] = params;
  }
  roundGivenValues(copy->lookupSymbol<mlir::func::FuncOp>("main"), copied, QuantPlan());
  for (mlir::Value& value : values) {
    for (mlir::Operation* user : value.getUsers()) {
      if (!copied.find(value) || !mlir::isa<graph::QuantizeOp>(user)) continue;
      // Its only user of that kind which reads it back.
      mlir::Value integers = user->getResult(0);
      if (integers.use_empty() || !mlir::isa<graph::DequantizeOp>(*integers.user_begin())) continue;
      value = (*integers.user_begin())->getResult(0);
      break;
    }
  }
  return ActivationRun::create(*copy, values, code);
}

}  // namespace vta::compiler
