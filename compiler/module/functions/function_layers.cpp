#include "compiler/module/functions/function_layers.h"

#include "compiler/dialects/graph/work.h"
#include "compiler/vta/common/names.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {
namespace {

/// Takes in the ops of `function` and of those that it calls, by the names of their layers.
void collectLayers(mlir::ModuleOp module, mlir::func::FuncOp function,
                   std::map<std::string, LayerPartInfo>& layers) {
  function.walk([&](mlir::Operation* op) {
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
      auto callee = module.lookupSymbol<mlir::func::FuncOp>(call.getCallee());
      if (callee) collectLayers(module, callee, layers);
    }
    const std::string name = layerName(op);
    if (name.empty() || mlir::isa<mlir::func::FuncOp, mlir::arith::ConstantOp>(op)) return;
    LayerPartInfo& layer = layers[name];
    const int64_t macs = graph::countMacs(op);
    // What multiplies names a layer; else its first op does.
    if (layer.op.empty() || (layer.macs == 0 && macs > 0)) layer.op = operatorName(op);
    layer.name = name;
    layer.macs += macs;
  });
}

}  // namespace

LayersByFunction layersOf(mlir::ModuleOp module) {
  LayersByFunction layers;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isPublic()) collectLayers(module, function, layers[function.getSymName().str()]);
  }
  return layers;
}

}  // namespace vta::compiler
