// RUN: vta-opt %s | vta-opt | FileCheck %s

// CHECK-LABEL: func.func @conv
// CHECK: graph.conv %arg0, %arg1, %arg2 {
// CHECK-SAME: pads = array<i64: 1, 1, 1, 1>
func.func @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>)
    -> tensor<1x4x8x8xf32> {
  %y = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, group = 1 : i64}
      : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return %y : tensor<1x4x8x8xf32>
}
