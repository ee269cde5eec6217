// RUN: vta-opt %s --vta-factor-weights=hw=%S/Inputs/narrow.yaml | FileCheck %s
// RUN: vta-opt %s --vta-factor-weights | FileCheck %s --check-prefix=BYTES
// RUN: vta-opt %s --vta-factor-weights=hw=%S/Inputs/narrow.yaml --vta-narrow-weights=hw=%S/Inputs/narrow.yaml \
// RUN:   | FileCheck %s --check-prefix=PACKED

// Outputs 0 to 3 have the factors 3 and 5, 2 and 2, 1 and 7, and any: all weights are 0. Between the two input blocks
// sums are multiplied by 3/5, 1 and 1/7 modulo 2^32. Behind the last block come the factors of that block.
// CHECK-LABEL: func.func @main
// CHECK: %[[PARAMS:.*]] = arith.constant dense<{{\[\[\[\[}}10, 20, 30, 40{{\]\]\], \[\[\[}}1717986919, 1, -1227133513, 1{{\]\]\], \[\[\[}}5, 2, 7, 1{{\]\]\]\]}}> : tensor<3x1x1x4xi32>
// CHECK: %[[WEIGHTS:.*]] = arith.constant dense<{{.*}}7, -8], [1, 6{{.*}}> : tensor<1x2x1x1x4x2xi8>
// CHECK: vta.kernel @k_ref_factors(%{{.*}}) weight(%[[WEIGHTS]] : {{.*}}) param(%[[PARAMS]]
// CHECK-SAME: num_params = 3
// CHECK-SAME: factor_blocks = 1
// Weights that fit have none.
// CHECK: vta.kernel @k_ref(
// CHECK-NOT: factor_blocks
// CHECK: func.func private @k_ref_factors(%arg0: {{.*}}, %[[W:.*]]: tensor<1x2x1x1x4x2xi8>, %[[P:.*]]: tensor<3x1x1x4xi32>)
// CHECK: %[[BEHIND:.*]] = tensor.extract_slice %[[P]][1, 0, 0, 0] [2, 1, 1, 4]
// CHECK: linalg.generic {{.*}} ins(%[[BEHIND]]
// CHECK: %[[PRODUCTS:.*]] = linalg.generic {{.*}} ins(%[[W]]
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[P]][0, 0, 0, 0] [1, 1, 1, 4]
// CHECK: %[[VECTOR:.*]] = tensor.collapse_shape %[[OWN]]
// CHECK: tensor.extract_slice %[[PRODUCTS]]

// BYTES-NOT: factor

// PACKED: vta.kernel @k_ref_factors_narrow(
// PACKED: vta.kernel @k_ref_narrow(

func.func @main(%x: tensor<1x2x1x1x1x2xi8>) -> (tensor<1x1x1x1x1x4xi8>, tensor<1x1x1x1x1x4xi8>) {
  %p = arith.constant dense<[[[[10, 20, 30, 40]]]]> : tensor<1x1x1x4xi32>
  %w = arith.constant dense<[[[[[[21, -24], [2, 12], [1, 0], [0, 0]]]], [[[[35, 5], [0, -16], [49, 7], [0, 0]]]]]]> : tensor<1x2x1x1x4x2xi8>
  %v = arith.constant dense<7> : tensor<1x2x1x1x4x2xi8>
  %a = vta.kernel @k_ref(%x) weight(%w : tensor<1x2x1x1x4x2xi8>) param(%p : tensor<1x1x1x4xi32>) {
      desc = #vta.kernel<contraction, name = "a", geometry = {in_channel_blocks = 2}, num_params = 1,
                         epilogue = [add param 0], bias_exceeds_results = true>,
      layer = "a", op = "Conv", macs = 0 : i64} : tensor<1x2x1x1x1x2xi8> -> tensor<1x1x1x1x1x4xi8>
  %b = vta.kernel @k_ref(%x) weight(%v : tensor<1x2x1x1x4x2xi8>) param(%p : tensor<1x1x1x4xi32>) {
      desc = #vta.kernel<contraction, name = "b", geometry = {in_channel_blocks = 2}, num_params = 1,
                         epilogue = [add param 0]>,
      layer = "b", op = "Conv", macs = 0 : i64} : tensor<1x2x1x1x1x2xi8> -> tensor<1x1x1x1x1x4xi8>
  return %a, %b : tensor<1x1x1x1x1x4xi8>, tensor<1x1x1x1x1x4xi8>
}
func.func private @k_ref(%x: tensor<1x2x1x1x1x2xi8>, %w: tensor<1x2x1x1x4x2xi8>, %p: tensor<1x1x1x4xi32>) -> tensor<1x1x1x1x1x4xi8> attributes {vta.reference} {
  %bias = tensor.collapse_shape %p [[0, 1, 2, 3]] : tensor<1x1x1x4xi32> into tensor<4xi32>
  %first = tensor.extract_slice %w[0, 0, 0, 0, 0, 0] [1, 1, 1, 1, 4, 1] [1, 1, 1, 1, 1, 1] : tensor<1x2x1x1x4x2xi8> to tensor<4xi8>
  %sum = linalg.map { arith.addi } ins(%bias, %bias : tensor<4xi32>, tensor<4xi32>) outs(%bias : tensor<4xi32>)
  %back = tensor.expand_shape %first [[0, 1, 2, 3, 4, 5]] output_shape [1, 1, 1, 1, 1, 4] : tensor<4xi8> into tensor<1x1x1x1x1x4xi8>
  return %back : tensor<1x1x1x1x1x4xi8>
}
