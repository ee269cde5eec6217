// RUN: vta-opt %s --vta-partition=hw=%configs/hw/vta-0.0.2.yaml --split-input-file | FileCheck %s

// Groups that hardware 0.0.2 or the ALU cannot do, one reason each.

// CHECK-LABEL: func.func @main
// CHECK: graph.cast {{.*}}Mul: hardware 0.0.2 has no multiplying ALU
func.func @main(%x: tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi8> {
  %k = arith.constant dense<3> : tensor<1xi32>
  %e = graph.cast %x : (tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi32>
  %m = graph.binary mul %e, %k : (tensor<1x16x2x2xi32>, tensor<1xi32>) -> tensor<1x16x2x2xi32>
  %y = graph.cast %m : (tensor<1x16x2x2xi32>) -> tensor<1x16x2x2xi8>
  return %y : tensor<1x16x2x2xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: graph.cast {{.*}}Shr: shift by 16 is outside [-16, 15]
func.func @main(%x: tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi8> {
  %k = arith.constant dense<16> : tensor<1xi32>
  %e = graph.cast %x : (tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi32>
  %m = graph.shr %e, %k : (tensor<1x16x2x2xi32>, tensor<1xi32>) -> tensor<1x16x2x2xi32>
  %y = graph.cast %m : (tensor<1x16x2x2xi32>) -> tensor<1x16x2x2xi8>
  return %y : tensor<1x16x2x2xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: graph.cast {{.*}}Add: an operand is not one constant per channel
func.func @main(%x: tensor<1x2x1x3xi8>) -> tensor<1x2x1x3xi8> {
  %k = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %e = graph.cast %x : (tensor<1x2x1x3xi8>) -> tensor<1x2x1x3xi32>
  %m = graph.binary add %e, %k : (tensor<1x2x1x3xi32>, tensor<3xi32>) -> tensor<1x2x1x3xi32>
  %y = graph.cast %m : (tensor<1x2x1x3xi32>) -> tensor<1x2x1x3xi8>
  return %y : tensor<1x2x1x3xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: graph.cast {{.*}}Div: the ALU has no such operation
func.func @main(%x: tensor<1x2x1x3xi8>) -> tensor<1x2x1x3xi8> {
  %k = arith.constant dense<3> : tensor<1xi32>
  %e = graph.cast %x : (tensor<1x2x1x3xi8>) -> tensor<1x2x1x3xi32>
  %m = graph.binary div %e, %k : (tensor<1x2x1x3xi32>, tensor<1xi32>) -> tensor<1x2x1x3xi32>
  %y = graph.cast %m : (tensor<1x2x1x3xi32>) -> tensor<1x2x1x3xi8>
  return %y : tensor<1x2x1x3xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: graph.cast {{.*}}neither of its operands is an 8-bit activation of its shape
func.func @main(%x: tensor<1x2x1x3xi32>, %r: tensor<1x2x1x3xi32>) -> tensor<1x2x1x3xi8> {
  %m = graph.binary add %x, %r : (tensor<1x2x1x3xi32>, tensor<1x2x1x3xi32>) -> tensor<1x2x1x3xi32>
  %y = graph.cast %m : (tensor<1x2x1x3xi32>) -> tensor<1x2x1x3xi8>
  return %y : tensor<1x2x1x3xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: graph.cast {{.*}}its 32-bit operand comes from outside
func.func @main(%x: tensor<1x2x1x3xi32>) -> tensor<1x2x1x3xi8> {
  %y = graph.cast %x : (tensor<1x2x1x3xi32>) -> tensor<1x2x1x3xi8>
  return %y : tensor<1x2x1x3xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: graph.clip_int {{.*}}its result has no batch and channel axes
func.func @main(%x: tensor<3xi8>) -> tensor<3xi8> {
  %y = graph.clip_int %x {min = 0 : i64, max = 6 : i64} : (tensor<3xi8>) -> tensor<3xi8>
  return %y : tensor<3xi8>
}
