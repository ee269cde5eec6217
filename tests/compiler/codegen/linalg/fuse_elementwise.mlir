// RUN: vta-opt %s --convert-graph-to-linalg --canonicalize --cse --host-fuse-elementwise --canonicalize --cse | FileCheck %s

// A chain of element-wise ops is one op.
// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.binary add %x, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = graph.binary mul %0, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// A value with two consumers is computed once.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @shared(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = graph.unary exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = graph.unary relu %0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = graph.unary neg %0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// Fused into the sum, which has more elements, an element of the column would be computed once for each of them.
// CHECK-LABEL: func.func @broadcast
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @broadcast(%x: tensor<8x1xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.unary exp %x : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %1 = graph.binary add %0, %y : (tensor<8x1xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// With a limit of four, the first sum has three tensors and its result, and the second has that, two more and the result.
// RUN: vta-opt %s --convert-graph-to-linalg --canonicalize --cse --host-fuse-elementwise=most-operands=4 --canonicalize --cse | FileCheck %s --check-prefix=FEW
// FEW-LABEL: func.func @many
// FEW-COUNT-2: linalg.generic
// FEW-NOT: linalg.generic
// FEW: return
// CHECK-LABEL: func.func @many
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @many(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.binary add %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.binary add %0, %c : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.binary add %1, %d : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.binary add %2, %e : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
