// RUN: vta-opt %s --vta-partition --vta-pack --vta-tensorise --split-input-file | FileCheck %s

// A curve of one activation: the side is loaded as the residual, and three steps use it. Products
// of a value with itself are steps.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_curve_ref
// CHECK-SAME: epilogue = [mul imm -150, add residual, add residual, add imm -9000, mul self, shr imm 16, mul self, qmul param 0 imm 20, add residual, clip imm 32640]
// CHECK-SAME: residual = [max imm 3, mul imm 150]
// CHECK-NOT: vta.kernel
func.func @main(%x: tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi8> {
  %centre = arith.constant dense<3> : tensor<1xi32>
  %by = arith.constant dense<150> : tensor<1xi32>
  %back = arith.constant dense<-150> : tensor<1xi32>
  %offset = arith.constant dense<-9000> : tensor<1xi32>
  %shift = arith.constant dense<16> : tensor<1xi32>
  %factor = arith.constant dense<-777> : tensor<1xi32>
  %w = graph.cast %x : (tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi32>
  %right = graph.binary max %w, %centre : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %side = graph.binary mul %right, %by : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %a = graph.binary mul %w, %back : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %b = graph.binary add %a, %side : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %c = graph.binary add %side, %b : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %d = graph.binary add %c, %offset : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %e = graph.binary mul %d, %d : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %f = graph.shr %e, %shift : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %g = graph.binary mul %f, %f : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %h = graph.qmul %g, %factor {shift = 20 : i64} : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %i = graph.binary add %h, %side : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %k = graph.clip_int %i {min = -128 : i64, max = 127 : i64} : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %y = graph.cast %k : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi8> loc("curve")
  return %y : tensor<1x16x3x3xi8>
}

// -----

// The side may square too. What else is added, a third function of an activation, is too much for
// one kernel.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_two_ref
// CHECK-SAME: epilogue = [clip imm 896, mul self, add residual, clip imm 32640]
// CHECK-SAME: residual = [max imm 3, mul self]
// CHECK: graph.cast
// CHECK-SAME: vta.reason = "a second residual operand"
func.func @main(%x: tensor<1x16x3x3xi8>) -> (tensor<1x16x3x3xi8>, tensor<1x16x3x3xi8>) {
  %centre = arith.constant dense<3> : tensor<1xi32>
  %w = graph.cast %x : (tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi32>
  %right = graph.binary max %w, %centre : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %r = graph.binary mul %right, %right : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %left = graph.clip_int %w {min = -128 : i64, max = 3 : i64} : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %l = graph.binary mul %left, %left : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %s = graph.binary add %l, %r : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %k = graph.clip_int %s {min = -128 : i64, max = 127 : i64} : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %y = graph.cast %k : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi8> loc("two")
  %t = graph.binary add %s, %right : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %m = graph.clip_int %t {min = -128 : i64, max = 127 : i64} : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %z = graph.cast %m : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi8> loc("three")
  return %y, %z : tensor<1x16x3x3xi8>, tensor<1x16x3x3xi8>
}
