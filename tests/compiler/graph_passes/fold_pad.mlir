// RUN: vta-opt %s --graph-fold-pad --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32> {
  // CHECK-NEXT: graph.conv %arg0, {{.*}}pads = array<i64: 0, 1, 1, 1>
  %0 = graph.pad constant %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x5xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1, 2>, pads = array<i64: 0, 1, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x5x5xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x3x2xf32>
  %2 = graph.pad edge %1 {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 0, 1>}
      : (tensor<1x1x3x2xf32>) -> tensor<1x1x3x3xf32>
  return %2 : tensor<1x1x3x3xf32>
}

// Another value than zero, another mode, channels, and cropping stay.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x1x1xf32>, %w2: tensor<1x2x1x1xf32>) {
  // CHECK-COUNT-4: graph.pad
  %0 = graph.pad constant %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 1>, value = 1.0 : f64}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x5xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x5x5xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x5x5xf32>
  %2 = graph.pad edge %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x5xf32>
  %3 = graph.conv %2, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x5x5xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x5x5xf32>
  %4 = graph.pad constant %x {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 0, 0>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32>
  %5 = graph.conv %4, %w2 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
  %6 = graph.pad constant %x {low = array<i64: 0, 0, -1, 0>, high = array<i64: 0, 0, 0, 0>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x3x4xf32>
  %7 = graph.conv %6, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x1x3x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x3x4xf32>
  call @use(%1, %3, %5, %7) : (tensor<1x1x5x5xf32>, tensor<1x1x5x5xf32>, tensor<1x1x4x4xf32>, tensor<1x1x3x4xf32>) -> ()
  return
}
func.func private @use(tensor<1x1x5x5xf32>, tensor<1x1x5x5xf32>, tensor<1x1x4x4xf32>, tensor<1x1x3x4xf32>)

// Zeros lose against what relu left, but not against negative numbers.
// CHECK-LABEL: func.func @max_pool
func.func @max_pool(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) {
  // CHECK: %[[R:.*]] = graph.unary relu
  // CHECK: graph.max_pool %[[R]] {{.*}}pads = array<i64: 0, 0, 1, 1>
  // CHECK: graph.pad
  // CHECK: graph.max_pool
  %r = graph.unary relu %x : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  %0 = graph.pad constant %r {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x5xf32>
  %1 = graph.max_pool %0 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x1x5x5xf32>) -> tensor<1x1x2x2xf32>
  %2 = graph.pad constant %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x5xf32>
  %3 = graph.max_pool %2 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x1x5x5xf32>) -> tensor<1x1x2x2xf32>
  return %1, %3 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
}

// CHECK-LABEL: func.func @avg_pool
func.func @avg_pool(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) {
  // CHECK: %[[P:.*]] = graph.pad
  // CHECK: graph.avg_pool %arg0 {count_include_pad = true, {{.*}}pads = array<i64: 0, 0, 1, 1>
  // CHECK: graph.avg_pool %[[P]]
  %0 = graph.pad constant %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x5xf32>
  %1 = graph.avg_pool %0 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x2x2xf32>
  %2 = graph.avg_pool %0 {kernel = array<i64: 3, 3>, strides = array<i64: 3, 3>,
      pads = array<i64: 1, 1, 0, 0>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x2x2xf32>
  return %1, %2 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
}
