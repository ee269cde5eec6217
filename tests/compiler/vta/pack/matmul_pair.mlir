// RUN: vta-opt %s --vta-partition --vta-pack --vta-tensorise --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-partition --vta-pack=hw=%configs/hw/batched-4x16x16.yaml --split-input-file | FileCheck %s --check-prefix=BATCH

// Batches are groups of channels of one kernel. The host lays the second operand out as weights, with zeros
// past its rows and columns, and puts the bias in front of the parameters.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = graph.pad constant %arg0 {high = array<i64: 0, 0, 12>{{.*}} -> tensor<2x40x32xi8>
// CHECK: %[[T:.*]] = graph.transpose %[[X]] {permutation = array<i64: 1, 0, 2>}
// CHECK: %[[R:.*]] = graph.reshape %[[T]] : (tensor<40x2x32xi8>) -> tensor<40x64xi8>
// CHECK: %[[P:.*]] = vta.pack %[[R]] : tensor<40x64xi8> -> tensor<1x4x1x40x1x16xi8>
// CHECK: %[[Y:.*]] = graph.pad constant %arg1 {high = array<i64: 0, 12, 6>{{.*}} -> tensor<2x32x48xi8>
// CHECK: %[[S:.*]] = graph.reshape %[[Y]] : (tensor<2x32x48xi8>) -> tensor<2x2x16x3x16xi8>
// CHECK: %[[U:.*]] = graph.transpose %[[S]] {permutation = array<i64: 0, 3, 1, 4, 2>}
// CHECK: %[[W:.*]] = graph.reshape %[[U]] : (tensor<2x3x2x16x16xi8>) -> tensor<6x2x1x1x16x16xi8>
// CHECK: %[[Z:.*]] = graph.pad constant %arg2 {high = array<i64: 0, 0, 6>
// CHECK: %[[L:.*]] = graph.reshape %[[Z]] : (tensor<2x1x48xi32>) -> tensor<1x6x1x16xi32>
// CHECK: %[[B:.*]] = graph.concat %[[L]], %{{.*}} {axis = 0 : i64} : {{.*}} -> tensor<2x6x1x16xi32>
// CHECK: vta.kernel @vta_scores_ref(%[[P]]) weight(%[[W]] : tensor<6x2x1x1x16x16xi8>)
// CHECK-SAME: param(%[[B]] : tensor<2x6x1x16xi32>)
// CHECK-SAME: in_channel_blocks = 4, out_channel_blocks = 6, groups = 2
// CHECK-SAME: epilogue = [add param 0, qmul param 1 imm 20]
// CHECK: vta.unpack {{.*}} -> tensor<40x96xi8>
// CHECK: graph.slice {{.*}} -> tensor<2x40x42xi8>
// BATCH-LABEL: func.func @main
// BATCH: vta.pack {{.*}} -> tensor<1x4x1x10x4x16xi8>
// BATCH: graph.expand {{.*}} : (tensor<1x6x1x16xi32>) -> tensor<1x6x4x16xi32>
func.func @main(%x: tensor<2x40x20xi8>, %y: tensor<2x20x42xi8>, %b: tensor<2x1x42xi32>) -> tensor<2x40x42xi8> {
  %k = arith.constant dense<999> : tensor<1xi32>
  %m = graph.matmul %x, %y : (tensor<2x40x20xi8>, tensor<2x20x42xi8>) -> tensor<2x40x42xi32> loc("scores")
  %a = graph.binary add %m, %b : (tensor<2x40x42xi32>, tensor<2x1x42xi32>) -> tensor<2x40x42xi32>
  %q = graph.qmul %a, %k {shift = 20 : i64} : (tensor<2x40x42xi32>, tensor<1xi32>) -> tensor<2x40x42xi32>
  %r = graph.cast %q : (tensor<2x40x42xi32>) -> tensor<2x40x42xi8>
  return %r : tensor<2x40x42xi8>
}

// -----

// Heads that are taken apart behind one kernel and put together in front of the next move nowhere.
// CHECK-LABEL: func.func @main
// CHECK: %[[Q:.*]] = vta.kernel @vta_query_ref
// CHECK: vta.kernel @vta_values_ref(%[[Q]]) weight
// CHECK-NOT: vta.unpack
// CHECK: vta.kernel @vta_query_ref
func.func @main(%x: tensor<32x32xi8>, %v: tensor<2x16x16xi8>) -> tensor<32x32xi8> {
  %w = arith.constant dense<1> : tensor<32x32xi8>
  %a = graph.matmul %x, %w : (tensor<32x32xi8>, tensor<32x32xi8>) -> tensor<32x32xi32> loc("query")
  %b = graph.cast %a : (tensor<32x32xi32>) -> tensor<32x32xi8>
  %c = graph.reshape %b : (tensor<32x32xi8>) -> tensor<1x32x2x16xi8>
  %d = graph.transpose %c {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x32x2x16xi8>) -> tensor<1x2x32x16xi8>
  %e = graph.reshape %d : (tensor<1x2x32x16xi8>) -> tensor<2x32x16xi8>
  %f = graph.matmul %e, %v : (tensor<2x32x16xi8>, tensor<2x16x16xi8>) -> tensor<2x32x16xi32> loc("values")
  %g = graph.cast %f : (tensor<2x32x16xi32>) -> tensor<2x32x16xi8>
  %h = graph.transpose %g {permutation = array<i64: 1, 0, 2>} : (tensor<2x32x16xi8>) -> tensor<32x2x16xi8>
  %i = graph.reshape %h : (tensor<32x2x16xi8>) -> tensor<32x32xi8>
  %j = graph.matmul %i, %w : (tensor<32x32xi8>, tensor<32x32xi8>) -> tensor<32x32xi32> loc("project")
  %k = graph.cast %j : (tensor<32x32xi32>) -> tensor<32x32xi8>
  return %k : tensor<32x32xi8>
}

// -----

// Two heads that change places do.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = vta.kernel @vta_a_ref
// CHECK: vta.unpack %[[A]]
// CHECK: %[[P:.*]] = vta.pack
// CHECK: vta.kernel @vta_a_ref(%[[P]])
func.func @main(%x: tensor<16x256xi8>) -> tensor<16x256xi8> {
  %a = graph.clip_int %x {min = 0 : i64, max = 6 : i64} : (tensor<16x256xi8>) -> tensor<16x256xi8> loc("a")
  %b = graph.reshape %a : (tensor<16x256xi8>) -> tensor<16x16x16xi8>
  %c = graph.transpose %b {permutation = array<i64: 1, 0, 2>} : (tensor<16x16x16xi8>) -> tensor<16x16x16xi8>
  %d = graph.reshape %c : (tensor<16x16x16xi8>) -> tensor<16x256xi8>
  %e = graph.clip_int %d {min = 0 : i64, max = 6 : i64} : (tensor<16x256xi8>) -> tensor<16x256xi8> loc("b")
  return %e : tensor<16x256xi8>
}
