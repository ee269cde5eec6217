// RUN: vta-opt %s --graph-fold-affine --canonicalize | FileCheck %s

// ((conv + [1, 2]) * [10, 20] - [5, 5]: weights times 10 and 20, bias 5 and 35.
// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK-DAG: %[[W:.*]] = arith.constant dense<{{.*}}1.000000e+01{{.*}}4.000000e+01{{.*}}> : tensor<2x1x1x1xf32>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<[5.000000e+00, 3.500000e+01]> : tensor<2xf32>
  // CHECK: %[[Y:.*]] = graph.conv %{{.*}}, %[[W]], %[[B]]
  // CHECK-NEXT: return %[[Y]]
  %w = arith.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %a = arith.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %1 = graph.binary add %a, %0 : (tensor<2x1x1xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %m = arith.constant dense<[[[[10.0]], [[20.0]]]]> : tensor<1x2x1x1xf32>
  %2 = graph.binary mul %1, %m : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s = arith.constant dense<5.0> : tensor<f32>
  %3 = graph.binary sub %2, %s : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  return %3 : tensor<1x2x4x4xf32>
}

// Two groups of two input channels: output channel g * 1 + 0 belongs to inputs 2g and 2g + 1.
// CHECK-LABEL: func.func @conv_transpose
func.func @conv_transpose(%x: tensor<1x4x4x4xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK-DAG: dense<{{.*}}3.000000e+00{{.*}}3.000000e+00{{.*}}5.000000e+00{{.*}}5.000000e+00{{.*}}> : tensor<4x1x1x1xf32>
  // CHECK: %[[Y:.*]] = graph.conv_transpose
  // CHECK-NEXT: return %[[Y]]
  %w = arith.constant dense<1.0> : tensor<4x1x1x1xf32>
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, group = 2 : i64}
      : (tensor<1x4x4x4xf32>, tensor<4x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %m = arith.constant dense<[[[3.0]], [[5.0]]]> : tensor<2x1x1xf32>
  %1 = graph.binary mul %0, %m : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}

// (x W + a) * m = x (W m) + a m, the offset as a vector.
// CHECK-LABEL: func.func @matmul
func.func @matmul(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  // CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[}}2.000000e+00, 6.000000e+00], [6.000000e+00, 1.200000e+01]]>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<[2.000000e+01, 6.000000e+01]> : tensor<2xf32>
  // CHECK: %[[P:.*]] = graph.matmul %{{.*}}, %[[W]]
  // CHECK-NEXT: graph.binary add %[[P]], %[[B]]
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %a = arith.constant dense<[[10.0, 20.0]]> : tensor<1x2xf32>
  %1 = graph.binary add %0, %a : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  %m = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %2 = graph.binary mul %1, %m : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// What something else reads has to stay as it is; and so has a constant that differs by position.
// CHECK-LABEL: func.func @not_folded
func.func @not_folded(%x: tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>,
                                                   tensor<1x1x2x2xf32>) {
  // CHECK: graph.conv %{{[^,]*}}, %{{[^,]*}} {
  // CHECK: graph.binary add
  // CHECK: graph.conv %{{[^,]*}}, %{{[^,]*}} {
  // CHECK: graph.binary add
  %w = arith.constant dense<1.0> : tensor<1x1x1x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
  %a = arith.constant dense<3.0> : tensor<f32>
  %1 = graph.binary add %0, %a : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %2 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
  %b = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %3 = graph.binary add %2, %b : (tensor<1x1x2x2xf32>, tensor<2x2xf32>) -> tensor<1x1x2x2xf32>
  return %0, %1, %3 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
}

// Scales take the factors 2, -0.5 and 0; integers take the sign, and those of the channel times 0 are its zero point.
// CHECK-LABEL: func.func @quantised
func.func @quantised(%x: tensor<1x1x2x2xf32>) -> (tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>) {
  // The opposite of -128 is no int8 around the zero point 0.
  // CHECK-DAG: %[[J:.*]] = arith.constant dense<{{\[\[\[\[}}-128]]], {{\[\[\[}}127]]], {{\[\[\[}}0]]]]> : tensor<3x1x1x1xi8>
  // CHECK-DAG: %[[I:.*]] = arith.constant dense<{{\[\[\[\[}}5]]], {{\[\[\[}}-1]]], {{\[\[\[}}3]]]]> : tensor<3x1x1x1xi8>
  // CHECK-DAG: %[[W:.*]] = graph.dequantize %[[I]] {axis = 0 : i64, scales = array<f32: 2.000000e+00, 5.000000e-01, 1.000000e+00>, zero_points = array<i64: 3, 3, 3>}
  // CHECK: %[[Y:.*]] = graph.conv %arg0, %[[W]] {
  %i = arith.constant dense<[[[[5]]], [[[7]]], [[[9]]]]> : tensor<3x1x1x1xi8>
  %w = graph.dequantize %i {axis = 0 : i64, scales = array<f32: 1.0>, zero_points = array<i64: 3>}
      : (tensor<3x1x1x1xi8>) -> tensor<3x1x1x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x2x2xf32>, tensor<3x1x1x1xf32>) -> tensor<1x3x2x2xf32>
  %m = arith.constant dense<[[[2.0]], [[-0.5]], [[0.0]]]> : tensor<3x1x1xf32>
  %1 = graph.binary mul %0, %m : (tensor<1x3x2x2xf32>, tensor<3x1x1xf32>) -> tensor<1x3x2x2xf32>
  // CHECK: graph.dequantize %[[J]] {axis = 0 : i64, scales = array<f32: 2.000000e+00, 5.000000e-01, 1.000000e+00>, zero_points = array<i64: 0, -1, 0>}
  %j = arith.constant dense<-128> : tensor<3x1x1x1xi8>
  %v = graph.dequantize %j {axis = 0 : i64, scales = array<f32: 1.0>, zero_points = array<i64: 0>}
      : (tensor<3x1x1x1xi8>) -> tensor<3x1x1x1xf32>
  %2 = graph.conv %x, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x2x2xf32>, tensor<3x1x1x1xf32>) -> tensor<1x3x2x2xf32>
  %3 = graph.binary mul %2, %m : (tensor<1x3x2x2xf32>, tensor<3x1x1xf32>) -> tensor<1x3x2x2xf32>
  return %1, %3 : tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>
}

// Scales for each input cannot take the factors of outputs.
// CHECK-LABEL: func.func @quantised_by_inputs
func.func @quantised_by_inputs(%x: tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32> {
  // CHECK: graph.binary mul
  %i = arith.constant dense<5> : tensor<1x2x1x1xi8>
  %w = graph.dequantize %i {axis = 1 : i64, scales = array<f32: 1.0, 2.0>, zero_points = array<i64: 0, 0>}
      : (tensor<1x2x1x1xi8>) -> tensor<1x2x1x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x2x2xf32>
  %m = arith.constant dense<2.0> : tensor<f32>
  %1 = graph.binary mul %0, %m : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  return %1 : tensor<1x1x2x2xf32>
}
