// RUN: vta-opt %s --graph-split-channel-pads --canonicalize | FileCheck %s

// The constant goes to the side of the residual that has a bias.
// CHECK-LABEL: func.func @residual
func.func @residual(%x: tensor<1x2x4x4xf32>, %y: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK: %[[C:.*]] = arith.constant dense<{{.*}}5.000000e-01{{.*}}0.000000e+00{{.*}}0.000000e+00{{.*}}5.000000e-01{{.*}}>
  // CHECK: %[[ZEROS:.*]] = graph.pad constant %arg0 {high = array<i64: 0, 1, 0, 0>, low = array<i64: 0, 1, 0, 0>}
  // CHECK: %[[MOVED:.*]] = graph.binary add %arg1, %[[C]]
  // CHECK: graph.binary add %[[MOVED]], %[[ZEROS]]
  %0 = graph.pad constant %x {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 1, 0, 0>, value = 0.5 : f64}
      : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32>
  %1 = graph.binary add %0, %y : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %1 : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @alone
func.func @alone(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  // CHECK: %[[ZEROS:.*]] = graph.pad constant %arg0
  // CHECK-NOT: value
  // CHECK: graph.binary add %[[ZEROS]],
  %0 = graph.pad constant %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>, value = -2.0 : f64}
      : (tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// Zeros, infinities, rows, other modes and integers stay.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<1x2x4x4xf32>, %i: tensor<1x2x4x4xi32>) {
  // CHECK-NOT: graph.binary
  %0 = graph.pad constant %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>}
      : (tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.pad constant %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>, value = 0xFFF0000000000000 : f64}
      : (tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32>
  %2 = graph.pad constant %x {low = array<i64: 0, 0, 1, 0>, high = array<i64: 0, 1, 0, 0>, value = 1.0 : f64}
      : (tensor<1x2x4x4xf32>) -> tensor<1x3x5x4xf32>
  %3 = graph.pad edge %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>, value = 1.0 : f64}
      : (tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32>
  %4 = graph.pad constant %i {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>, value = 1.0 : f64}
      : (tensor<1x2x4x4xi32>) -> tensor<1x3x4x4xi32>
  call @use(%0, %1, %2, %3, %4) : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x5x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x4x4xi32>) -> ()
  return
}
func.func private @use(tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x5x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x4x4xi32>)
