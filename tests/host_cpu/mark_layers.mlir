// RUN: vta-opt %s --host-cpu-mark-layers --mlir-print-local-scope | FileCheck %s

// Behind the last piece of each layer the code calls the seventh field of the context with the layer's number.
// Pieces without a name belong to the layer before; a layer in two places is marked twice.

func.func private @kernel(!llvm.ptr)

// CHECK-LABEL: func.func @layers
// CHECK: call @kernel
// CHECK-NOT: llvm.call
// CHECK: call @kernel
// CHECK: %[[FIELD:.+]] = llvm.getelementptr %arg0[0, 6] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, i32, ptr, ptr, ptr, ptr, ptr)>
// CHECK: %[[MARK:.+]] = llvm.load %[[FIELD]]
// CHECK: %[[CONV:.+]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.call %[[MARK]](%arg0, %[[CONV]])
// CHECK: call @kernel
// CHECK: %[[POOL:.+]] = llvm.mlir.constant(1 : i64)
// CHECK: llvm.call %{{.+}}(%arg0, %[[POOL]])
// CHECK: call @kernel
// CHECK: %[[AGAIN:.+]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.call %{{.+}}(%arg0, %[[AGAIN]])
func.func @layers(%context: !llvm.ptr) attributes {vta.entry} {
  func.call @kernel(%context) : (!llvm.ptr) -> () loc("conv")
  func.call @kernel(%context) : (!llvm.ptr) -> () loc(unknown)
  func.call @kernel(%context) : (!llvm.ptr) -> () loc(fused["pool", "relu"])
  func.call @kernel(%context) : (!llvm.ptr) -> () loc("conv")
  return
}

// One layer is all of the function: its caller knows when it has ended.
// CHECK-LABEL: func.func @single
// CHECK-NOT: llvm.call
func.func @single(%context: !llvm.ptr) attributes {vta.entry} {
  func.call @kernel(%context) : (!llvm.ptr) -> () loc("conv")
  func.call @kernel(%context) : (!llvm.ptr) -> () loc("conv")
  return
}

// Not called from outside.
// CHECK-LABEL: func.func private @inner
// CHECK-NOT: llvm.call
func.func private @inner(%context: !llvm.ptr) {
  func.call @kernel(%context) : (!llvm.ptr) -> () loc("a")
  func.call @kernel(%context) : (!llvm.ptr) -> () loc("b")
  return
}
