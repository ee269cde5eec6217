//===- passes.td - optimisation of float graphs -------------------------------------------------===//
//
// What happens between import and quantisation. Every pass runs on one function and keeps what the
// graph computes, up to the rounding of constants that are combined at compile time.
//
//===------------------------------------------------------------------------------------------===//

#ifndef VTA_COMPILER_GRAPH_PASSES
#define VTA_COMPILER_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

class Graph_Pass<string argument> : Pass<argument, "::mlir::func::FuncOp"> {
  let dependentDialects = ["::mlir::arith::ArithDialect", "::vta::graph::GraphDialect"];
}

def GraphFoldConstantsPass : Graph_Pass<"graph-fold-constants"> {
  let summary = "Evaluate graph ops on constants";
  let description = [{
    An op whose operands are all constants becomes a constant. The pass walks the function in program
    order, so one run evaluates whole chains. `graph.quantize` and `graph.dequantize` stay, because the
    quantiser reads their scales and zero points.
  }];
}

def GraphFoldBatchNormPass : Graph_Pass<"graph-fold-batch-norm"> {
  let summary = "Turn batch normalisation into a multiplication and an addition per channel";
  let description = [{
    Batch normalisation with constant parameters becomes one multiplication and one addition, each with
    one constant per channel. `graph-fold-affine` then moves both into the contraction in front.
  }];
}

def GraphFoldAffinePass : Graph_Pass<"graph-fold-affine"> {
  let summary = "Move multiplications and additions of constants into the contraction in front";
  let description = [{
    Multiplications and additions of one constant per channel become part of the weights and the bias of
    the convolution, transposed convolution or matmul in front. The contraction must have no other user.
    Chains of such operations that have no contraction in front are merged.
  }];
}

def GraphFoldPadPass : Graph_Pass<"graph-fold-pad"> {
  let summary = "Move explicit padding into convolutions and pools";
  let description = [{
    A `graph.pad` of rows and columns becomes the padding of the convolution or pool behind it, where
    the padding value has the same meaning there.
  }];
}

def GraphInlineBranchesPass : Graph_Pass<"graph-inline-branches"> {
  let summary = "Compute both branches of conditions where the accelerator can help";
  let description = [{
    A `graph.if` with a contraction in one of its branches becomes the ops of both, and a `graph.where`
    for each result. Branches without a contraction stay: the host computes the one that is taken. So do
    conditions inside of loops, which run on the host.
  }];
}

def GraphRaiseRankPass : Graph_Pass<"graph-raise-rank"> {
  let summary = "Compute on sequences as on images of one row between convolutions";
  let description = [{
    A convolution of a sequence [N, C, L] is one of an image [N, C, 1, L] between two reshapes. What
    follows it element by element, pads, cuts, joins or reduces it is computed on the image, too, so that
    the reshape behind the convolution meets the one in front of the next, and both vanish. The passes
    behind then see the convolution's own neighbours.
  }];
}

def GraphSimplifyPass : Graph_Pass<"graph-simplify"> {
  let summary = "Merge and name clamps, global pools and batched matmuls";
  let description = [{
    - Minimum and maximum with constants become `graph.clip`, and clips in a row become one.
    - Operations with a neutral constant disappear.
    - A difference of two tensors of one shape becomes a sum with the negative of the second.
    - Means and maxima over all rows and columns become pools.
    - Batched matmuls with one constant matrix become plain matmuls.
    - Slices of one tensor that are joined again in their order are not taken apart.
  }];
}

def GraphRewriteResizePass : Graph_Pass<"graph-rewrite-resize"> {
  let summary = "Turn linear interpolation between contractions into depthwise convolutions";
  let description = [{
    Linear interpolation by a whole factor, along rows, columns or both, becomes a depthwise transposed
    convolution of the image padded by its edge, or a depthwise convolution with a stride where the image
    becomes smaller. Only resizes between contractions are rewritten, because the host computes others
    where their input or result is. The weights have to be multiples of one unit, at most
    `largest-weight` times it, so that quantisation does not round them. Where the products of the weights
    of rows and columns are larger, there is a convolution for each of the two.
  }];
  let options = [
    Option<"largest_weight", "largest-weight", "int64_t", "127", "the largest integer that a weight can be">,
  ];
}

def GraphRewriteConvTransposePass : Graph_Pass<"graph-rewrite-conv-transpose"> {
  let summary = "Turn transposed convolutions into convolutions whose channels are interleaved";
  let description = [{
    A transposed convolution with constant weights becomes a convolution with stride 1. Its output
    channels are the phases of the stride; `graph.interleave` puts the phases between each other, and a
    slice crops the result. Clips move in front of the interleave, so that they become part of the
    convolution's kernel.
  }];
}

def GraphSplitChannelPadsPass : Graph_Pass<"graph-split-channel-pads"> {
  let summary = "Turn channels of a constant into channels of zeros and an addition";
  let description = [{
    A pad that adds channels of a constant other than zero to a float image becomes a pad with zeros and
    the addition of a constant for each channel. Where the pad is one side of a residual, the constant is
    added to the other side: the bias of the convolution there takes it in. Zero keeps its meaning in
    any integers, so that the pad stays with its neighbours on the accelerator.
  }];
}

def GraphStaticProductsPass : Graph_Pass<"graph-static-products"> {
  let summary = "Turn products of integers with known scales into float layers that are quantised";
  let description = [{
    An integer convolution or matrix product of a `graph.quantize` and constant weights, whose sum is
    cast to float, becomes that product of dequantised operands: the form in which models say how
    layers are rounded, which quantisation knows. What was added to the sum besides the zero point's
    share becomes a bias. Only sums that are rounded again further on are rewritten, because the
    accelerator cannot keep others; with `all`, calibration gives others a range.
  }];
  let options = [
    Option<"all", "all", "bool", "false", "also where nothing says how the result is rounded">,
  ];
}

#endif  // VTA_COMPILER_GRAPH_PASSES
