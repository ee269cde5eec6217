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
