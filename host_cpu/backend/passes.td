//===- passes.td - passes of the CPU back end -----------------------------------------------------===//

#ifndef VTA_COMPILER_CODEGEN_CPU_PASSES
#define VTA_COMPILER_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def CpuBlockChannelsPass : Pass<"host-cpu-block-channels", "::mlir::ModuleOp"> {
  let summary = "Put convolutions and what lies between them onto kernels in blocks of 16 channels";
  let description = [{
    A convolution, depthwise convolution or dense layer with constant weights becomes the call of a
    kernel, together with the batch normalisation, constant scale or bias, residual addition and
    activation behind it. Of a convolution or dense layer of int8, all steps up to the int8 result that
    take constants of the channel, or another int8 image, become part of it; other layers in integers
    stay as they are. Values stay blocked between such ops. A kernel is emitted once for each shape.
    Every function has the host context as its first argument (`host-add-context`).
  }];
  let options = [
    Option<"vector_registers", "vector-registers", "unsigned", "16", "Vector registers of the CPU">,
    Option<"vector_bytes", "vector-bytes", "unsigned", "16", "Bytes of one vector register">,
    Option<"has_fma", "fma", "bool", "false", "Whether the CPU has fused multiply-adds">,
    Option<"byte_products", "byte-products", "unsigned", "0",
           "Products of bytes that an instruction of the CPU adds up: 0: none; 1: of pairs; 2: of four; "
           "on Arm 3: of four signed ones; 4: of four unsigned and signed ones">,
    Option<"byte_product_bytes", "byte-product-bytes", "unsigned", "16", "Bytes of its registers">,
    Option<"winograd", "winograd", "bool", "true",
           "Whether convolutions of floats may take fewer multiplications, and round otherwise for it">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def CpuFuseMultiplyAddsPass : Pass<"host-cpu-fuse-multiply-adds", "::mlir::ModuleOp"> {
  let summary = "Compute sums of products with fused multiply-adds";
  let description = [{
    The body of a convolution or matrix product that is no kernel becomes `math.fma`. It is for CPUs
    that have the instruction: elsewhere it would be the call of a function. A sum whose order is left
    to LLVM stays as it is, because LLVM would no longer know it as a sum.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect"];
}

def CpuShareLoopsPass : Pass<"host-cpu-share-loops", "::mlir::ModuleOp"> {
  let summary = "Give each loop nest a function of its own, equal ones the same";
  let description = [{
    LLVM takes more than linear time for a function. In an entry point with more than one loop nest,
    each becomes the call of a private function that is not inlined again. Nests that do the same, in
    whatever entry point, share one. The first argument of each is the host context.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def CpuMarkLayersPass : Pass<"host-cpu-mark-layers", "::mlir::ModuleOp"> {
  let summary = "Tell the caller of a function when each of its layers has ended";
  let description = [{
    An entry point is a row of calls and loop nests by now. Behind the last one of each layer, which is
    what its location names, the code calls `mark` of the host context with the layer's number. Pieces
    without a name belong to the layer before them. A function of one layer stays as it is.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CpuSplitLoopsPass : Pass<"host-cpu-split-loops", "::mlir::ModuleOp"> {
  let summary = "Split large parallel loop nests among threads, run the others one after the other";
  let description = [{
    A parallel nest with at least 100,000 scalar operations becomes a function of its own. It is called
    through a declaration with the suffix `.parallel`, which the emission of the object defines as a
    call of `parallel_for` of the host context.
  }];
  let options = [Option<"parallel", "parallel", "bool", "true", "Split; else all loops are sequential">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif  // VTA_COMPILER_CODEGEN_CPU_PASSES
