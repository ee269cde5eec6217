// RUN: vta-opt %s --graph-rewrite-conv-transpose --canonicalize | FileCheck %s

// 1, 2, 3 along the width with stride 2: outputs of the even phase see taps 0 and 2, those of the odd one tap 1.
// The width's padding of 1 is what the slice takes away; the output's last column needs no more input.
// CHECK-LABEL: func.func @strided
func.func @strided(%x: tensor<1x1x1x4xf32>) -> tensor<1x1x1x7xf32> {
  // CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}3.000000e+00, 1.000000e+00]]], {{\[\[\[}}0.000000e+00, 2.000000e+00]]]]> : tensor<2x1x1x2xf32>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<5.000000e-01> : tensor<2xf32>
  // CHECK: %[[C:.*]] = graph.conv %arg0, %[[W]], %[[B]] {dilations = array<i64: 1, 1>, pads = array<i64: 0, 1, 0, 0>, strides = array<i64: 1, 1>}
  // CHECK: %[[I:.*]] = graph.interleave %[[C]] {block = array<i64: 1, 2>, graph.macs = 12 : i64, graph.operator = "ConvTranspose"} {{.*}} -> tensor<1x1x1x8xf32>
  // CHECK: graph.slice %[[I]] {starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 1, 1>} {{.*}} -> tensor<1x1x1x7xf32>
  %w = arith.constant dense<[[[[1.0, 2.0, 3.0]]]]> : tensor<1x1x1x3xf32>
  %b = arith.constant dense<[0.5]> : tensor<1xf32>
  %0 = graph.conv_transpose %x, %w, %b {strides = array<i64: 1, 2>, pads = array<i64: 0, 1, 0, 1>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x1x1x4xf32>, tensor<1x1x1x3xf32>, tensor<1xf32>) -> tensor<1x1x1x7xf32>
  return %0 : tensor<1x1x1x7xf32>
}

// Without strides the weights are turned and nothing is interleaved; groups stay.
// CHECK-LABEL: func.func @plain
func.func @plain(%x: tensor<1x4x3x3xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK: graph.conv %arg0, %{{.*}} {dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} {{.*}} -> tensor<1x2x4x4xf32>
  // CHECK-NEXT: return
  %w = arith.constant dense<2.0> : tensor<4x1x2x2xf32>
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, group = 2 : i64}
      : (tensor<1x4x3x3xf32>, tensor<4x1x2x2xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// The activation goes to the convolution, before a depth to space too.
// CHECK-LABEL: func.func @activations
func.func @activations(%x: tensor<1x4x3x3xf32>) -> (tensor<1x2x5x5xf32>, tensor<1x1x6x6xf32>) {
  // CHECK: %[[C:.*]] = graph.conv
  // CHECK: %[[R:.*]] = graph.unary relu %[[C]] : (tensor<1x8x3x3xf32>)
  // CHECK: %[[I:.*]] = graph.interleave %[[R]]
  // CHECK: graph.slice %[[I]]
  %w = arith.constant dense<2.0> : tensor<4x2x2x2xf32>
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 1, 1>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x4x3x3xf32>, tensor<4x2x2x2xf32>) -> tensor<1x2x5x5xf32>
  %1 = graph.unary relu %0 : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  // CHECK: %[[K:.*]] = graph.clip %arg0
  // CHECK: graph.interleave %[[K]]
  %2 = graph.interleave %x {block = array<i64: 2, 2>} : (tensor<1x4x3x3xf32>) -> tensor<1x1x6x6xf32>
  %3 = graph.clip %2 {min = 0.0 : f64, max = 6.0 : f64} : (tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32>
  return %1, %3 : tensor<1x2x5x5xf32>, tensor<1x1x6x6xf32>
}

// Weights that are not constant stay.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<1x4x3x3xf32>, %w: tensor<4x2x2x2xf32>) -> tensor<1x2x6x6xf32> {
  // CHECK: graph.conv_transpose
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x4x3x3xf32>, tensor<4x2x2x2xf32>) -> tensor<1x2x6x6xf32>
  return %0 : tensor<1x2x6x6xf32>
}

// Quantised weights stay quantised: each phase has the scales of all outputs, and a tap that it lacks is the zero point.
// CHECK-LABEL: func.func @quantised
func.func @quantised(%x: tensor<1x1x1x4xf32>) -> (tensor<1x2x1x7xf32>, tensor<1x2x1x9xf32>) {
  // CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}3, 1]]], {{\[\[\[}}6, 4]]], {{\[\[\[}}7, 2]]], {{\[\[\[}}9, 5]]]]> : tensor<4x1x1x2xi8>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<[1.500000e+00, 2.000000e+00, 1.500000e+00, 2.000000e+00]> : tensor<4xf32>
  // CHECK-DAG: %[[D:.*]] = graph.dequantize %[[W]] {axis = 0 : i64, scales = array<f32: 5.000000e-01, 2.500000e-01, 5.000000e-01, 2.500000e-01>, zero_points = array<i64: 7, 9, 7, 9>}
  // CHECK: graph.conv %arg0, %[[D]], %[[B]]
  %i = arith.constant dense<[[[[1, 2, 3]], [[4, 5, 6]]]]> : tensor<1x2x1x3xi8>
  %w = graph.dequantize %i {axis = 1 : i64, scales = array<f32: 0.5, 0.25>, zero_points = array<i64: 7, 9>}
      : (tensor<1x2x1x3xi8>) -> tensor<1x2x1x3xf32>
  %j = arith.constant dense<[3, 4]> : tensor<2xi32>
  %b = graph.dequantize %j {axis = 0 : i64, scales = array<f32: 0.5>, zero_points = array<i64: 0>}
      : (tensor<2xi32>) -> tensor<2xf32>
  %0 = graph.conv_transpose %x, %w, %b {strides = array<i64: 1, 2>, pads = array<i64: 0, 1, 0, 1>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x1x1x4xf32>, tensor<1x2x1x3xf32>, tensor<2xf32>) -> tensor<1x2x1x7xf32>
  // Scales for the inputs' channels cannot become those of outputs.
  // CHECK: graph.conv_transpose
  %v = graph.dequantize %i {axis = 3 : i64, scales = array<f32: 1.0, 2.0, 3.0>, zero_points = array<i64: 0, 0, 0>}
      : (tensor<1x2x1x3xi8>) -> tensor<1x2x1x3xf32>
  %1 = graph.conv_transpose %x, %v {strides = array<i64: 1, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x1x1x4xf32>, tensor<1x2x1x3xf32>) -> tensor<1x2x1x9xf32>
  return %0, %1 : tensor<1x2x1x7xf32>, tensor<1x2x1x9xf32>
}
