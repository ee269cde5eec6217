// RUN: vta-opt %s --gpu-round-divisions | FileCheck %s

// What becomes an integer is the corrected quotient, what stays a float the device's own.
// CHECK-LABEL: func.func @quantise
// CHECK: %[[Q:.*]] = arith.divf %arg0, %arg1
// CHECK: arith.bitcast
// CHECK: %[[NEAREST:.*]] = arith.select %{{.*}}, %{{.*}}, %[[Q]] : f32
// CHECK: math.roundeven %[[NEAREST]]
// CHECK: arith.addf %[[Q]], %[[Q]]
func.func @quantise(%x: f32, %y: f32) -> (f32, f32) {
  %q = arith.divf %x, %y : f32
  %r = math.roundeven %q : f32
  %s = arith.addf %q, %q : f32
  return %r, %s : f32, f32
}

// CHECK-LABEL: func.func @others
// CHECK-NEXT: %[[Q:.*]] = arith.divf
// CHECK-NEXT: return %[[Q]]
func.func @others(%x: f32, %y: f32) -> f32 {
  %q = arith.divf %x, %y : f32
  return %q : f32
}
