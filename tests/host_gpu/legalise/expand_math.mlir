// RUN: vta-opt %s --gpu-expand-math | FileCheck %s

// CHECK-LABEL: func.func @functions
// CHECK-NOT: math.erf
// CHECK-NOT: math.tanh
// CHECK-NOT: math.log1p
// CHECK-NOT: math.asinh
// CHECK: return
func.func @functions(%x: f32) -> (f32, f32, f32, f32) {
  %a = math.erf %x : f32
  %b = math.tanh %x : f32
  %c = math.log1p %x : f32
  %d = math.asinh %x : f32
  return %a, %b, %c, %d : f32, f32, f32, f32
}

// Every device has these.
// CHECK-LABEL: func.func @own
// CHECK: math.sqrt
// CHECK: math.floor
// CHECK: math.roundeven
func.func @own(%x: f32) -> (f32, f32, f32) {
  %a = math.sqrt %x : f32
  %b = math.floor %x : f32
  %c = math.roundeven %x : f32
  return %a, %b, %c : f32, f32, f32
}

// CHECK-LABEL: func.func @arcs
// CHECK-NOT: math.asin
// CHECK-NOT: math.acos
// CHECK: math.sqrt
func.func @arcs(%x: f32) -> (f32, f32) {
  %a = math.asin %x : f32
  %b = math.acos %x : f32
  return %a, %b : f32, f32
}

// Eight bits a round.
// CHECK-LABEL: func.func @remainder
// CHECK-NOT: arith.remf
// CHECK: scf.for
// CHECK: arith.shli
// CHECK: arith.remui
func.func @remainder(%x: f32, %y: f32) -> f32 {
  %r = arith.remf %x, %y : f32
  return %r : f32
}

// A round for each bit of the exponent but its sign.
// CHECK-LABEL: func.func @power
// CHECK: %[[rounds:.*]] = arith.constant 15 : index
// CHECK-NOT: math.ipowi
// CHECK: scf.for {{.*}} to %[[rounds]]
func.func @power(%x: i16, %y: i16) -> i16 {
  %r = math.ipowi %x, %y : i16
  return %r : i16
}

// CHECK-LABEL: func.func @low_word
// CHECK-NOT: i64
// CHECK: return
func.func @low_word(%x: f32) -> i32 {
  %w = arith.fptosi %x : f32 to i64
  %r = arith.trunci %w : i64 to i32
  return %r : i32
}
