// RUN: vta-opt %s --vta-partition --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-partition=hw=%S/Inputs/weights_of_4_bits.yaml --split-input-file | FileCheck %s --check-prefix=NARROW

// A product of two activations is a group with two arguments; a bias that is computed is a third.
// Activations do not fit narrow weights.
// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = graph.reduce
// CHECK: call @vta_scores(%arg0, %arg1, %[[B]])
// CHECK-LABEL: func.func private @vta_scores
// CHECK-SAME: (%arg0: tensor<2x32x32xi8>, %arg1: tensor<2x32x32xi8>, %arg2: tensor<2x1x32xi32>)
// CHECK-SAME: vta.macs = 65536 : i64, vta.offload, vta.op = "MatMul"
// NARROW-LABEL: func.func @main
// NARROW: graph.matmul {{.*}}its second operand has 8 bits, and the hardware's weights 4
func.func @main(%x: tensor<2x32x32xi8>, %y: tensor<2x32x32xi8>) -> tensor<2x32x32xi8> {
  %k = arith.constant dense<5> : tensor<1xi32>
  %w = graph.cast %y : (tensor<2x32x32xi8>) -> tensor<2x32x32xi32>
  %b = graph.reduce sum %w {axes = array<i64: 1>} : (tensor<2x32x32xi32>) -> tensor<2x1x32xi32>
  %m = graph.matmul %x, %y : (tensor<2x32x32xi8>, tensor<2x32x32xi8>) -> tensor<2x32x32xi32> loc("scores")
  %a = graph.binary add %m, %b : (tensor<2x32x32xi32>, tensor<2x1x32xi32>) -> tensor<2x32x32xi32>
  %s = graph.shr %a, %k : (tensor<2x32x32xi32>, tensor<1xi32>) -> tensor<2x32x32xi32>
  %r = graph.cast %s : (tensor<2x32x32xi32>) -> tensor<2x32x32xi8>
  return %r : tensor<2x32x32xi8>
}

// -----

// A vector and a matrix: for each product an element is moved.
// CHECK-LABEL: func.func @main
// CHECK: graph.matmul {{.*}}moving its data costs more than its products
func.func @main(%x: tensor<2x1x32xi8>, %y: tensor<2x32x32xi8>) -> tensor<2x1x32xi8> {
  %m = graph.matmul %x, %y : (tensor<2x1x32xi8>, tensor<2x32x32xi8>) -> tensor<2x1x32xi32>
  %r = graph.cast %m : (tensor<2x1x32xi32>) -> tensor<2x1x32xi8>
  return %r : tensor<2x1x32xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: graph.matmul {{.*}}its operands are not two activations with one batch dimension
func.func @main(%x: tensor<2x32x32xi8>) -> tensor<2x32x32xi8> {
  %m = graph.matmul %x, %x : (tensor<2x32x32xi8>, tensor<2x32x32xi8>) -> tensor<2x32x32xi32>
  %r = graph.cast %m : (tensor<2x32x32xi32>) -> tensor<2x32x32xi8>
  return %r : tensor<2x32x32xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: graph.matmul {{.*}}a product of two activations takes no residual
func.func @main(%x: tensor<2x32x32xi8>, %y: tensor<2x32x32xi8>, %z: tensor<2x32x32xi8>) -> tensor<2x32x32xi8> {
  %m = graph.matmul %x, %y : (tensor<2x32x32xi8>, tensor<2x32x32xi8>) -> tensor<2x32x32xi32>
  %e = graph.cast %z : (tensor<2x32x32xi8>) -> tensor<2x32x32xi32>
  %s = graph.binary add %m, %e : (tensor<2x32x32xi32>, tensor<2x32x32xi32>) -> tensor<2x32x32xi32>
  %r = graph.cast %s : (tensor<2x32x32xi32>) -> tensor<2x32x32xi8>
  return %r : tensor<2x32x32xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: graph.matmul {{.*}}a constant differs between columns of a product of two activations
func.func @main(%x: tensor<2x32x32xi8>, %y: tensor<2x32x2xi8>) -> tensor<2x32x2xi8> {
  %k = arith.constant dense<[1, 2]> : tensor<2xi32>
  %m = graph.matmul %x, %y : (tensor<2x32x32xi8>, tensor<2x32x2xi8>) -> tensor<2x32x2xi32>
  %s = graph.binary add %m, %k : (tensor<2x32x2xi32>, tensor<2xi32>) -> tensor<2x32x2xi32>
  %r = graph.cast %s : (tensor<2x32x2xi32>) -> tensor<2x32x2xi8>
  return %r : tensor<2x32x2xi8>
}
