//===- graph_ops.td - the graph dialect --------------------------------------------------------===//
//
// Networks as ONNX means them, on ranked static tensors, in float and in integers alike: the same ops
// hold the imported float model and the quantised one. See docs/compiler.md for the phases.
//
//===------------------------------------------------------------------------------------------===//

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS
#define VTA_COMPILER_DIALECTS_GRAPH_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::vta::graph";
  let summary = "Neural-network graphs with ONNX semantics";
  let description = [{
    Every op carries ONNX semantics on ranked tensors of static shape. Activations are NCHW. A function
    in this dialect takes the model's inputs and returns its outputs; constants are `arith.constant`.

    Two families share the ops:
    - float: what the frontend imports (f32, and integer tensors for indexes and shapes);
    - integer: what quantisation produces. Contractions take i8 and give exact i32 accumulators;
      element-wise i32 ops (`graph.binary`, `graph.qmul`, `graph.shr`, `graph.clip_int`) spell out the
      requantisation step by step; `graph.cast` to i8 keeps the low 8 bits.

    The location of an op is a NameLoc with the ONNX node's name. The discardable attributes
    `graph.scale` (f64) and `graph.zero_point` (i64) on the op that produces a quantised i8 tensor say
    what its integers mean; no pass may change results because of them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let usePropertiesForAttributes = 1;
  let hasConstantMaterializer = 1;
}

class Graph_Op<string mnemonic, list<Trait> traits = []> :
    Op<Graph_Dialect, mnemonic, !listconcat([Pure], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_Tensor : StaticShapeTensorOf<[AnyType]>;

//===------------------------------------------------------------------------------------------===//
// Enumerations
//===------------------------------------------------------------------------------------------===//

def Graph_UnaryKind : I32EnumAttr<"UnaryKind", "element-wise function of one operand", [
    I32EnumAttrCase<"relu", 0>, I32EnumAttrCase<"neg", 1>, I32EnumAttrCase<"abs", 2>,
    I32EnumAttrCase<"exp", 3>, I32EnumAttrCase<"log", 4>, I32EnumAttrCase<"sqrt", 5>,
    I32EnumAttrCase<"reciprocal", 6>, I32EnumAttrCase<"sigmoid", 7>, I32EnumAttrCase<"tanh", 8>,
    I32EnumAttrCase<"erf", 9>, I32EnumAttrCase<"floor", 10>, I32EnumAttrCase<"ceil", 11>,
    I32EnumAttrCase<"round", 12>, I32EnumAttrCase<"sign", 13>, I32EnumAttrCase<"leaky_relu", 14>,
    I32EnumAttrCase<"elu", 15>, I32EnumAttrCase<"selu", 16>, I32EnumAttrCase<"celu", 17>,
    I32EnumAttrCase<"hard_sigmoid", 18>, I32EnumAttrCase<"hard_swish", 19>,
    I32EnumAttrCase<"softplus", 20>, I32EnumAttrCase<"softsign", 21>,
    I32EnumAttrCase<"thresholded_relu", 22>, I32EnumAttrCase<"sin", 23>,
    I32EnumAttrCase<"cos", 24>, I32EnumAttrCase<"tan", 25>, I32EnumAttrCase<"asin", 26>,
    I32EnumAttrCase<"acos", 27>, I32EnumAttrCase<"atan", 28>, I32EnumAttrCase<"sinh", 29>,
    I32EnumAttrCase<"cosh", 30>, I32EnumAttrCase<"asinh", 31>, I32EnumAttrCase<"acosh", 32>,
    I32EnumAttrCase<"atanh", 33>, I32EnumAttrCase<"logical_not", 34>,
    I32EnumAttrCase<"bitwise_not", 35>, I32EnumAttrCase<"is_nan", 36>,
    I32EnumAttrCase<"is_inf", 37>, I32EnumAttrCase<"gelu", 38>, I32EnumAttrCase<"mish", 39>
  ]> { let cppNamespace = "::vta::graph"; }

def Graph_BinaryKind : I32EnumAttr<"BinaryKind", "element-wise function of two operands", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"sub", 1>, I32EnumAttrCase<"mul", 2>,
    I32EnumAttrCase<"div", 3>, I32EnumAttrCase<"min", 4>, I32EnumAttrCase<"max", 5>,
    I32EnumAttrCase<"pow", 6>, I32EnumAttrCase<"equal", 7>, I32EnumAttrCase<"less", 8>,
    I32EnumAttrCase<"less_equal", 9>, I32EnumAttrCase<"greater", 10>,
    I32EnumAttrCase<"greater_equal", 11>, I32EnumAttrCase<"logical_and", 12>,
    I32EnumAttrCase<"logical_or", 13>, I32EnumAttrCase<"logical_xor", 14>,
    I32EnumAttrCase<"mod", 15>, I32EnumAttrCase<"fmod", 16>, I32EnumAttrCase<"prelu", 17>,
    I32EnumAttrCase<"bitwise_and", 18>, I32EnumAttrCase<"bitwise_or", 19>,
    I32EnumAttrCase<"bitwise_xor", 20>, I32EnumAttrCase<"shift_left", 21>,
    I32EnumAttrCase<"shift_right", 22>
  ]> { let cppNamespace = "::vta::graph"; }

def Graph_ReduceKind : I32EnumAttr<"ReduceKind", "reduction", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"max", 2>,
    I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"prod", 4>, I32EnumAttrCase<"l1", 5>,
    I32EnumAttrCase<"l2", 6>, I32EnumAttrCase<"log_sum", 7>, I32EnumAttrCase<"log_sum_exp", 8>,
    I32EnumAttrCase<"sum_square", 9>
  ]> { let cppNamespace = "::vta::graph"; }

