// RUN: vta-opt %s --host-copies-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT: linalg.generic {{.*}} ins(%arg0 : memref<8xf32>) outs(%arg1 : memref<8xf32>)
// CHECK-NOT: memref.copy
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  memref.copy %y, %y : memref<8xf32> to memref<8xf32>
  return
}
