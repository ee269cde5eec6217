// RUN: vta-opt %s --vta-partition --vta-pack --split-input-file | FileCheck %s
// Tables and other element-wise operations between two kernels work on packed tensors.

// CHECK-LABEL: func.func @main
// CHECK: %[[A:[0-9a-z_]+]] = call @{{.*}}_ref({{.*}}) {vta.offload
// CHECK-NOT: vta.unpack
// CHECK: %[[T:[0-9a-z_]+]] = graph.table %[[A]], {{.*}} : (tensor<1x2x4x4x1x16xi8>, tensor<256xi8>) -> tensor<1x2x4x4x1x16xi8>
// CHECK-NOT: vta.pack
// CHECK: %[[U:[0-9a-z_]+]] = graph.table %[[T]], {{.*}}axes = array<i64: 1, 5>{{.*}} : (tensor<1x2x4x4x1x16xi8>, tensor<2x16x256xi8>)
// CHECK-NOT: vta.pack
// CHECK: call @{{.*}}_ref(%[[U]]
func.func @main(%x: tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %w1 = arith.constant dense<1> : tensor<20x16x1x1xi8>
  %w2 = arith.constant dense<2> : tensor<16x20x1x1xi8>
  %t = arith.constant dense<3> : tensor<256xi8>
  %per_channel = arith.constant dense<4> : tensor<20x256xi8>
  %c = graph.conv %x, %w1 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x16x4x4xi8>, tensor<20x16x1x1xi8>) -> tensor<1x20x4x4xi32>
  %a = graph.cast %c : (tensor<1x20x4x4xi32>) -> tensor<1x20x4x4xi8>
  %y = graph.table %a, %t : (tensor<1x20x4x4xi8>, tensor<256xi8>) -> tensor<1x20x4x4xi8>
  %z = graph.table %y, %per_channel {axes = array<i64: 1>}
      : (tensor<1x20x4x4xi8>, tensor<20x256xi8>) -> tensor<1x20x4x4xi8>
  %d = graph.conv %z, %w2 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x20x4x4xi8>, tensor<16x20x1x1xi8>) -> tensor<1x16x4x4xi32>
  %b = graph.cast %d : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  return %b : tensor<1x16x4x4xi8>
}

// -----

// Of two operands, vta-partition takes the one behind a table as the input of a sum. Where the table stays on the host,
// the function does not see it: its input is the other one, and the operands follow.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x16x4x4xi8>, %[[Y:[a-z0-9]+]]: tensor<1x16x4x4xi8>
// CHECK: %[[T:.*]] = graph.table %[[Y]]
// CHECK-DAG: %[[PX:.*]] = vta.pack %[[X]]
// CHECK-DAG: %[[PT:.*]] = vta.pack %[[T]]
// CHECK: call @vta_s_ref(%[[PX]], %[[PT]])
func.func @main(%x: tensor<1x16x4x4xi8>, %y: tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %t = arith.constant dense<3> : tensor<256xi8>
  %one = arith.constant dense<1> : tensor<1xi32>
  %z = graph.table %y, %t : (tensor<1x16x4x4xi8>, tensor<256xi8>) -> tensor<1x16x4x4xi8>
  %a = graph.cast %x : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi32>
  %b = graph.cast %z : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi32>
  %c = graph.shr %b, %one : (tensor<1x16x4x4xi32>, tensor<1xi32>) -> tensor<1x16x4x4xi32>
  %s = graph.binary add %a, %c : (tensor<1x16x4x4xi32>, tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %d = graph.clip_int %s {min = -128 : i64, max = 127 : i64} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %e = graph.cast %d : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8> loc("s")
  return %e : tensor<1x16x4x4xi8>
}
