// Shapes and data movement.

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS_MOVEMENT
#define VTA_COMPILER_DIALECTS_GRAPH_OPS_MOVEMENT

include "compiler/dialects/graph/ops/base.td"

def Graph_ReshapeOp : Graph_Op<"reshape"> {
  let summary = "the same elements in row-major order with the result type's shape";
  let description = [{
    Keeps the element type and the number of elements.

    ```mlir
    %y = graph.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let hasFolder = 1;
}

def Graph_TransposeOp : Graph_Op<"transpose"> {
  let summary = "output dimension i is input dimension permutation[i]";
  let description = [{
    `permutation` has every dimension of the input once.

    ```mlir
    %y = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>}
        : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$output);
  let hasFolder = 1;
}

def Graph_ExpandOp : Graph_Op<"expand"> {
  let summary = "numpy broadcast to the result type's shape";
  let description = [{
    Repeats the input along dimensions of extent 1 and along new dimensions in front.

    ```mlir
    %y = graph.expand %x : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let hasFolder = 1;
}

def Graph_ConcatOp : Graph_Op<"concat"> {
  let summary = "concatenation along an axis";
  let description = [{
    The inputs have one element type, and the same extents except along `axis`.

    ```mlir
    %y = graph.concat %a, %b {axis = 1 : i64}
        : (tensor<1x4x8x8xf32>, tensor<1x2x8x8xf32>) -> tensor<1x6x8x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Graph_Tensor:$output);
  let hasFolder = 1;
}

def Graph_SliceOp : Graph_Op<"slice"> {
  let summary = "strided slice; extents come from the result type";
  let description = [{
    Element i of dimension d reads starts[d] + i * steps[d]. Steps may be negative; every element that
    is read lies inside the input.

    ```mlir
    %y = graph.slice %x {starts = array<i64: 0, 2>, steps = array<i64: 1, -1>}
        : (tensor<4x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$steps);
  let results = (outs Graph_Tensor:$output);
  let hasFolder = 1;
}

def Graph_PadOp : Graph_Op<"pad"> {
  let summary = "padding of every dimension; negative pads crop";
  let description = [{
    Dimension d gets `low`[d] elements in front and `high`[d] behind. `mode` says what they hold:
    `value` (constant), the mirrored input (reflect), its border (edge) or its other end (wrap).

    ```mlir
    %y = graph.pad constant %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>}
        : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
      Graph_PadMode:$mode, DefaultValuedAttr<F64Attr, "0.0">:$value);
  let results = (outs Graph_Tensor:$output);
  let hasFolder = 1;
  let assemblyFormat = "$mode operands attr-dict `:` functional-type(operands, results)";
}

def Graph_InterleaveOp : Graph_Op<"interleave"> {
  let summary = "each pixel becomes sy x sx pixels: depth to space, or repetition";
  let description = [{
    input [N, C, H, W], `block` [sy, sx]. With `repeat` every pixel is repeated, which is a resize to
    the nearest neighbour: [N, C, H sy, W sx].

    Without it the result is [N, O, H sy, W sx] with C = sy sx O: channel g O/groups + c of row
    y sy + i and column x sx + j is channel ((g sy + i) sx + j) O/groups + c of pixel (y, x). ONNX's
    DepthToSpace has groups = 1 in mode DCR and groups = O in mode CRD.

    ```mlir
    %y = graph.interleave %x {block = array<i64: 2, 2>} : (tensor<1x8x4x4xi8>) -> tensor<1x2x8x8xi8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$block,
      DefaultValuedAttr<I64Attr, "1">:$groups, DefaultValuedAttr<BoolAttr, "false">:$repeat);
  let results = (outs Graph_Tensor:$output);
}

def Graph_GatherOp : Graph_Op<"gather"> {
  let summary = "ONNX Gather along an axis; negative indexes count from the end";
  let description = [{
    Replaces dimension `axis` of the input by the dimensions of `indices` (i32 or i64): each index
    selects one slice of the input. Indices outside of the axis are clamped to it; `check_indices`
    in front of it reports them.

    ```mlir
    %y = graph.gather %x, %i {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<5xi64>) -> tensor<2x5x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, I64Attr:$axis);
  let results = (outs Graph_Tensor:$output);
}

def Graph_CheckIndicesOp : Graph_Op<"check_indices"> {
  let summary = "indices, of which none may be outside of what it selects from";
  let description = [{
    The result is the input, of i32 or i64. An element that is not from -E to E - 1 makes the run fail,
    with a message that begins with `node`. E is the one element of `extents`; if there are several,
    one for each position in the last dimension of the input.

    ```mlir
    %j = graph.check_indices %i {extents = array<i64: 3>, node = "node 'pick' (Gather)"}
        : (tensor<5xi64>) -> tensor<5xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$extents, StrAttr:$node);
  let results = (outs Graph_Tensor:$output);
}

def Graph_ScatterOp : Graph_Op<"scatter"> {
  let summary = "rows replaced, or combined with, rows of another tensor";
  let description = [{
    input [D, K], indices [M], updates [M, K] -> [D, K]: for m from 0 to M - 1, row indices[m] of the
    result becomes row m of `updates`, or `combine` of the row and it. Negative indices count from the
    end; those outside of the tensor are clamped, and `check_indices` in front of it reports them.
    Of several updates of one row the last one wins.

    ```mlir
    %y = graph.scatter %x, %i, %u {combine = 0 : i32}
        : (tensor<8x4xf32>, tensor<3xi64>, tensor<3x4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, Graph_Tensor:$updates,
      OptionalAttr<Graph_BinaryKind>:$combine);
  let results = (outs Graph_Tensor:$output);
}

def Graph_ReduceOp : Graph_Op<"reduce"> {
  let summary = "reduction over axes; the result type says whether they are kept";
  let description = [{
    Combines the elements along `axes`, which are ascending. The result has these dimensions with
    extent 1, or does not have them.

    ```mlir
    %y = graph.reduce mean %x {axes = array<i64: 2, 3>} : (tensor<1x4x8x8xf32>) -> tensor<1x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$axes, Graph_ReduceKind:$kind);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "$kind operands attr-dict `:` functional-type(operands, results)";
}

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS_MOVEMENT
