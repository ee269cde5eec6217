//===- passes.td - from the graph dialect to linalg ----------------------------------------------===//

#ifndef VTA_COMPILER_GRAPH_TO_LINALG_PASSES
#define VTA_COMPILER_GRAPH_TO_LINALG_PASSES

include "mlir/Pass/PassBase.td"

def ConvertGraphToLinalgPass : Pass<"convert-graph-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower the graph dialect to linalg, tensor, arith and math on tensors";
  let description = [{
    The result is the meaning of every graph op: back ends compile it, and kernels for the accelerator
    are proved equal to it. Contractions become the named linalg convolutions and matmuls on explicitly
    padded inputs. Their accumulators start with the bias or with zero. Contractions of i8 extend both
    operands by sign and accumulate in i32. Unsigned element types become signless, in signatures too.
    An op without a lowering is an error at its location.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif  // VTA_COMPILER_GRAPH_TO_LINALG_PASSES
