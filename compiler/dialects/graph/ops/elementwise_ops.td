// Element-wise ops.

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS_ELEMENTWISE
#define VTA_COMPILER_DIALECTS_GRAPH_OPS_ELEMENTWISE

include "compiler/dialects/graph/ops/base.td"

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
    zero); float to integer truncates towards zero, by way of i32 for types that it holds and of i64
    for others. What these do not hold, and NaN, becomes their least value. All but 0 is true in i1.

    ```mlir
    %y = graph.cast %x : (tensor<1x4x8x8xi32>) -> tensor<1x4x8x8xi8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let hasFolder = 1;
}

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS_ELEMENTWISE
