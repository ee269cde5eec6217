// RUN: vta-opt %s --host-index-width=bits=32 | FileCheck %s
// RUN: vta-opt %s --host-llvm | FileCheck %s --check-prefix=WIDE

// CHECK: module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 32 : i64>>}
// WIDE: llvm.func @main(%arg0: !llvm.ptr, %arg1: i64)
func.func @main(%x: memref<8xf32>, %i: index) {
  %0 = memref.load %x[%i] : memref<8xf32>
  memref.store %0, %x[%i] : memref<8xf32>
  return
}
