// RUN: vta-opt %s --vta-partition --vta-pack --vta-tensorise --split-input-file | FileCheck %s

// What the host computes from a kernel's result goes back to the accelerator where that pays. A vector has one product
// with each weight, and the weights are moved for it: the product of a recurrent step stays on the host.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel {{.*}}name = "first"
// CHECK: graph.unary tanh
// CHECK: graph.matmul {{.*}}moving its data costs more than its products
// CHECK-NOT: vta.kernel
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
