// RUN: vta-opt %s --gpu-expand-functions | FileCheck %s

// CHECK-LABEL: func.func @functions
// CHECK-NOT: math.powf
// CHECK-NOT: math.sin
// CHECK-NOT: math.cos
// CHECK-NOT: math.tan
// CHECK-NOT: math.asinh
// CHECK-NOT: math.acosh
// CHECK: return
func.func @functions(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
  %a = math.powf %x, %y : f32
  %b = math.sin %x : f32
  %c = math.cos %x : f32
  %d = math.tan %x : f32
  %e = math.sinh %x : f32
  %f = math.cosh %x : f32
  %g = math.asinh %x : f32
  %h = math.acosh %x : f32
  return %a, %b, %c, %d, %e, %f, %g, %h : f32, f32, f32, f32, f32, f32, f32, f32
}

// Small numbers are multiplied by 2^64 before their logarithm is taken.
// CHECK-LABEL: func.func @logarithm
// CHECK: %[[SMALL:.*]] = arith.cmpf olt
// CHECK: arith.select %[[SMALL]]
// CHECK: math.log
// CHECK: arith.select %[[SMALL]]
func.func @logarithm(%x: f32) -> f32 {
  %a = math.log %x : f32
  return %a : f32
}

// Other types stay.
// CHECK-LABEL: func.func @doubles
// CHECK: math.sin
func.func @doubles(%x: f64) -> f64 {
  %a = math.sin %x : f64
  return %a : f64
}
