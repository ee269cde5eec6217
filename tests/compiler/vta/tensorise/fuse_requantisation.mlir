// RUN: vta-opt %s --vta-fuse-requantisation=hw=%S/Inputs/requant.yaml | FileCheck %s
// RUN: vta-opt %s --vta-fuse-requantisation | FileCheck %s --check-prefix=LACKS

// The shift, 20, is above the multipliers, and each bias is behind its multiplier.
// CHECK-LABEL: func.func @main
// CHECK: arith.constant dense<{{.*}}> : tensor<2x2x1x16xi32>
// CHECK: vta.kernel @k_ref_requant
// CHECK-SAME: num_params = 2, epilogue = [requant param 0 imm 32640]
// CHECK: vta.kernel @k_ref_requant
// CHECK-NOT: func.func private @k_ref(
// CHECK: func.func private @k_ref_requant(%arg0: tensor<1x2x1x3x1x16xi8>, %[[FUSED:.*]]: tensor<2x2x1x16xi32>)
// CHECK: tensor.collapse_shape %[[FUSED]]
// CHECK: tensor.insert_slice {{.*}} into {{.*}}[1, 0, 0, 0]
// CHECK: tensor.insert_slice {{.*}} into {{.*}}[0, 0, 0, 0]
// LACKS: epilogue = [add param 0, qmul param 1 imm 20, clip imm 32640]

func.func @main(%x: tensor<1x2x1x3x1x16xi8>) -> (tensor<1x2x1x3x1x16xi8>, tensor<1x2x1x3x1x16xi8>) {
  %p = arith.constant dense<[[[[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]], [[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]]], [[[9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]], [[9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]]]]> : tensor<2x2x1x16xi32>
  %a = vta.kernel @k_ref(%x) param(%p : tensor<2x2x1x16xi32>) {
      desc = #vta.kernel<elementwise, name = "a", geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2, in_width = 3, out_width = 3}, num_params = 2, epilogue = [add param 0, qmul param 1 imm 20, clip imm 32640]>,
      layer = "a", op = "Add", macs = 0 : i64} : tensor<1x2x1x3x1x16xi8> -> tensor<1x2x1x3x1x16xi8>
  %b = vta.kernel @k_ref(%a) param(%p : tensor<2x2x1x16xi32>) {
      desc = #vta.kernel<elementwise, name = "b", geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2, in_width = 3, out_width = 3}, num_params = 2, epilogue = [add param 0, qmul param 1 imm 20, clip imm 32640]>,
      layer = "b", op = "Add", macs = 0 : i64} : tensor<1x2x1x3x1x16xi8> -> tensor<1x2x1x3x1x16xi8>
  return %a, %b : tensor<1x2x1x3x1x16xi8>, tensor<1x2x1x3x1x16xi8>
}
func.func private @k_ref(%x: tensor<1x2x1x3x1x16xi8>, %p: tensor<2x2x1x16xi32>) -> tensor<1x2x1x3x1x16xi8> attributes {vta.reference} {
  %c = tensor.extract_slice %p[0, 0, 0, 0] [1, 2, 1, 16] [1, 1, 1, 1] : tensor<2x2x1x16xi32> to tensor<1x2x1x16xi32>
  return %x : tensor<1x2x1x3x1x16xi8>
}
