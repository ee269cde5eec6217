// Ops of quantised networks.

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS_QUANTISATION
#define VTA_COMPILER_DIALECTS_GRAPH_OPS_QUANTISATION

include "compiler/dialects/graph/ops/base.td"

def Graph_QuantizeOp : Graph_Op<"quantize"> {
  let summary = "f32 to i8, ui8, i16 or ui16: saturate(round_half_even(x / scale) + zero_point)";
  let description = [{
    One scale and zero point for the tensor, or one per index of `axis`. A scale of 0 is that of
    constant zeros.

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
    Takes i8, ui8, i16, ui16 or i32. One scale and zero point for the tensor, or one per index of `axis`.

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

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS_QUANTISATION
