// RUN: vta-opt %s --vta-partition --vta-pack --vta-tensorise --vta-read-stored-weights --split-input-file | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: vta-opt %s --vta-partition=hw=%S/Inputs/transpose.yaml --vta-pack=hw=%S/Inputs/transpose.yaml --vta-tensorise=hw=%S/Inputs/transpose.yaml --vta-read-stored-weights=hw=%S/Inputs/transpose.yaml --split-input-file | FileCheck %s --check-prefixes=CHECK,TURN

// Keys: a row is an output of the product with queries. Two heads of 16 channels, 32 tokens.
// CHECK-LABEL: func.func @main
// CHECK: %[[K:.*]] = vta.kernel @vta_keys_ref
// CHECK-NOT: vta.unpack
// CHECK: vta.kernel @vta_scores_ref_output_rows({{.*}}) weight(%[[K]] : tensor<1x2x1x32x1x16xi8>)
// CHECK-SAME: weight_layout = output_rows
// The weights of the proof, of a token and a channel of a head.
// CHECK: func.func private @vta_scores_ref_output_rows(%{{.*}}: tensor<1x2x1x64x1x16xi8>, %[[M:.*]]: tensor<1x2x1x32x1x16xi8>)
// CHECK: %[[W:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<4x1x1x1x16x16xi8>)
// CHECK: tensor.extract %[[M]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[W]] :
func.func @main(%x: tensor<32x32xi8>, %q: tensor<2x64x16xi8>) -> tensor<2x64x32xi8> {
  %w = arith.constant dense<1> : tensor<32x32xi8>
  %a = graph.matmul %x, %w : (tensor<32x32xi8>, tensor<32x32xi8>) -> tensor<32x32xi32> loc("keys")
  %b = graph.cast %a : (tensor<32x32xi32>) -> tensor<32x32xi8>
  %c = graph.reshape %b : (tensor<32x32xi8>) -> tensor<32x2x16xi8>
  %d = graph.transpose %c {permutation = array<i64: 1, 2, 0>} : (tensor<32x2x16xi8>) -> tensor<2x16x32xi8>
  %e = graph.matmul %q, %d : (tensor<2x64x16xi8>, tensor<2x16x32xi8>) -> tensor<2x64x32xi32> loc("scores")
  %f = graph.cast %e : (tensor<2x64x32xi32>) -> tensor<2x64x32xi8>
  return %f : tensor<2x64x32xi8>
}

// -----

// Values: a row is an input of the product with probabilities, which takes hardware that transposes.
// CHECK-LABEL: func.func @main
// CHECK: %[[V:.*]] = vta.kernel @vta_values_ref
// PLAIN: graph.transpose
// PLAIN: vta.kernel @vta_mixed_ref({{.*}}) weight(%{{.*}} : tensor<2x2x1x1x16x16xi8>)
// TURN-NOT: graph.transpose {{.*}}array<i64: 0, 3, 1, 4, 2>
// TURN: vta.kernel @vta_mixed_ref_input_rows({{.*}}) weight(%[[V]] : tensor<1x2x1x32x1x16xi8>)
// TURN-SAME: weight_layout = input_rows
func.func @main(%x: tensor<32x32xi8>, %p: tensor<2x64x32xi8>) -> tensor<2x64x16xi8> {
  %w = arith.constant dense<1> : tensor<32x32xi8>
  %a = graph.matmul %x, %w : (tensor<32x32xi8>, tensor<32x32xi8>) -> tensor<32x32xi32> loc("values")
  %b = graph.cast %a : (tensor<32x32xi32>) -> tensor<32x32xi8>
  %c = graph.reshape %b : (tensor<32x32xi8>) -> tensor<32x2x16xi8>
  %d = graph.transpose %c {permutation = array<i64: 1, 0, 2>} : (tensor<32x2x16xi8>) -> tensor<2x32x16xi8>
  %e = graph.matmul %p, %d : (tensor<2x64x32xi8>, tensor<2x32x16xi8>) -> tensor<2x64x16xi32> loc("mixed")
  %f = graph.cast %e : (tensor<2x64x16xi32>) -> tensor<2x64x16xi8>
  return %f : tensor<2x64x16xi8>
}

// -----

// Rows that do not fill a block, and channels in another order, are moved.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_keys_ref
// CHECK: graph.pad
// CHECK: vta.kernel @vta_scores_ref({{.*}}) weight(%{{.*}} : tensor<4x1x1x1x16x16xi8>)
func.func @main(%x: tensor<25x32xi8>, %q: tensor<2x64x16xi8>) -> tensor<2x64x25xi8> {
  %w = arith.constant dense<1> : tensor<32x32xi8>
  %a = graph.matmul %x, %w : (tensor<25x32xi8>, tensor<32x32xi8>) -> tensor<25x32xi32> loc("keys")
  %b = graph.cast %a : (tensor<25x32xi32>) -> tensor<25x32xi8>
  %c = graph.reshape %b : (tensor<25x32xi8>) -> tensor<25x2x16xi8>
  %d = graph.transpose %c {permutation = array<i64: 1, 2, 0>} : (tensor<25x2x16xi8>) -> tensor<2x16x25xi8>
  %e = graph.matmul %q, %d : (tensor<2x64x16xi8>, tensor<2x16x25xi8>) -> tensor<2x64x25xi32> loc("scores")
  %f = graph.cast %e : (tensor<2x64x25xi32>) -> tensor<2x64x25xi8>
  return %f : tensor<2x64x25xi8>
}

// -----

// Heads that alternate between channels.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_keys_ref
// CHECK: vta.unpack
// CHECK: vta.kernel @vta_scores_ref({{.*}}) weight(%{{.*}} : tensor<4x1x1x1x16x16xi8>)
func.func @main(%x: tensor<32x32xi8>, %q: tensor<2x64x16xi8>) -> tensor<2x64x32xi8> {
  %w = arith.constant dense<1> : tensor<32x32xi8>
  %a = graph.matmul %x, %w : (tensor<32x32xi8>, tensor<32x32xi8>) -> tensor<32x32xi32> loc("keys")
  %b = graph.cast %a : (tensor<32x32xi32>) -> tensor<32x32xi8>
  %c = graph.reshape %b : (tensor<32x32xi8>) -> tensor<32x16x2xi8>
  %d = graph.transpose %c {permutation = array<i64: 2, 1, 0>} : (tensor<32x16x2xi8>) -> tensor<2x16x32xi8>
  %e = graph.matmul %q, %d : (tensor<2x64x16xi8>, tensor<2x16x32xi8>) -> tensor<2x64x32xi32> loc("scores")
  %f = graph.cast %e : (tensor<2x64x32xi32>) -> tensor<2x64x32xi8>
  return %f : tensor<2x64x32xi8>
}
