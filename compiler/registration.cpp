#include "compiler/registration.h"

#include "compiler/codegen/graph_to_linalg/graph_to_linalg.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/graph_passes/passes.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Passes.h"

namespace vta::compiler {

void registerAllDialects(mlir::DialectRegistry& registry) {
  registry.insert<graph::GraphDialect, VtaDialect>();
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::tensor::TensorDialect>();
}

void registerAllPasses() {
  mlir::registerTransformsPasses();
  registerGraphPasses();
  registerConvertGraphToLinalgPass();
  registerPartitionPasses();
}

}  // namespace vta::compiler
