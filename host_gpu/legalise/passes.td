//===- passes.td - what kernels may say on any GPU --------------------------------------------------===//
//
// But for the first two passes, a module holds one kernel: a function over buffers (kernels/kernel_ir.h). The
// passes are listed in the order in which they run. docs/gpu-backend.md follows an example.
//
//===------------------------------------------------------------------------------------------------===//

#ifndef VTA_HOST_GPU_LEGALISE_PASSES
#define VTA_HOST_GPU_LEGALISE_PASSES

include "mlir/Pass/PassBase.td"

class Gpu_Pass<string argument> : Pass<argument, "::mlir::ModuleOp">;

def GpuStoreHalvesPass : Gpu_Pass<"gpu-store-halves"> {
  let summary = "Store tensors of f32 as f16 between ops that compute in f32";
  let description = [{
    Weights and tables, what ops that compute element by element write, and what ops that sum read become
    tensors of f16, rounded to nearest even. Bodies widen what they read, so that sums have all digits of
    f32. Arguments and results of the function, what sums begin with, and constants of ops that compute
    element by element stay as they are. Where another op takes a tensor, it is widened in front of it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def GpuGroupOpsPass : Gpu_Pass<"gpu-group-ops"> {
  let summary = "Give ops that one kernel computes a region of their own";
  let description = [{
    An op joins the one in front of it if each invocation goes on with the element that it has computed:
    zeros or a bias, the sum of products that begins with them, and the element-wise ops behind it.
    Long sums of rows, and what is computed of these and of the elements, are groups, too.
    Memory that only the group uses is allocated inside of its region, and stays in registers.
    A group has at most eight buffers, or ranges of buffers.
    It runs on the functions of a whole program, before their buffers are planned.
  }];
  let options = [Option<"range_bytes", "range-bytes", "int64_t", "134217728",
                        "What a device binds at once; a larger buffer counts as several">];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def GpuRoundDivisionsPass : Gpu_Pass<"gpu-round-divisions"> {
  let summary = "Round quotients of f32 that become integers as the CPU does";
  let description = [{
    A GPU's quotient may be off by 2.5 units in the last place. Where it is then rounded to an integer, a
    half would go the other way. The quotient is corrected by its remainder, which products of halves of
    the factors give exactly. It takes a device that does not contract a product and a sum.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def GpuExpandFunctionsPass : Gpu_Pass<"gpu-expand-functions"> {
  let summary = "Compute functions of f32 for all numbers";
  let description = [{
    Powers, logarithms, sines, cosines, tangents, hyperbolic sines and cosines and their inverses become
    functions that gpu-expand-math expands, or arithmetic, so that large arguments, those near 0,
    negative bases and infinities have the results that the C library gives them. An argument below the
    least normal number counts as 0 on a device that has no such numbers.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def GpuExpandMathPass : Gpu_Pass<"gpu-expand-math"> {
  let summary = "Compute functions of f32 by arithmetic";
  let description = [{
    What no GPU or only some compute becomes sums and products: erf, tanh, logarithms, powers,
    trigonometric and hyperbolic functions. Square roots, floor, ceil and rounding stay.
    Remainders of floats and powers of integers become loops of a bounded number of rounds, which give
    exactly what the CPU does.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def GpuExpandHalvesPass : Gpu_Pass<"gpu-expand-halves"> {
  let summary = "Convert f16 and bf16 by integer arithmetic";
  let description = [{
    arith.extf of f16 or bf16, and arith.truncf to them, become shifts, masks and one product or sum, which are exact
    on every device. A device that has no small f32 takes halves below 2^-14 as zero.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def GpuBuffersToWordsPass : Gpu_Pass<"gpu-buffers-to-words"> {
  let summary = "Turn buffers into rows of words of 32 bits";
  let description = [{
    Buffers of f32 become rows of f32, all others rows of i32, of which an element is a part or two. A
    part is written by two atomic operations, so that invocations can write to neighbouring parts.
    Stores of all parts of a word, in one block, are one store. Loads of bytes that are known distances
    apart share the words that have them. Booleans are bytes that are not 0.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def GpuWidenIntegersPass : Gpu_Pass<"gpu-widen-integers"> {
  let summary = "Compute with integers of 8 and 16 bits in 32 bits";
  let description = [{
    Each value is its signed number in 32 bits. What may leave its range is wrapped, and what takes it as
    unsigned sees its low bits.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def GpuExpandWideIntegersPass : Gpu_Pass<"gpu-expand-wide-integers"> {
  let summary = "Compute with integers of 64 bits what MLIR's emulation in words does not know";
  let description = [{
    Differences and shifts by variable amounts are taken word by word. Divisions become loops over bits,
    and conversions from and to f32 shifts and exact sums of floats.
    Loops and branches carry two words for a value of 64 bits. A value that becomes an index is the nearest
    number of 32 bits, so that what is outside of a tensor stays outside. arith-emulate-wide-int follows.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def GpuSplitBuffersPass : Gpu_Pass<"gpu-split-buffers"> {
  let summary = "Bind what a device cannot bind at once as several ranges";
  let description = [{
    An argument that is a larger row of words than a device binds becomes several arguments, each of which
    but the last has as many words as the device binds. Loads, stores and atomic operations choose one of
    them by comparisons. An argument with the attribute vta.first_range begins with the range of that
    number: in front of it there is nothing that the kernel uses. Other arguments stay as they are.
  }];
  let options = [Option<"range_bytes", "range-bytes", "int64_t", "134217728", "What a device binds at once">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def GpuExpandDotProductsPass : Gpu_Pass<"gpu-expand-dot-products"> {
  let summary = "Compute products of four bytes one by one";
  let description = [{
    Sums of products of the four int8 of two words, which some devices compute at once, become shifts,
    products and sums. Kernels for such devices keep them: it runs behind the other passes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif  // VTA_HOST_GPU_LEGALISE_PASSES
