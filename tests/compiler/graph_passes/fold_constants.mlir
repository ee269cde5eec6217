// RUN: vta-opt %s --graph-fold-constants --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @movement
func.func @movement() -> (tensor<2x3xf32>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<4x2xf32>,
                          tensor<1x2xf32>) {
  %m = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  // CHECK-DAG: dense<{{\[\[}}9.000000e+00, 1.000000e+00, 2.000000e+00], [9.000000e+00, 3.000000e+00, 4.000000e+00]]> : tensor<2x3xf32>
  %0 = graph.pad constant %m {low = array<i64: 0, 1>, high = array<i64: 0, 0>, value = 9.0 : f64}
      : (tensor<2x2xf32>) -> tensor<2x3xf32>
  // CHECK-DAG: dense<{{\[\[}}2.000000e+00, 1.000000e+00], [4.000000e+00, 3.000000e+00]]> : tensor<2x2xf32>
  %1 = graph.slice %m {starts = array<i64: 0, 1>, steps = array<i64: 1, -1>}
      : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK-DAG: dense<{{\[\[}}3.000000e+00, 4.000000e+00], [1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<3x2xf32>
  %i = arith.constant dense<[-1, 0, 1]> : tensor<3xi64>
  %2 = graph.gather %m, %i {axis = 0 : i64} : (tensor<2x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  // CHECK-DAG: dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<4x2xf32>
  %3 = graph.concat %m, %m {axis = 0 : i64}
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  // CHECK-DAG: dense<{{\[\[}}2.000000e+00, 3.000000e+00]]> : tensor<1x2xf32>
  %4 = graph.reduce mean %m {axes = array<i64: 0>} : (tensor<2x2xf32>) -> tensor<1x2xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<4x2xf32>,
                              tensor<1x2xf32>
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise() -> (tensor<2xf32>, tensor<2xi8>, tensor<2xf32>, tensor<2xf32>) {
  %x = arith.constant dense<[-4.0, 9.0]> : tensor<2xf32>
  // CHECK-DAG: dense<[4.000000e+00, 9.000000e+00]> : tensor<2xf32>
  %0 = graph.unary abs %x : (tensor<2xf32>) -> tensor<2xf32>
  // The low eight bits of 300 are 44.
  // CHECK-DAG: dense<[-4, 44]> : tensor<2xi8>
  %i = arith.constant dense<[-4, 300]> : tensor<2xi32>
  %1 = graph.cast %i : (tensor<2xi32>) -> tensor<2xi8>
  // CHECK-DAG: dense<[-4.000000e+00, 1.000000e+00]> : tensor<2xf32>
  %c = arith.constant dense<[true, false]> : tensor<2xi1>
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %2 = graph.where %c, %x, %one : (tensor<2xi1>, tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  // CHECK-DAG: dense<[-1.000000e+00, 6.000000e+00]> : tensor<2xf32>
  %3 = graph.clip %x {min = -1.0 : f64, max = 6.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xi8>, tensor<2xf32>, tensor<2xf32>
}

// Large results that are not splats would only cost memory.
// CHECK-LABEL: func.func @large
func.func @large() -> (tensor<40000x4xf32>, tensor<40000x4xf32>) {
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<40000x4xf32>
  // CHECK-DAG: graph.expand
  %row = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.expand %row : (tensor<4xf32>) -> tensor<40000x4xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %1 = graph.expand %one : (tensor<f32>) -> tensor<40000x4xf32>
  return %0, %1 : tensor<40000x4xf32>, tensor<40000x4xf32>
}

// Weights that the model rounds: halves to even, 300 becomes 127, and NaN the lowest number.
// CHECK-LABEL: func.func @rounded
func.func @rounded() -> (tensor<5xf32>, tensor<2x2xui8>) {
  // CHECK-DAG: %[[I:.*]] = arith.constant dense<[1, 3, -1, 127, -128]> : tensor<5xi8>
  // CHECK-DAG: %[[U:.*]] = arith.constant dense<{{\[\[}}0, 4], [7, 255]]> : tensor<2x2xui8>
  // CHECK: %[[D:.*]] = graph.dequantize %[[I]]
  // CHECK: return %[[D]], %[[U]]
  %x = arith.constant dense<[0.25, 0.75, -1.0, 150.0, 0x7FC00000]> : tensor<5xf32>
  %0 = graph.quantize %x {axis = 0 : i64, scales = array<f32: 0.5>, zero_points = array<i64: 1>}
      : (tensor<5xf32>) -> tensor<5xi8>
  %1 = graph.dequantize %0 {axis = 0 : i64, scales = array<f32: 0.5>, zero_points = array<i64: 1>}
      : (tensor<5xi8>) -> tensor<5xf32>
  %y = arith.constant dense<[[-9.0, 4.0], [1.0, 1000.0]]> : tensor<2x2xf32>
  %2 = graph.quantize %y {axis = 0 : i64, scales = array<f32: 1.0, 0.25>, zero_points = array<i64: 0, 3>}
      : (tensor<2x2xf32>) -> tensor<2x2xui8>
  return %1, %2 : tensor<5xf32>, tensor<2x2xui8>
}
