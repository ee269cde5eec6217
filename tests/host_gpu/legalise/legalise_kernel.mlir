// RUN: vta-opt %s --gpu-legalise-kernel | FileCheck %s

// A product of 64 bits becomes one of words; nothing narrower or wider is left.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: (%{{.*}}: memref<4xi32>, %{{.*}}: memref<13xi32>, %{{.*}}: memref<4xi32>, %{{.*}}: index)
// CHECK-NOT: i64
// CHECK-NOT: i8
// CHECK: arith.mului_extended
// CHECK: memref.atomic_rmw ori
// CHECK: return
func.func @kernel(%x: memref<13xi8>, %m: memref<13xi32>, %y: memref<13xi8>, %i: index) {
  %a = memref.load %x[%i] : memref<13xi8>
  %b = memref.load %m[%i] : memref<13xi32>
  %wa = arith.extsi %a : i8 to i64
  %wb = arith.extsi %b : i32 to i64
  %p = arith.muli %wa, %wb : i64
  %c40 = arith.constant 40 : i64
  %s = arith.shrsi %p, %c40 : i64
  %t = arith.trunci %s : i64 to i8
  memref.store %t, %y[%i] : memref<13xi8>
  return
}
