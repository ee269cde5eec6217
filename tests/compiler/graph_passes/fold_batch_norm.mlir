// RUN: vta-opt %s --graph-fold-batch-norm | FileCheck %s

// scale / sqrt(variance + epsilon) = [2 / 2, 3 / 1]; bias - mean * that = [1 - 4, 0 + 3].
// CHECK-LABEL: func.func @constant_parameters
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x4x4xf32>)
func.func @constant_parameters(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK-DAG: %[[S:.*]] = arith.constant dense<{{\[\[\[}}1.000000e+00]], {{\[\[}}3.000000e+00]]]> : tensor<2x1x1xf32>
  // CHECK-DAG: %[[T:.*]] = arith.constant dense<{{\[\[\[}}-3.000000e+00]], {{\[\[}}3.000000e+00]]]> : tensor<2x1x1xf32>
  // CHECK: %[[P:.*]] = graph.binary mul %[[X]], %[[S]]
  // CHECK: %[[Y:.*]] = graph.binary add %[[P]], %[[T]]
  // CHECK: return %[[Y]]
  %scale = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %bias = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %mean = arith.constant dense<[4.0, -1.0]> : tensor<2xf32>
  %variance = arith.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %y = graph.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 1.0 : f64}
      : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
      -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @computed_parameters
func.func @computed_parameters(%x: tensor<1x2x4x4xf32>, %p: tensor<2xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK: graph.batch_norm
  %y = graph.batch_norm %x, %p, %p, %p, %p {epsilon = 1.0 : f64}
      : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
      -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}
