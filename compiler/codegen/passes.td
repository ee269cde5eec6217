//===- passes.td - what back ends share on the way from the graph to code -------------------------===//
//
// The passes are listed in the order in which back ends run them. A module holds functions of tensors;
// public functions become entry points. docs/cpu-backend.md describes the stages.
//
//===------------------------------------------------------------------------------------------===//

#ifndef VTA_COMPILER_CODEGEN_PASSES
#define VTA_COMPILER_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

class Host_Pass<string argument> : Pass<argument, "::mlir::ModuleOp">;

def HostInlineCallsPass : Host_Pass<"host-inline-calls"> {
  let summary = "Replace calls by the bodies of the functions that they call";
  let description = [{
    Afterwards there are only public functions without calls. A function with several blocks, a
    recursion, or a signature with something else than static tensors of numbers is an error.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def HostAddContextPass : Host_Pass<"host-add-context"> {
  let summary = "Give every function the host context as first argument";
  let description = [{
    The context is the `VtaHostContext` of module/host_abi.h. Loops that are split among threads find
    `parallel_for` in it.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def HostFuseElementwisePass : Host_Pass<"host-fuse-elementwise"> {
  let summary = "Fuse chains of element-wise linalg ops";
  let description = [{
    A producer is fused into its only consumer if that is in the same block and does not compute its
    elements more than once.
    Contractions stay as they are.
  }];
  let options = [Option<"most_operands", "most-operands", "int64_t", "0",
                        "Tensors that an op reads and writes at most; 0: there is no such limit">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HostOrderLoopsPass : Host_Pass<"host-order-loops"> {
  let summary = "Order the loops of sums so that the innermost one walks along memory";
  let description = [{
    The loop along the last dimension of a result becomes the innermost one, behind the loops that sum,
    where an operand is walked in the same direction. Neighbouring results can then be computed side by
    side, and no sum changes its order.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def HostHoistConstantsPass : Host_Pass<"host-hoist-constants"> {
  let summary = "Turn tensor constants of 256 bytes and more into arguments";
  let description = [{
    The arguments follow the function's inputs. Equal constants of a function share one argument. The
    caller of the compiled code passes the values, so that weights are not part of the object.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def HostResultsToArgumentsPass : Host_Pass<"host-results-to-arguments"> {
  let summary = "Give public functions buffers for their inputs and results";
  let description = [{
    (context, inputs, constants) -> results becomes (context, inputs, constants, results) -> (), with
    buffers in place of tensors. Bodies stay on tensors. The function gets the attribute `vta.entry`.
    Ops that start from one tensor, such as zeros, get one each.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def HostPlaceConcatsPass : Host_Pass<"host-place-concats"> {
  let summary = "Compute what a concatenation joins where it is in the whole";
  let description = [{
    The whole is a result's buffer, a place in another whole, or memory of its own. A part that is
    computed in memory without contents is computed in its place, others are copied to it. Nothing
    writes a whole or its parts afterwards. Run it when each op has a `tensor.empty` of its own.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def HostCopiesToLinalgPass : Host_Pass<"host-copies-to-linalg"> {
  let summary = "Turn copies of buffers into linalg ops";
  let description = [{
    They are then compiled, vectorised and split among threads like everything else.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def HostPlanBuffersPass : Host_Pass<"host-plan-buffers"> {
  let summary = "Put the buffers of a function into one allocation";
  let description = [{
    Buffers that do not live at the same time share memory. A buffer lives from the first to the last
    op that touches it or a view of it. Those inside of loops and branches are part of it: only the
    iterations of parallel loops have buffers of their own.
  }];
  let options = [
    Option<"alignment_bytes", "alignment", "int64_t", "64", "Buffers begin at multiples of it">,
    Option<"most_bytes", "most", "int64_t", "0",
           "In a larger allocation, buffers lie across no multiple of a range; 0: there is no such limit">,
    Option<"range_bytes", "range", "int64_t", "134217728", "Bytes of a range. Larger buffers begin with one">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def HostReportBadIndicesPass : Host_Pass<"host-report-bad-indices"> {
  let summary = "Let calls that report an index say which node it is of";
  let description = [{
    `vta.bad_index(index, extent)` becomes `vta.fail_index(context, node, index, extent)`, where `node`
    is a text. The emission of the object turns that into a call of `fail` of the host context.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def HostCallOperatorsPass : Host_Pass<"host-call-operators"> {
  let summary = "Call operators of the user's libraries by the host context";
  let description = [{
    A call of `vta.own_operator.N(buffers)` becomes a call of `call_operator` of the host context, with
    the node that the call's attribute has and the addresses of the buffers.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

def HostExpandExpPass : Host_Pass<"host-expand-exp"> {
  let summary = "Compute exponentials of f32 by arithmetic";
  let description = [{
    `math.exp` becomes about thirty operations on floats and integers, which LLVM computes for as many
    elements at a time as a vector has. The result is off by less than the last bit. 0, infinity and NaN
    give what they should.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def HostIndexWidthPass : Host_Pass<"host-index-width"> {
  let summary = "State how many bits an index has on the target";
  let description = [{
    All conversions to the LLVM dialect take the width of `index` from the module's data layout.
    A buffer of more bytes than such an index counts is an error.
  }];
  let options = [Option<"bits", "bits", "unsigned", "64", "Bits of a pointer">];
  let dependentDialects = ["::mlir::DLTIDialect"];
}

#endif  // VTA_COMPILER_CODEGEN_PASSES
