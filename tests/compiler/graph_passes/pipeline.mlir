// RUN: vta-opt %s --graph-optimize | FileCheck %s

// Convolution behind a pad, batch normalisation and relu6 written as max and min: one convolution and
// one clip.
// CHECK-LABEL: func.func @block
// CHECK-SAME: (%[[X:.*]]: tensor<1x1x4x4xf32>)
func.func @block(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK: %[[C:.*]] = graph.conv %[[X]], %{{.*}}, %{{.*}} {{.*}}pads = array<i64: 1, 1, 1, 1>
  // CHECK-NEXT: %[[Y:.*]] = graph.clip %[[C]]
  // CHECK-NEXT: return %[[Y]]
  %0 = graph.pad constant %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %w = arith.constant dense<1.0> : tensor<2x9xf32>
  %w4 = graph.reshape %w : (tensor<2x9xf32>) -> tensor<2x1x3x3xf32>
  %1 = graph.conv %0, %w4 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x6x6xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x4x4xf32>
  %p = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %2 = graph.batch_norm %1, %p, %p, %p, %p {epsilon = 0.0 : f64}
      : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
      -> tensor<1x2x4x4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %six = arith.constant dense<6.0> : tensor<f32>
  %3 = graph.binary max %2, %zero : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %4 = graph.binary min %3, %six : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  return %4 : tensor<1x2x4x4xf32>
}
