// Normalisation and pooling.

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS_POOLING
#define VTA_COMPILER_DIALECTS_GRAPH_OPS_POOLING

include "compiler/dialects/graph/ops/base.td"

def Graph_BatchNormOp : Graph_Op<"batch_norm"> {
  let summary = "inference batch normalisation over axis 1";
  let description = [{
    y = (x - mean) / sqrt(variance + epsilon) * scale + bias, with one value of each parameter per index
    of axis 1. All operands are f32; the parameters have shape [C]. `graph-fold-batch-norm` replaces
    the op where the parameters are constant.

    ```mlir
    %y = graph.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 1.0e-5 : f64}
        : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
        -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$scale, Graph_Tensor:$bias,
      Graph_Tensor:$mean, Graph_Tensor:$variance, F64Attr:$epsilon);
  let results = (outs Graph_Tensor:$output);
}

class Graph_PoolOp<string mnemonic> : Graph_Op<mnemonic> {
  let results = (outs Graph_Tensor:$output);
}

def Graph_MaxPoolOp : Graph_PoolOp<"max_pool"> {
  let summary = "2-D maximum pooling";
  let description = [{
    Padding never wins (it reads as minus infinity, or the least value of an integer type). `pads` may
    exceed what `auto_pad` or `ceil_mode` implied: the frontend resolves both into explicit end pads.

    ```mlir
    %y = graph.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
        pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
        : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations);
}

def Graph_AvgPoolOp : Graph_PoolOp<"avg_pool"> {
  let summary = "2-D average pooling, f32";
  let description = [{
    With `count_include_pad` the divisor is the window's size clipped to the padded input that `pads`
    without ceil-mode extension describes (ONNX); otherwise the number of elements inside the input.
    `ceil_extra` holds the rows and columns that ceil_mode added to the end pads; they are never counted.
    Global pooling is a window of the whole image.

    ```mlir
    %y = graph.avg_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
        pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$pads, DefaultValuedAttr<BoolAttr, "false">:$count_include_pad,
      DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$ceil_extra);
}

def Graph_SumPoolOp : Graph_PoolOp<"sum_pool"> {
  let summary = "2-D window sum of i8 into i32: the integer part of average pooling";
  let description = [{
    Sums the i8 elements of each window in 32 bits. `pads` is [top, left, bottom, right]; padded
    elements read as `pad_value`. Quantisation makes this op and a requantisation of an average pooling.

    ```mlir
    %y = graph.sum_pool %x {kernel = array<i64: 8, 8>, strides = array<i64: 1, 1>,
        pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x8x8xi8>) -> tensor<1x4x1x1xi32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$pads, DefaultValuedAttr<I64Attr, "0">:$pad_value);
}

def Graph_LrnOp : Graph_Op<"lrn"> {
  let summary = "local response normalisation across channels";
  let description = [{
    y = x / (bias + alpha / size * s)^beta, where s is the sum of the squares of up to `size`
    neighbouring channels, floor((size - 1) / 2) of them in front of x. f32 only.

    ```mlir
    %y = graph.lrn %x {size = 5 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64}
        : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta,
      F64Attr:$bias);
  let results = (outs Graph_Tensor:$output);
}

def Graph_SoftmaxOp : Graph_Op<"softmax"> {
  let summary = "softmax along one axis (opset-13 meaning; older ones are imported with reshapes)";
  let description = [{
    exp(x - max) divided by the sum of these along `axis`, or with `log` the logarithm of the quotient.
    f32 only.

    ```mlir
    %y = graph.softmax %x {axis = 1 : i64} : (tensor<2x10xf32>) -> tensor<2x10xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$axis,
      DefaultValuedAttr<BoolAttr, "false">:$log);
  let results = (outs Graph_Tensor:$output);
}

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS_POOLING
