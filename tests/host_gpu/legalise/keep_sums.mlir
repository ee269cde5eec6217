// RUN: vta-opt %s --gpu-keep-sums --split-input-file | FileCheck %s

// The element is loaded in front of both loops and stored behind them.
// CHECK-LABEL: func.func @sum
// CHECK: %[[FIRST:.*]] = memref.load %arg1[%arg2]
// CHECK: %[[OUTER:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[FIRST]]) -> (f32) {
// CHECK-NEXT: %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[B:.*]] = %[[A]]) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[B]], %[[X]]
// CHECK-NEXT: scf.yield %[[S]]
// CHECK: scf.yield %[[INNER]]
// CHECK: memref.store %[[OUTER]], %arg1[%arg2]
// CHECK-NEXT: return
func.func @sum(%x: memref<5x7xf32>, %y: memref<3xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  scf.for %a = %c0 to %c5 step %c1 {
    scf.for %b = %c0 to %c7 step %c1 {
      %s = memref.load %y[%i] : memref<3xf32>
      %v = memref.load %x[%a, %b] : memref<5x7xf32>
      %t = arith.addf %s, %v : f32
      memref.store %t, %y[%i] : memref<3xf32>
    }
  }
  return
}

// -----

// Another place in each iteration, and a load that may be of another element: nothing changes.
// CHECK-LABEL: func.func @others
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: memref.load %arg0
// CHECK-NEXT: memref.store
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: memref.load %arg0
// CHECK-NEXT: memref.store
func.func @others(%x: memref<7xf32>, %i: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %a = %c0 to %c7 step %c1 {
    %v = memref.load %x[%a] : memref<7xf32>
    memref.store %v, %x[%a] : memref<7xf32>
  }
  scf.for %a = %c0 to %c7 step %c1 {
    %v = memref.load %x[%k] : memref<7xf32>
    memref.store %v, %x[%i] : memref<7xf32>
  }
  return
}
