// RUN: vta-opt %s --vta-partition --vta-pack --vta-tensorise --split-input-file | FileCheck %s

// What the host computes from a kernel's result goes back to the accelerator where that pays: where the products cost more
// than the way of row and result. A row of 64 has 4096 products with weights, which the accelerator has in its memory.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel {{.*}}name = "first"
// CHECK: graph.unary tanh
// CHECK: vta.kernel {{.*}}name = "second"
func.func @main(%x: tensor<1x64xi8>) -> tensor<1x64xi8> {
  %w = arith.constant dense<1> : tensor<64x64xi8>
  %a = graph.matmul %x, %w : (tensor<1x64xi8>, tensor<64x64xi8>) -> tensor<1x64xi32> loc("first")
  %b = graph.cast %a : (tensor<1x64xi32>) -> tensor<1x64xi8> loc("first")
  %c = graph.dequantize %b {scales = array<f32: 0.5>, zero_points = array<i64: 0>} : (tensor<1x64xi8>) -> tensor<1x64xf32>
  %t = graph.unary tanh %c : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %q = graph.quantize %t {scales = array<f32: 0.5>, zero_points = array<i64: 0>} : (tensor<1x64xf32>) -> tensor<1x64xi8>
  %d = graph.matmul %q, %w : (tensor<1x64xi8>, tensor<64x64xi8>) -> tensor<1x64xi32> loc("second")
  %e = graph.cast %d : (tensor<1x64xi32>) -> tensor<1x64xi8> loc("second")
  return %e : tensor<1x64xi8>
}

// -----

// Three results of a row of 64 have 192 products, less than the way of 67 numbers costs.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel {{.*}}name = "first"
// CHECK: graph.matmul {{.*}}moving its data costs more than its products
// CHECK-NOT: vta.kernel
func.func @main(%x: tensor<1x64xi8>) -> tensor<1x3xi8> {
  %w = arith.constant dense<1> : tensor<64x64xi8>
  %v = arith.constant dense<1> : tensor<64x3xi8>
  %a = graph.matmul %x, %w : (tensor<1x64xi8>, tensor<64x64xi8>) -> tensor<1x64xi32> loc("first")
  %b = graph.cast %a : (tensor<1x64xi32>) -> tensor<1x64xi8> loc("first")
  %c = graph.dequantize %b {scales = array<f32: 0.5>, zero_points = array<i64: 0>} : (tensor<1x64xi8>) -> tensor<1x64xf32>
  %t = graph.unary tanh %c : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %q = graph.quantize %t {scales = array<f32: 0.5>, zero_points = array<i64: 0>} : (tensor<1x64xf32>) -> tensor<1x64xi8>
  %d = graph.matmul %q, %v : (tensor<1x64xi8>, tensor<64x3xi8>) -> tensor<1x3xi32> loc("second")
  %e = graph.cast %d : (tensor<1x3xi32>) -> tensor<1x3xi8> loc("second")
  return %e : tensor<1x3xi8>
}

// -----

// Sixteen vectors share the weights.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel {{.*}}name = "first"
// CHECK: vta.kernel {{.*}}name = "second"
func.func @main(%x: tensor<16x64xi8>) -> tensor<16x64xi8> {
  %w = arith.constant dense<1> : tensor<64x64xi8>
  %a = graph.matmul %x, %w : (tensor<16x64xi8>, tensor<64x64xi8>) -> tensor<16x64xi32> loc("first")
  %b = graph.cast %a : (tensor<16x64xi32>) -> tensor<16x64xi8> loc("first")
  %c = graph.dequantize %b {scales = array<f32: 0.5>, zero_points = array<i64: 0>} : (tensor<16x64xi8>) -> tensor<16x64xf32>
  %t = graph.unary tanh %c : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %q = graph.quantize %t {scales = array<f32: 0.5>, zero_points = array<i64: 0>} : (tensor<16x64xf32>) -> tensor<16x64xi8>
  %d = graph.matmul %q, %w : (tensor<16x64xi8>, tensor<64x64xi8>) -> tensor<16x64xi32> loc("second")
  %e = graph.cast %d : (tensor<16x64xi32>) -> tensor<16x64xi8> loc("second")
  return %e : tensor<16x64xi8>
}
