// Contractions.

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS_CONTRACTION
#define VTA_COMPILER_DIALECTS_GRAPH_OPS_CONTRACTION

include "compiler/dialects/graph/ops/base.td"

def Graph_ConvOp : Graph_Op<"conv"> {
  let summary = "2-D convolution, NCHW input, OIHW weight";
  let description = [{
    input [N, C, H, W], weight [O, C/group, KH, KW], optional bias [O]. f32 x f32 -> f32, or
    i8 x i8 -> i32 with an i32 bias; integer sums wrap at 32 bits. `pads` is
    [top, left, bottom, right]; padded elements read as `pad_value` (the input's zero point; 0 in
    float). 1-D convolutions are imported with H = 1.

    ```mlir
    %y = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
        dilations = array<i64: 1, 1>, group = 1 : i64}
        : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weight, Optional<Graph_Tensor>:$bias,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
      DefaultValuedAttr<I64Attr, "1">:$group, DefaultValuedAttr<I64Attr, "0">:$pad_value);
  let results = (outs Graph_Tensor:$output);
}

def Graph_ConvTransposeOp : Graph_Op<"conv_transpose"> {
  let summary = "2-D transposed convolution, weight [C, O/group, KH, KW]";
  let description = [{
    input [N, C, H, W], weight [C, O/group, KH, KW], optional bias [O]. f32 only: a rewrite turns
    it into a convolution before quantisation. `pads` is [top, left, bottom, right] and crops the
    result; `output_padding` [bottom, right] extends it. Extent of the output:
    (in - 1) * stride + (kernel - 1) * dilation + 1 + output_padding - pads.

    ```mlir
    %y = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
        : (tensor<1x4x8x8xf32>, tensor<4x2x2x2xf32>) -> tensor<1x2x16x16xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weight, Optional<Graph_Tensor>:$bias,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
      DenseI64ArrayAttr:$output_padding, DefaultValuedAttr<I64Attr, "1">:$group);
  let results = (outs Graph_Tensor:$output);
}

def Graph_MatMulOp : Graph_Op<"matmul"> {
  let summary = "matrix product with numpy batch broadcasting";
  let description = [{
    lhs [..., M, K] x rhs [..., K, N] -> [..., M, N]; both at least 2-D. f32, or i8 x i8 -> i32.
    ONNX Gemm is imported as transposes, matmul and a broadcast add.

    ```mlir
    %y = graph.matmul %a, %b : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$output);
}

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS_CONTRACTION
