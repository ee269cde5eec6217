// RUN: vta-opt %s --gpu-widen-integers --canonicalize | FileCheck %s

// What may leave the range is wrapped.
// CHECK-LABEL: func.func @sum
// CHECK-DAG: %[[C24:.*]] = arith.constant 24 : i32
// CHECK: %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: %[[UP:.*]] = arith.shli %[[S]], %[[C24]]
// CHECK: arith.shrsi %[[UP]], %[[C24]]
func.func @sum(%x: i32, %y: i32) -> i32 {
  %a = arith.trunci %x : i32 to i8
  %b = arith.trunci %y : i32 to i8
  %s = arith.addi %a, %b : i8
  %t = arith.extsi %s : i8 to i32
  return %t : i32
}

// Unsigned operands are the low bits.
// CHECK-LABEL: func.func @unsigned
// CHECK-DAG: %[[MASK:.*]] = arith.constant 65535 : i32
// CHECK-DAG: %[[A:.*]] = arith.andi %{{.*}}, %[[MASK]]
// CHECK-DAG: %[[B:.*]] = arith.andi %{{.*}}, %[[MASK]]
// CHECK: arith.cmpi ult, %[[A]], %[[B]] : i32
// CHECK: arith.maxui %{{.*}}, %{{.*}} : i32
func.func @unsigned(%x: i32, %y: i32) -> (i1, f32) {
  %a = arith.trunci %x : i32 to i16
  %b = arith.trunci %y : i32 to i16
  %c = arith.cmpi ult, %a, %b : i16
  %d = arith.maxui %a, %b : i16
  %f = arith.uitofp %d : i16 to f32
  return %c, %f : i1, f32
}

// Loops carry wide integers.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} -> (i32) {
// CHECK-NOT: i8
// CHECK: return
func.func @loop(%x: i32, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.trunci %x : i32 to i8
  %least = arith.constant -128 : i8
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %least) -> (i8) {
    %s = arith.maxsi %m, %a : i8
    scf.yield %s : i8
  }
  %t = arith.extsi %r : i8 to i32
  return %t : i32
}
