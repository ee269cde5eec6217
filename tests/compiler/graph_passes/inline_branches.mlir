// RUN: vta-opt %s --graph-inline-branches | FileCheck %s

// Branches that multiply are both computed.
// CHECK-LABEL: func.func @multiplies
// CHECK-SAME: (%[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<4x4xf32>)
func.func @multiplies(%c: tensor<i1>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NOT: graph.if
  // CHECK: %[[P:.*]] = graph.matmul %[[X]]
  // CHECK: %[[N:.*]] = graph.unary neg %[[X]]
  // CHECK: graph.where %[[C]], %[[P]], %[[N]]
  %y = "graph.if"(%c, %x) ({
  ^bb0(%a: tensor<4x4xf32>):
    %w = arith.constant dense<0.5> : tensor<4x4xf32>
    %p = graph.matmul %a, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %p : tensor<4x4xf32>
  }, {
  ^bb0(%a: tensor<4x4xf32>):
    %n = graph.unary neg %a : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %n : tensor<4x4xf32>
  }) : (tensor<i1>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// The host computes one of the others.
// CHECK-LABEL: func.func @stays
func.func @stays(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.if
  %y = "graph.if"(%c, %x) ({
  ^bb0(%a: tensor<4xf32>):
    %n = graph.unary neg %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
