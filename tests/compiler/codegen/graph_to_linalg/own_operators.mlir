// RUN: vta-opt --convert-graph-to-linalg %s | FileCheck %s

// Inputs and results lie in buffers; unsigned elements have none of their own there.
// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[X:.*]]: tensor<5xi8>)
// CHECK-DAG: %[[IN:.*]] = bufferization.to_memref %[[X]] read_only : memref<5xi8>
// CHECK-DAG: %[[ROWS:.*]] = memref.alloc() : memref<3x5xi64>
// CHECK-DAG: %[[EVEN:.*]] = memref.alloc() : memref<3xi1>
// CHECK: call @[[ROWS_CALL:vta.own_operator.[0-9]]](%[[IN]], %[[ROWS]], %[[EVEN]]) {vta.own_node = "{{.*}}Rows{{.*}}"}
// CHECK: bufferization.to_tensor %[[ROWS]] restrict writable
func.func @two(%x: tensor<5xui8>) -> (tensor<3x5xi64>, tensor<3xi1>) {
  %0:2 = graph.own %x {domain = "d", node_attributes = {}, operator_name = "Rows", present = array<i1: true>}
      : (tensor<5xui8>) -> (tensor<3x5xi64>, tensor<3xi1>)
  return %0#0, %0#1 : tensor<3x5xi64>, tensor<3xi1>
}

// What has no elements is left out of the call. Calls of one signature share a declaration.
// CHECK-LABEL: func.func @empty
// CHECK: %[[OUT:.*]] = memref.alloc() : memref<4xf32>
// CHECK: call @[[CALL:vta.own_operator.[0-9]]](%[[OUT]])
// CHECK: %[[OTHER:.*]] = memref.alloc() : memref<4xf32>
// CHECK: call @[[CALL]](%[[OTHER]])
func.func @empty(%x: tensor<0xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.own %x {domain = "d", node_attributes = {}, operator_name = "Ones", present = array<i1: true>}
      : (tensor<0xf32>) -> tensor<4xf32>
  %1 = graph.own {domain = "d", node_attributes = {}, operator_name = "Twos", present = array<i1: false>}
      : () -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