def Graph_PadMode : I32EnumAttr<"PadMode", "what padding holds", [
    I32EnumAttrCase<"constant", 0>, I32EnumAttrCase<"reflect", 1>, I32EnumAttrCase<"edge", 2>,
    I32EnumAttrCase<"wrap", 3>
  ]> { let cppNamespace = "::vta::graph"; }

//===------------------------------------------------------------------------------------------===//
// Contractions
//===------------------------------------------------------------------------------------------===//

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

//===------------------------------------------------------------------------------------------===//
// Normalisation and pooling
//===------------------------------------------------------------------------------------------===//

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

//===------------------------------------------------------------------------------------------===//
// Element-wise
//===------------------------------------------------------------------------------------------===//

def Graph_UnaryOp : Graph_Op<"unary"> {
  let summary = "element-wise function of one operand";
  let description = [{
    `alpha` and `beta` parametrise leaky_relu, elu, selu (alpha, gamma as beta), celu, hard_sigmoid and
    thresholded_relu; the other functions ignore them. The result has the operand's type, or i1 elements
    for is_nan and is_inf; logical_not takes i1.

    ```mlir
    %y = graph.unary leaky_relu %x {alpha = 0.1 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_UnaryKind:$kind,
      DefaultValuedAttr<F64Attr, "0.0">:$alpha, DefaultValuedAttr<F64Attr, "0.0">:$beta);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "$kind operands attr-dict `:` functional-type(operands, results)";
}

def Graph_BinaryOp : Graph_Op<"binary"> {
  let summary = "element-wise function of two operands with numpy broadcasting";
  let description = [{
    Operands have one element type; the result too, or i1 for comparisons. Integer add, sub and mul
    wrap.

    ```mlir
    %y = graph.binary add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs, Graph_BinaryKind:$kind);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "$kind operands attr-dict `:` functional-type(operands, results)";
}

def Graph_WhereOp : Graph_Op<"where"> {
  let summary = "element-wise choice with numpy broadcasting";
  let description = [{
    The element of `lhs` where `condition` (i1) is true, else the element of `rhs`. Both have one
    element type, which is also the result's. All three shapes broadcast.

    ```mlir
    %y = graph.where %c, %a, %b : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$condition, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$output);
}

def Graph_ClipOp : Graph_Op<"clip"> {
  let summary = "clamp of floats to [min, max]; infinite bounds allowed";
  let description = [{
    min(max(x, `min`), `max`) on f32; `min` is at most `max`. `graph.clip_int` is the integer form.

    ```mlir
    %y = graph.clip %x {min = 0.0 : f64, max = 6.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, F64Attr:$min, F64Attr:$max);
  let results = (outs Graph_Tensor:$output);
}

def Graph_CastOp : Graph_Op<"cast"> {
  let summary = "element type conversion";
  let description = [{
    Integer narrowing keeps the low bits; widening extends by signedness (i1 and unsigned types by
    zero); float to integer truncates towards zero.

    ```mlir
    %y = graph.cast %x : (tensor<1x4x8x8xi32>) -> tensor<1x4x8x8xi8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let hasFolder = 1;
}

//===------------------------------------------------------------------------------------------===//
// Shapes and data movement
//===------------------------------------------------------------------------------------------===//

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
    selects one slice of the input. Indices outside of the axis are clamped to it.

    ```mlir
    %y = graph.gather %x, %i {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<5xi64>) -> tensor<2x5x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, I64Attr:$axis);
  let results = (outs Graph_Tensor:$output);
}

def Graph_ScatterOp : Graph_Op<"scatter"> {
  let summary = "rows replaced, or combined with, rows of another tensor";
  let description = [{
    input [D, K], indices [M], updates [M, K] -> [D, K]: for m from 0 to M - 1, row indices[m] of the
    result becomes row m of `updates`, or `combine` of the row and it. Negative indices count from the
    end; those outside of the tensor are clamped. Of several updates of one row the last one wins.

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

//===------------------------------------------------------------------------------------------===//
// Quantisation
//===------------------------------------------------------------------------------------------===//

def Graph_QuantizeOp : Graph_Op<"quantize"> {
  let summary = "f32 to i8 or ui8: saturate(round_half_even(x / scale) + zero_point)";
  let description = [{
    One scale and zero point for the tensor, or one per index of `axis`.

    ```mlir
    %y = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 3>}
        : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseF32ArrayAttr:$scales,
      DenseI64ArrayAttr:$zero_points, DefaultValuedAttr<I64Attr, "1">:$axis);
  let results = (outs Graph_Tensor:$output);
}

def Graph_DequantizeOp : Graph_Op<"dequantize"> {
  let summary = "integers to f32: (x - zero_point) * scale";
  let description = [{
    Takes i8, ui8 or i32. One scale and zero point for the tensor, or one per index of `axis`.

    ```mlir
    %y = graph.dequantize %x {scales = array<f32: 0.5, 0.25>, zero_points = array<i64: 3, 0>,
        axis = 1 : i64} : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseF32ArrayAttr:$scales,
      DenseI64ArrayAttr:$zero_points, DefaultValuedAttr<I64Attr, "1">:$axis);
  let results = (outs Graph_Tensor:$output);
}

def Graph_QmulOp : Graph_Op<"qmul"> {
  let summary = "i32 fixed-point multiply: sat32(round(input * multiplier / 2^shift))";
  let description = [{
    The accelerator's `qmul`: 64-bit intermediate, ties away from zero, result saturated to 32 bits.
    `multiplier` is i32, broadcast to input, and fits the configuration's multiplier width; shift 0 to 62.

    ```mlir
    %y = graph.qmul %x, %m {shift = 15 : i64}
        : (tensor<1x2x4x4xi32>, tensor<2x1x1xi32>) -> tensor<1x2x4x4xi32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$multiplier, I64Attr:$shift);
  let results = (outs Graph_Tensor:$output);
}

def Graph_ShrOp : Graph_Op<"shr"> {
  let summary = "i32 arithmetic right shift by `amount` (broadcast); negative amounts shift left";
  let description = [{
    The accelerator's SHR: rounds towards minus infinity. Amounts are in [-32, 31].

    ```mlir
    %y = graph.shr %x, %amount : (tensor<1x2x4x4xi32>, tensor<1xi32>) -> tensor<1x2x4x4xi32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$amount);
  let results = (outs Graph_Tensor:$output);
}

def Graph_ClipIntOp : Graph_Op<"clip_int"> {
  let summary = "i32 or i8 clamp to [min, max]";
  let description = [{
    min(max(x, `min`), `max`); `min` is at most `max`. The accelerator's CLIP, or its MAX and MIN.

    ```mlir
    %y = graph.clip_int %x {min = -128 : i64, max = 127 : i64}
        : (tensor<1x2x4x4xi32>) -> tensor<1x2x4x4xi32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$min, I64Attr:$max);
  let results = (outs Graph_Tensor:$output);
}

def Graph_TableOp : Graph_Op<"table"> {
  let summary = "i8 look-up in a table of 256 entries, or in one for each channel";
  let description = [{
    Element x becomes entry x + 128 of the table. `table` is i8 and constant where quantisation makes
    it; its last dimension has 256 entries. Its other dimensions, if it has any, are those dimensions of
    the input that `axes` lists, ascending, with their extents: elements there have tables of their own.
    Every element-wise function between two int8 activations is one of these.

    ```mlir
    %y = graph.table %x, %t {axes = array<i64: 1>}
        : (tensor<1x2x4x4xi8>, tensor<2x256xi8>) -> tensor<1x2x4x4xi8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$table,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes);
  let results = (outs Graph_Tensor:$output);
}

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS
