// RUN: vta-opt %s --graph-raise-rank --canonicalize | FileCheck %s

// What lies between two convolutions of sequences sees no reshape: a residual block with a causal pad.
// CHECK-LABEL: func.func @residual
// CHECK-NOT: graph.reshape
// CHECK: graph.conv {{.*}} -> tensor<1x4x1x8xf32>
// CHECK: graph.unary relu {{.*}} -> tensor<1x4x1x8xf32>
// CHECK: graph.binary mul {{.*}} : (tensor<1x4x1x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x1x8xf32>
// CHECK: graph.binary add {{.*}} : (tensor<1x4x1x8xf32>, tensor<8xf32>) -> tensor<1x4x1x8xf32>
// CHECK: graph.binary add {{.*}} : (tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32>
// CHECK: graph.pad constant {{.*}}high = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 2>
// CHECK-NEXT: graph.conv
// CHECK-NEXT: graph.reshape {{.*}} -> tensor<1x4x8xf32>
func.func @residual(%x: tensor<1x4x1x8xf32>, %w: tensor<4x4x1x1xf32>, %v: tensor<4x4x1x3xf32>,
                    %scale: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %half = arith.constant dense<0.5> : tensor<4x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x4x1x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x1x8xf32>
  %1 = graph.reshape %0 : (tensor<1x4x1x8xf32>) -> tensor<1x4x8xf32>
  %2 = graph.unary relu %1 : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %3 = graph.binary mul %2, %half : (tensor<1x4x8xf32>, tensor<4x1xf32>) -> tensor<1x4x8xf32>
  %4 = graph.binary add %3, %scale : (tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %5 = graph.binary add %4, %1 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %6 = graph.pad constant %5 {low = array<i64: 0, 0, 2>, high = array<i64: 0, 0, 0>}
      : (tensor<1x4x8xf32>) -> tensor<1x4x10xf32>
  %7 = graph.reshape %6 : (tensor<1x4x10xf32>) -> tensor<1x4x1x10xf32>
  %8 = graph.conv %7, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x4x1x10xf32>, tensor<4x4x1x3xf32>) -> tensor<1x4x1x8xf32>
  %9 = graph.reshape %8 : (tensor<1x4x1x8xf32>) -> tensor<1x4x8xf32>
  return %9 : tensor<1x4x8xf32>
}

// Slices, joins, maxima of all and their expansion; the sequence's other operands become images. A
// batch normalisation's parameters stay as they are.
// CHECK-LABEL: func.func @movement
// CHECK: %[[POOL:.*]] = graph.max_pool
// CHECK-NEXT: %[[SLICE:.*]] = graph.slice %[[POOL]] {starts = array<i64: 0, 2, 0, 1>, steps = array<i64: 1, 1, 1, 2>} : (tensor<1x4x1x8xf32>) -> tensor<1x2x1x4xf32>
// CHECK-NEXT: %[[OTHER:.*]] = graph.reshape %arg1 : (tensor<1x3x4xf32>) -> tensor<1x3x1x4xf32>
// CHECK-NEXT: %[[JOIN:.*]] = graph.concat %[[SLICE]], %[[OTHER]] {axis = 1 : i64}
// CHECK-NEXT: %[[TWICE:.*]] = graph.concat %[[JOIN]], %[[JOIN]] {axis = 3 : i64} {{.*}} -> tensor<1x5x1x8xf32>
// CHECK-NEXT: %[[NORM:.*]] = graph.batch_norm %[[TWICE]], %arg2, %arg2, %arg2, %arg2
// CHECK-NEXT: %[[MAX:.*]] = graph.reduce max %[[NORM]] {axes = array<i64: 2, 3>} : (tensor<1x5x1x8xf32>) -> tensor<1x5x1x1xf32>
// CHECK-NEXT: %[[ALL:.*]] = graph.expand %[[MAX]] {{.*}} -> tensor<1x5x1x8xf32>
// CHECK-NEXT: %[[MEAN:.*]] = graph.reduce mean %[[ALL]] {axes = array<i64: 2, 3>} {{.*}} -> tensor<1x5x1x1xf32>
// CHECK-NEXT: graph.reshape %[[MEAN]] : (tensor<1x5x1x1xf32>) -> tensor<1x5xf32>
func.func @movement(%x: tensor<1x4x1x8xf32>, %y: tensor<1x3x4xf32>, %p: tensor<5xf32>) -> tensor<1x5xf32> {
  %0 = graph.max_pool %x {kernel = array<i64: 1, 3>, strides = array<i64: 1, 1>,
      pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32>
  %1 = graph.reshape %0 : (tensor<1x4x1x8xf32>) -> tensor<1x4x8xf32>
  %2 = graph.slice %1 {starts = array<i64: 0, 2, 1>, steps = array<i64: 1, 1, 2>}
      : (tensor<1x4x8xf32>) -> tensor<1x2x4xf32>
  %3 = graph.concat %2, %y {axis = 1 : i64} : (tensor<1x2x4xf32>, tensor<1x3x4xf32>) -> tensor<1x5x4xf32>
  %4 = graph.concat %3, %3 {axis = 2 : i64} : (tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<1x5x8xf32>
  %5 = graph.batch_norm %4, %p, %p, %p, %p {epsilon = 1.0e-5 : f64}
      : (tensor<1x5x8xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<1x5x8xf32>
  %6 = graph.reduce max %5 {axes = array<i64: 2>} : (tensor<1x5x8xf32>) -> tensor<1x5x1xf32>
  %7 = graph.expand %6 : (tensor<1x5x1xf32>) -> tensor<1x5x8xf32>
  %8 = graph.reduce mean %7 {axes = array<i64: 2>} : (tensor<1x5x8xf32>) -> tensor<1x5xf32>
  return %8 : tensor<1x5xf32>
}

// A pad in front of the first convolution is one of an image; what made the image decides: a reshape of
// the network's input stays, and so does what needs the sequence.
// CHECK-LABEL: func.func @ends
// CHECK-NEXT: graph.reshape %arg0
// CHECK-NEXT: graph.pad constant {{.*}}low = array<i64: 0, 0, 0, 3>
// CHECK-NEXT: graph.reshape {{.*}} -> tensor<1x4x8xf32>
// CHECK-NEXT: graph.unary relu {{.*}} -> tensor<1x4x8xf32>
// CHECK: graph.conv
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.transpose {{.*}} -> tensor<1x8x4xf32>
func.func @ends(%x: tensor<1x4x5xf32>, %y: tensor<1x4x1x8xf32>, %w: tensor<4x4x1x1xf32>)
    -> (tensor<1x4x1x8xf32>, tensor<1x4x8xf32>, tensor<1x8x4xf32>) {
  %0 = graph.pad constant %x {low = array<i64: 0, 0, 3>, high = array<i64: 0, 0, 0>}
      : (tensor<1x4x5xf32>) -> tensor<1x4x8xf32>
  %1 = graph.reshape %0 : (tensor<1x4x8xf32>) -> tensor<1x4x1x8xf32>
  %2 = graph.reshape %y : (tensor<1x4x1x8xf32>) -> tensor<1x4x8xf32>
  %3 = graph.unary relu %2 : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %4 = graph.conv %y, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x4x1x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x1x8xf32>
  %5 = graph.reshape %4 : (tensor<1x4x1x8xf32>) -> tensor<1x4x8xf32>
  %6 = graph.transpose %5 {permutation = array<i64: 0, 2, 1>} : (tensor<1x4x8xf32>) -> tensor<1x8x4xf32>
  return %1, %3, %6 : tensor<1x4x1x8xf32>, tensor<1x4x8xf32>, tensor<1x8x4xf32>
}
