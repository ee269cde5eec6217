// RUN: vta-opt %s --vta-partition --vta-pack | FileCheck %s
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
