// RUN: vta-opt %s --graph-static-products | FileCheck %s
// RUN: vta-opt %s --graph-static-products=all | FileCheck %s --check-prefix=ALL

// The zero point's share of the sum, 3 * 2 * 5 = 30, is not a part of the product any more.
// CHECK-LABEL: func.func @rounded_further_on
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x4x4xf32>)
func.func @rounded_further_on(%x: tensor<1x2x4x4xf32>) -> tensor<1x1x4x4xi8> {
  // CHECK: %[[Q:.*]] = graph.quantize %[[X]]
  // CHECK: %[[W:.*]] = graph.dequantize %{{.*}} {axis = 0 : i64, scales = array<f32: 2.000000e+00>, zero_points = array<i64: 0>} : (tensor<1x2x1x1xi8>)
  // CHECK: %[[D:.*]] = graph.dequantize %[[Q]] {axis = 0 : i64, scales = array<f32: 5.000000e-01>, zero_points = array<i64: 3>}
  // CHECK: %[[C:.*]] = graph.conv %[[D]], %[[W]]
  // CHECK-NOT: graph.cast
  // CHECK-NOT: graph.binary
  // CHECK: graph.quantize %[[C]]
  %q = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 3>}
      : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi8>
  %w = arith.constant dense<5> : tensor<1x2x1x1xi8>
  %k = arith.constant dense<30> : tensor<i32>
  %c = graph.conv %q, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x2x4x4xi8>, tensor<1x2x1x1xi8>) -> tensor<1x1x4x4xi32>
  %s = graph.binary sub %c, %k : (tensor<1x1x4x4xi32>, tensor<i32>) -> tensor<1x1x4x4xi32>
  %f = graph.cast %s : (tensor<1x1x4x4xi32>) -> tensor<1x1x4x4xf32>
  %y = graph.quantize %f {scales = array<f32: 2.0>, zero_points = array<i64: 0>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xi8>
  return %y : tensor<1x1x4x4xi8>
}

// What else was added is a bias: 30 of the zero point, and 12.
// CHECK-LABEL: func.func @other_addend
// CHECK: graph.binary add %{{.*}}, %{{.*}} : (tensor<1x1x4x4xf32>
func.func @other_addend(%x: tensor<1x2x4x4xf32>) -> tensor<1x1x4x4xi8> {
  %q = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 3>}
      : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi8>
  %w = arith.constant dense<5> : tensor<1x2x1x1xi8>
  %k = arith.constant dense<12> : tensor<i32>
  %c = graph.conv %q, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x2x4x4xi8>, tensor<1x2x1x1xi8>) -> tensor<1x1x4x4xi32>
  %s = graph.binary add %c, %k : (tensor<1x1x4x4xi32>, tensor<i32>) -> tensor<1x1x4x4xi32>
  %f = graph.cast %s : (tensor<1x1x4x4xi32>) -> tensor<1x1x4x4xf32>
  %y = graph.quantize %f {scales = array<f32: 2.0>, zero_points = array<i64: 0>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xi8>
  return %y : tensor<1x1x4x4xi8>
}

// Padding that is not the zero point: the sum is not that of a dequantised layer.
// CHECK-LABEL: func.func @other_padding
// CHECK: graph.cast
func.func @other_padding(%x: tensor<1x2x4x4xf32>) -> tensor<1x1x6x6xi8> {
  %q = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 3>}
      : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi8>
  %w = arith.constant dense<5> : tensor<1x2x1x1xi8>
  %c = graph.conv %q, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
      : (tensor<1x2x4x4xi8>, tensor<1x2x1x1xi8>) -> tensor<1x1x6x6xi32>
  %f = graph.cast %c : (tensor<1x1x6x6xi32>) -> tensor<1x1x6x6xf32>
  %y = graph.quantize %f {scales = array<f32: 2.0>, zero_points = array<i64: 0>}
      : (tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xi8>
  return %y : tensor<1x1x6x6xi8>
}

// CHECK-LABEL: func.func @not_rounded
// CHECK: graph.matmul %{{.*}} : (tensor<4x2xi8>
// ALL-LABEL: func.func @not_rounded
// ALL: graph.matmul %{{.*}} : (tensor<4x2xf32>
func.func @not_rounded(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %q = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 0>} : (tensor<4x2xf32>) -> tensor<4x2xi8>
  %w = arith.constant dense<5> : tensor<2x3xi8>
  %c = graph.matmul %q, %w : (tensor<4x2xi8>, tensor<2x3xi8>) -> tensor<4x3xi32>
  %f = graph.cast %c : (tensor<4x3xi32>) -> tensor<4x3xf32>
  return %f : tensor<4x3xf32>
}
