// RUN: vta-opt %s --vta-partition --vta-pack --vta-tensorise | FileCheck %s

// A convolution and the maximum pooling behind it, as one kernel: the accumulators are pooled, then
// requantised.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_fused_ref
// CHECK-SAME: out_height = 17, out_width = 16
// CHECK-SAME: pool = {out_height = 9, out_width = 8, kernel_height = 3, kernel_width = 3, stride_y = 2, stride_x = 2, pad_top = 1, pad_left = 1}
// CHECK-SAME: op = "Conv+MaxPool"
func.func @main(%x: tensor<1x16x17x16xi8>) -> (tensor<1x16x9x8xi8>) {
  %w = arith.constant dense<1> : tensor<16x16x3x3xi8>
  %up = arith.constant dense<99999> : tensor<1xi32>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x17x16xi8>, tensor<16x16x3x3xi8>) -> tensor<1x16x17x16xi32> loc("fused")
  %q = graph.qmul %c, %up {shift = 24 : i64} : (tensor<1x16x17x16xi32>, tensor<1xi32>) -> tensor<1x16x17x16xi32>
  %k = graph.clip_int %q {min = -128 : i64, max = 127 : i64} : (tensor<1x16x17x16xi32>) -> tensor<1x16x17x16xi32>
  %y = graph.cast %k : (tensor<1x16x17x16xi32>) -> tensor<1x16x17x16xi8>
  %p = graph.max_pool %y {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x17x16xi8>) -> tensor<1x16x9x8xi8>
  return %p : tensor<1x16x9x8xi8>
}
