// RUN: vta-opt %s --host-report-bad-indices | FileCheck %s

// One text for equal nodes of a function.
// CHECK-DAG: llvm.mlir.global internal constant @[[PICK_TEXT:main.text[0-9]+]]("node 'pick' (Gather)\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[PUT_TEXT:main.text[0-9]+]]("node 'put' (ScatterND)\00")
// CHECK-DAG: func.func private @vta.fail_index(!llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-NOT: @vta.bad_index
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[CONTEXT:.*]]: !llvm.ptr, %[[INDEX:.*]]: i64, %[[EXTENT:.*]]: i64)
// CHECK-DAG: %[[PICK:.*]] = llvm.mlir.addressof @[[PICK_TEXT]] :
// CHECK-DAG: %[[PUT:.*]] = llvm.mlir.addressof @[[PUT_TEXT]] :
// CHECK: call @vta.fail_index(%[[CONTEXT]], %[[PICK]], %[[INDEX]], %[[EXTENT]])
// CHECK: call @vta.fail_index(%[[CONTEXT]], %[[PUT]], %[[INDEX]], %[[EXTENT]])
// CHECK: call @vta.fail_index(%[[CONTEXT]], %[[PICK]], %[[EXTENT]], %[[INDEX]])
func.func private @vta.bad_index(i64, i64)
func.func @main(%context: !llvm.ptr, %index: i64, %extent: i64) {
  call @vta.bad_index(%index, %extent) {vta.node = "node 'pick' (Gather)"} : (i64, i64) -> ()
  call @vta.bad_index(%index, %extent) {vta.node = "node 'put' (ScatterND)"} : (i64, i64) -> ()
  call @vta.bad_index(%extent, %index) {vta.node = "node 'pick' (Gather)"} : (i64, i64) -> ()
  return
}
