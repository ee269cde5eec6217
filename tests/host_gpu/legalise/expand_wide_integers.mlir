// RUN: vta-opt %s --gpu-expand-wide-integers --canonicalize | FileCheck %s

// The high word lends one to the low word.
// CHECK-LABEL: func.func @difference
// CHECK: %[[BORROWS:.*]] = arith.cmpi ult, %[[A:.*]], %[[B:.*]] : i32
// CHECK: %[[ONE:.*]] = arith.extui %[[BORROWS]] : i1 to i32
// CHECK-DAG: arith.subi %[[A]], %[[B]] : i32
// CHECK-DAG: arith.subi %{{.*}}, %[[ONE]] : i32
// CHECK-NOT: arith.subi {{.*}} : i64
// CHECK: return
func.func @difference(%x: i64, %y: i64) -> i64 {
  %d = arith.subi %x, %y : i64
  return %d : i64
}

// No word is shifted by 32 bits. Shifts by known amounts are left to MLIR's pass.
// CHECK-LABEL: func.func @shift
// CHECK: %[[IN_WORD:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK: %[[REST:.*]] = arith.subi %c31_i32, %[[IN_WORD]]
// CHECK: %[[HALVED:.*]] = arith.shrui %{{.*}}, %c1_i32
// CHECK: arith.shrui %[[HALVED]], %[[REST]]
// CHECK: arith.shli %{{.*}}, %c3_i64
func.func @shift(%x: i64, %n: i64) -> (i64, i64) {
  %c3 = arith.constant 3 : i64
  %a = arith.shli %x, %n : i64
  %b = arith.shli %x, %c3 : i64
  return %a, %b : i64, i64
}

// A division goes through the 64 bits; the loop carries words.
// CHECK-LABEL: func.func @divide
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[R:.*]]:4 = scf.for %{{.*}} = %{{.*}} to %[[C64]] {{.*}} -> (i32, i32, i32, i32) {
// CHECK: arith.cmpi uge
// CHECK-NOT: arith.divui
// CHECK: return
func.func @divide(%x: i64, %y: i64) -> i64 {
  %q = arith.divui %x, %y : i64
  return %q : i64
}

// The remainder has the sign of what is divided.
// CHECK-LABEL: func.func @remainder
// CHECK-SAME: %[[X:.*]]: i64, %[[Y:.*]]: i64
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK: %[[R:.*]]:4 = scf.for
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[X]], %[[C0]]
// CHECK: arith.select %[[BELOW]], %{{.*}}, %{{.*}} : i64
func.func @remainder(%x: i64, %y: i64) -> i64 {
  %r = arith.remsi %x, %y : i64
  return %r : i64
}

// Both summands are whole, so that the sum alone is rounded.
// CHECK-LABEL: func.func @to_float
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 0x4B800000 : f32
// CHECK: %[[UPPER:.*]] = arith.mulf %{{.*}}, %[[SCALE]] : f32
// CHECK: arith.addf %[[UPPER]], %{{.*}} : f32
// CHECK: arith.negf
func.func @to_float(%x: i64) -> f32 {
  %f = arith.sitofp %x : i64 to f32
  return %f : f32
}

// CHECK-LABEL: func.func @from_float
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.shli %{{.*}}, %{{.*}} : i64
// CHECK-NOT: arith.fptosi
// CHECK: return
func.func @from_float(%x: f32) -> i64 {
  %i = arith.fptosi %x : f32 to i64
  return %i : i64
}

// What is outside of 32 bits stays outside of every tensor.
// CHECK-LABEL: func.func @position
// CHECK-SAME: %[[X:.*]]: i64
// CHECK-DAG: %[[MOST:.*]] = arith.constant 2147483647 : i64
// CHECK-DAG: %[[LEAST:.*]] = arith.constant -2147483648 : i64
// CHECK: %[[A:.*]] = arith.maxsi %[[X]], %[[LEAST]]
// CHECK: %[[B:.*]] = arith.minsi %[[A]], %[[MOST]]
// CHECK: %[[C:.*]] = arith.trunci %[[B]] : i64 to i32
// CHECK: arith.index_cast %[[C]] : i32 to index
func.func @position(%x: i64) -> index {
  %i = arith.index_cast %x : i64 to index
  return %i : index
}

// CHECK-LABEL: func.func @branch
// CHECK: scf.if {{.*}} -> (f32, i32, i32) {
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}} : f32, i32, i32
// CHECK: } else {
// CHECK: return %{{.*}}, %{{.*}} : f32, i64
func.func @branch(%c: i1, %x: i64, %y: i64, %f: f32) -> (f32, i64) {
  %r:2 = scf.if %c -> (f32, i64) {
    %s = arith.addi %x, %y : i64
    scf.yield %f, %s : f32, i64
  } else {
    %g = arith.negf %f : f32
    scf.yield %g, %y : f32, i64
  }
  return %r#0, %r#1 : f32, i64
}

// Loops of other types stay.
// CHECK-LABEL: func.func @other
// CHECK: scf.for {{.*}} -> (i32) {
// CHECK: arith.divui %{{.*}}, %{{.*}} : i32
func.func @other(%x: i32, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %x) -> (i32) {
    %s = arith.divui %m, %x : i32
    scf.yield %s : i32
  }
  return %r : i32
}
