// RUN: vta-opt %s --vta-partition=hw=%S/Inputs/wide_outputs.yaml --vta-pack=hw=%S/Inputs/wide_outputs.yaml --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-partition=hw=%S/Inputs/wide_outputs.yaml --vta-pack=hw=%S/Inputs/wide_outputs.yaml --vta-tensorise=hw=%S/Inputs/wide_outputs.yaml --split-input-file | FileCheck %s --check-prefix=KERNEL

// Outputs' blocks are two of the inputs'. One kernel reads what the other has stored: a pixel's block is two consecutive
// elements, so rows are twice as wide, and so are windows. Tap (kx, half) is column 2 kx + half.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = call @vta_a_ref({{.*}} : (tensor<1x1x3x4x1x8xi8>, tensor<1x1x1x2x8x4xi8>) -> tensor<1x1x3x4x1x8xi8>
// CHECK-NEXT: call @vta_b_ref(%[[A]], {{.*}} : (tensor<1x1x3x4x1x8xi8>, tensor<1x1x1x6x8x4xi8>) -> tensor<1x1x3x2x1x8xi8>
// CHECK: func.func private @vta_b_ref
// CHECK: tensor.collapse_shape %arg0 {{.*}} : tensor<1x1x3x4x1x8xi8> into tensor<1x1x3x32xi8>
// CHECK: tensor.expand_shape {{.*}} : tensor<1x1x3x32xi8> into tensor<1x1x3x8x1x4xi8>
// CHECK: tensor.pad
// KERNEL-LABEL: func.func @main
// KERNEL: vta.kernel @vta_a_ref
// KERNEL-SAME: geometry = {in_height = 3, in_width = 8, out_height = 3, out_width = 4, kernel_width = 2, stride_x = 2}
// KERNEL: vta.kernel @vta_b_ref
// KERNEL-SAME: geometry = {in_height = 3, in_width = 8, out_height = 3, out_width = 2, kernel_width = 6, stride_x = 4, pad_left = 2}
func.func @main(%x: tensor<1x8x3x4xi8>) -> tensor<1x8x3x2xi8> {
  %v = arith.constant dense<1> : tensor<8x8x1x1xi8>
  %w = arith.constant dense<2> : tensor<8x8x1x3xi8>
  %a = graph.conv %x, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x3x4xi8>, tensor<8x8x1x1xi8>) -> tensor<1x8x3x4xi32> loc("a")
  %s = graph.cast %a : (tensor<1x8x3x4xi32>) -> tensor<1x8x3x4xi8> loc("a")
  %b = graph.conv %s, %w {strides = array<i64: 1, 2>, pads = array<i64: 0, 1, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x3x4xi8>, tensor<8x8x1x3xi8>) -> tensor<1x8x3x2xi32> loc("b")
  %t = graph.cast %b : (tensor<1x8x3x2xi32>) -> tensor<1x8x3x2xi8>
  return %t : tensor<1x8x3x2xi8>
}
