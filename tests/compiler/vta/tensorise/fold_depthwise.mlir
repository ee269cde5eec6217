// RUN: vta-opt %s --vta-fold-depthwise=hw=%S/Inputs/depthwise.yaml | FileCheck %s

// Even channels have their taps in the lower half of the multipliers, odd ones in the upper half.
// CHECK-LABEL: func.func @main
// CHECK: arith.constant dense<{{\[\[\[\[\[\[}}1, 5, 0, 0], [0, 0, 2, 6], [3, 7, 0, 0], [0, 0, 4, 8]{{\]\]\]\]\]}}> : tensor<1x1x1x1x4x4xi8>
// CHECK: vta.kernel @k_ref_depthwise
// CHECK-SAME: fold_taps = 2, fold_pitch = 2
// A weight for another pair: the kernel stays as it is.
// CHECK: vta.kernel @k_ref(
// CHECK-NOT: fold_taps
// CHECK: func.func private @k_ref_depthwise(%arg0: tensor<1x1x1x4x1x4xi8>, %[[FOLDED:.*]]: tensor<1x1x1x1x4x4xi8>)
// CHECK: %[[BEFORE:.*]] = linalg.generic
// CHECK: tensor.extract %[[FOLDED]]

func.func @main(%x: tensor<1x1x1x4x1x4xi8>) -> (tensor<1x1x1x3x1x4xi8>, tensor<1x1x1x3x1x4xi8>) {
  %w = arith.constant dense<[[[[[[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 4]], [[5, 0, 0, 0], [0, 6, 0, 0], [0, 0, 7, 0], [0, 0, 0, 8]]]]]]> : tensor<1x1x1x2x4x4xi8>
  %v = arith.constant dense<[[[[[[1, 0, 9, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 4]], [[5, 0, 0, 0], [0, 6, 0, 0], [0, 0, 7, 0], [0, 0, 0, 8]]]]]]> : tensor<1x1x1x2x4x4xi8>
  %a = vta.kernel @k_ref(%x) weight(%w : tensor<1x1x1x2x4x4xi8>) {
      desc = #vta.kernel<contraction, name = "a", geometry = {in_width = 4, out_width = 3, kernel_width = 2}>,
      layer = "a", op = "Conv", macs = 0 : i64} : tensor<1x1x1x4x1x4xi8> -> tensor<1x1x1x3x1x4xi8>
  %b = vta.kernel @k_ref(%x) weight(%v : tensor<1x1x1x2x4x4xi8>) {
      desc = #vta.kernel<contraction, name = "b", geometry = {in_width = 4, out_width = 3, kernel_width = 2}>,
      layer = "b", op = "Conv", macs = 0 : i64} : tensor<1x1x1x4x1x4xi8> -> tensor<1x1x1x3x1x4xi8>
  return %a, %b : tensor<1x1x1x3x1x4xi8>, tensor<1x1x1x3x1x4xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x4x1x4xi8>, %w: tensor<1x1x1x2x4x4xi8>) -> tensor<1x1x1x3x1x4xi8> attributes {vta.reference} {
  %first = tensor.extract_slice %w[0, 0, 0, 0, 0, 0] [1, 1, 1, 1, 1, 4] [1, 1, 1, 1, 1, 1] : tensor<1x1x1x2x4x4xi8> to tensor<1x1x1x1x1x4xi8>
  %out = tensor.extract_slice %x[0, 0, 0, 0, 0, 0] [1, 1, 1, 3, 1, 4] [1, 1, 1, 1, 1, 1] : tensor<1x1x1x4x1x4xi8> to tensor<1x1x1x3x1x4xi8>
  return %out : tensor<1x1x1x3x1x4xi8>
}
