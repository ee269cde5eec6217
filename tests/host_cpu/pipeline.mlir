// RUN: vta-opt %s --host-cpu-pipeline | FileCheck %s

// All stages: one function of the LLVM dialect with bare pointers, which carries the attribute of an
// entry point.
// CHECK: llvm.func @main(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr) attributes {vta.entry}
// CHECK-NOT: graph.
// CHECK-NOT: memref.
// CHECK: llvm.return
func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = func.call @double(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func private @double(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.binary add %x, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
