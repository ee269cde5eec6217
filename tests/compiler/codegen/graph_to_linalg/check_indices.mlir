// RUN: vta-opt --convert-graph-to-linalg %s | FileCheck %s

// One pass over the indices finds the one that is farthest outside.
// CHECK-LABEL: func.func @one
// CHECK-SAME: (%[[I:.*]]: tensor<5xi32>)
// CHECK-DAG: %[[EXTENT:.*]] = arith.constant 3 : i64
// CHECK: %[[FARTHEST:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} ins(%[[I]] : tensor<5xi32>)
// CHECK: arith.extsi
// CHECK: arith.addi
// CHECK: arith.maxui
// CHECK: %[[FOUND:.*]] = tensor.extract
// CHECK: %[[OUTSIDE:.*]] = arith.cmpi uge, %[[FOUND]]
// CHECK: scf.if %[[OUTSIDE]]
// CHECK: %[[INDEX:.*]] = arith.subi %[[FOUND]], %[[EXTENT]]
// CHECK: func.call @vta.bad_index(%[[INDEX]], %[[EXTENT]]) {vta.node = "node 'pick' (Gather)"}
// CHECK: return %[[I]]
func.func @one(%i: tensor<5xi32>) -> tensor<5xi32> {
  %j = graph.check_indices %i {extents = array<i64: 3>, node = "node 'pick' (Gather)"}
      : (tensor<5xi32>) -> tensor<5xi32>
  return %j : tensor<5xi32>
}

// Each position of the last dimension by itself.
// CHECK-LABEL: func.func @two
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, 1] [1, 1]
// CHECK: func.call @vta.bad_index
// CHECK: tensor.extract_slice %{{.*}}[0, 1] [4, 1] [1, 1]
// CHECK: func.call @vta.bad_index
func.func @two(%i: tensor<4x2xi64>) -> tensor<4x2xi64> {
  %j = graph.check_indices %i {extents = array<i64: 3, 5>, node = "n"}
      : (tensor<4x2xi64>) -> tensor<4x2xi64>
  return %j : tensor<4x2xi64>
}

// Nothing to check.
// CHECK-LABEL: func.func @none
// CHECK-NOT: call
// CHECK: return
func.func @none(%i: tensor<0xi64>) -> tensor<0xi64> {
  %j = graph.check_indices %i {extents = array<i64: 3>, node = "n"}
      : (tensor<0xi64>) -> tensor<0xi64>
  return %j : tensor<0xi64>
}

// CHECK: func.func private @vta.bad_index(i64, i64)
