// RUN: vta-opt %s --gpu-expand-halves --gpu-buffers-to-words --canonicalize | FileCheck %s

// Halves are parts of words, and integers convert them: no device has to know them.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: f16
// CHECK: memref.load
// CHECK: arith.shrui
// CHECK: arith.shli
// CHECK: arith.mulf
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: memref.atomic_rmw
// CHECK-NOT: f16
func.func @halves(%x: memref<64xf16>, %y: memref<64xf16>, %i: index, %c: i1) {
  %a = memref.load %x[%i] : memref<64xf16>
  %b = memref.load %y[%i] : memref<64xf16>
  %s = arith.select %c, %a, %b : f16
  %w = arith.extf %s : f16 to f32
  %n = arith.truncf %w : f32 to f16
  memref.store %n, %x[%i] : memref<64xf16>
  return
}
