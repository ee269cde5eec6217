// RUN: vta-opt %s --host-expand-exp | FileCheck %s

// Numbers of 32 bits are computed by arithmetic, others by the library.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[LEAST:.*]] = arith.constant -1.050000e+02 : f32
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %arg0, %[[LEAST]] : f32
// CHECK: arith.select %[[ABOVE]], %arg0, %[[LEAST]] : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.shli
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %arg0, %arg0 : f32
// CHECK: %[[Y:.*]] = arith.select %[[NAN]], %arg0, %{{.*}} : f32
// CHECK: %[[Z:.*]] = math.exp %arg1 : f64
// CHECK: return %[[Y]], %[[Z]]
func.func @main(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.exp %x : f32
  %1 = math.exp %y : f64
  return %0, %1 : f32, f64
}
