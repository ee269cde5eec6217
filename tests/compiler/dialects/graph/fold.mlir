// RUN: vta-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
func.func @identities(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = graph.cast %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.reshape %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = graph.expand %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = graph.concat %3 {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = graph.slice %4 {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = graph.pad constant %5 {low = array<i64: 0, 0>, high = array<i64: 0, 0>, value = 1.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<2x6xf32>)
func.func @reshapes(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.reshape %[[X]] : (tensor<2x6xf32>) -> tensor<4x3xf32>
  // CHECK-NEXT: return %[[Y]]
  %0 = graph.reshape %x : (tensor<2x6xf32>) -> tensor<12xf32>
  %1 = graph.reshape %0 : (tensor<12xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @transposes
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3x2x4xf32>) {
  // CHECK-NEXT: %[[Y:.*]] = graph.transpose %[[X]] {permutation = array<i64: 1, 0, 2>}
  // CHECK-NEXT: return %[[X]], %[[Y]]
  %0 = graph.transpose %x {permutation = array<i64: 2, 0, 1>}
      : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 2, 0>}
      : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  %2 = graph.transpose %0 {permutation = array<i64: 2, 1, 0>}
      : (tensor<4x2x3xf32>) -> tensor<3x2x4xf32>
  return %1, %2 : tensor<2x3x4xf32>, tensor<3x2x4xf32>
}

// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<10xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: graph.slice %{{.*}} {starts = array<i64: 7>, steps = array<i64: -4>} : (tensor<10xf32>) -> tensor<2xf32>
  %0 = graph.slice %x {starts = array<i64: 9>, steps = array<i64: -2>}
      : (tensor<10xf32>) -> tensor<5xf32>
  %1 = graph.slice %0 {starts = array<i64: 1>, steps = array<i64: 2>}
      : (tensor<5xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @pads
func.func @pads(%x: tensor<4xf32>) -> (tensor<7xf32>, tensor<6xf32>) {
  // CHECK: %[[A:.*]] = graph.pad constant %{{.*}} {high = array<i64: 2>, low = array<i64: 1>}
  // CHECK: graph.pad edge %{{.*}}
  // CHECK: graph.pad edge %{{.*}}
  %0 = graph.pad constant %x {low = array<i64: 1>, high = array<i64: 0>}
      : (tensor<4xf32>) -> tensor<5xf32>
  %1 = graph.pad constant %0 {low = array<i64: 0>, high = array<i64: 2>}
      : (tensor<5xf32>) -> tensor<7xf32>
  %2 = graph.pad edge %x {low = array<i64: 1>, high = array<i64: 0>}
      : (tensor<4xf32>) -> tensor<5xf32>
  %3 = graph.pad edge %2 {low = array<i64: 1>, high = array<i64: 0>}
      : (tensor<5xf32>) -> tensor<6xf32>
  return %1, %3 : tensor<7xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<3xi64>, tensor<2x2xf32>, tensor<2xi1>) {
  // CHECK-DAG: arith.constant dense<[4, 10, 18]> : tensor<3xi64>
  // CHECK-DAG: arith.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]>
  // CHECK-DAG: arith.constant dense<[true, false]> : tensor<2xi1>
  %a = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  %b = arith.constant dense<[4, 5, 6]> : tensor<3xi64>
  %0 = graph.binary mul %a, %b : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  %m = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = graph.transpose %m {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %d = arith.constant dense<1.5> : tensor<f32>
  %2 = graph.binary less %c, %d : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  return %0, %1, %2 : tensor<3xi64>, tensor<2x2xf32>, tensor<2xi1>
}

// An integer division by zero is left to run time.
// CHECK-LABEL: func.func @division_by_zero
func.func @division_by_zero() -> tensor<2xi64> {
  // CHECK: graph.binary div
  %a = arith.constant dense<[1, 2]> : tensor<2xi64>
  %b = arith.constant dense<[1, 0]> : tensor<2xi64>
  %0 = graph.binary div %a, %b : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// The quantiser wants to see these.
// CHECK-LABEL: func.func @dequantize
func.func @dequantize() -> tensor<2xf32> {
  // CHECK: graph.dequantize
  %a = arith.constant dense<[1, 2]> : tensor<2xi8>
  %0 = graph.dequantize %a {scales = array<f32: 0.5>, zero_points = array<i64: 0>}
      : (tensor<2xi8>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
