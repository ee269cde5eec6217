// RUN: vta-opt %s --vta-narrow-weights=hw=%S/Inputs/narrow.yaml | FileCheck %s
// RUN: vta-opt %s --vta-narrow-weights | FileCheck %s --check-prefix=BYTES

// Two weights a byte, the first in the low bits; both kernels share the reference that unpacks them.
// CHECK-LABEL: func.func @main
// CHECK: arith.constant dense<{{\[\[\[\[\[}}33, -13, 120, 15{{\]\]\]\]\]}}> : tensor<1x1x1x1x4xi8>
// CHECK: vta.kernel @k_ref_narrow(
// CHECK-SAME: weight_width_bits = 4
// CHECK: arith.constant dense<0> : tensor<1x1x1x1x4xi8>
// CHECK: vta.kernel @k_ref_narrow(
// CHECK: func.func private @k_ref_narrow(%arg0: tensor<1x1x1x1x1x2xi8>, %[[PACKED:.*]]: tensor<1x1x1x1x4xi8>)
// CHECK: linalg.generic
// CHECK: %[[BYTE:.*]] = tensor.extract %[[PACKED]]
// CHECK: %[[TOP:.*]] = arith.shli %[[BYTE]]
// CHECK: arith.shrsi %[[TOP]]
// CHECK-NOT: @k_ref(

// Hardware with weights of 8 bits.
// BYTES-NOT: weight_width_bits
// BYTES-NOT: narrow

func.func @main(%x: tensor<1x1x1x1x1x2xi8>) -> (tensor<1x1x1x1x1x4xi8>, tensor<1x1x1x1x1x4xi8>) {
  %w = arith.constant dense<[[[[[[1, 2], [3, -1], [-8, 7], [-1, 0]]]]]]> : tensor<1x1x1x1x4x2xi8>
  %v = arith.constant dense<0> : tensor<1x1x1x1x4x2xi8>
  %a = vta.kernel @k_ref(%x) weight(%w : tensor<1x1x1x1x4x2xi8>) {
      desc = #vta.kernel<contraction, name = "a", geometry = {}>,
      layer = "a", op = "Conv", macs = 0 : i64} : tensor<1x1x1x1x1x2xi8> -> tensor<1x1x1x1x1x4xi8>
  %b = vta.kernel @k_ref(%x) weight(%v : tensor<1x1x1x1x4x2xi8>) {
      desc = #vta.kernel<contraction, name = "b", geometry = {}>,
      layer = "b", op = "Conv", macs = 0 : i64} : tensor<1x1x1x1x1x2xi8> -> tensor<1x1x1x1x1x4xi8>
  return %a, %b : tensor<1x1x1x1x1x4xi8>, tensor<1x1x1x1x1x4xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x1x1x2xi8>, %w: tensor<1x1x1x1x4x2xi8>) -> tensor<1x1x1x1x1x4xi8> attributes {vta.reference} {
  %first = tensor.extract_slice %w[0, 0, 0, 0, 0, 0] [1, 1, 1, 1, 4, 1] [1, 1, 1, 1, 1, 1] : tensor<1x1x1x1x4x2xi8> to tensor<1x1x1x1x4x1xi8>
  %out = tensor.collapse_shape %first [[0], [1], [2], [3], [4, 5]] : tensor<1x1x1x1x4x1xi8> into tensor<1x1x1x1x4xi8>
  %back = tensor.expand_shape %out [[0], [1], [2], [3], [4, 5]] output_shape [1, 1, 1, 1, 1, 4] : tensor<1x1x1x1x4xi8> into tensor<1x1x1x1x1x4xi8>
  return %back : tensor<1x1x1x1x1x4xi8>
}
