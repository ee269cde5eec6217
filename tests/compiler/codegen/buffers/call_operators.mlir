// RUN: vta-opt %s --host-call-operators | FileCheck %s

// The pointers of a call lie in memory that the function takes once.
// CHECK: llvm.mlir.global internal constant @[[NODE:main.operator[0-9]+]]("node\00")
// CHECK-NOT: @vta.own_operator
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[CONTEXT:.*]]: !llvm.ptr, %[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK-DAG: %[[ARRAY:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK-DAG: %[[TEXT:.*]] = llvm.mlir.addressof @[[NODE]]
// CHECK: scf.for
// CHECK: memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: llvm.store
// CHECK: memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK: llvm.store
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CONTEXT]][0, 7]
// CHECK: %[[CALLEE:.*]] = llvm.load %[[FIELD]]
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: llvm.call %[[CALLEE]](%[[CONTEXT]], %[[TEXT]], %[[BYTES]], %[[ARRAY]])
func.func private @vta.own_operator.0(memref<4xf32>, memref<4xf32>)
func.func @main(%context: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    func.call @vta.own_operator.0(%x, %y) {vta.own_node = "node"} : (memref<4xf32>, memref<4xf32>) -> ()
  }
  return
}
