// RUN: vta-opt %s --host-add-context --cpu-block-channels --split-input-file | FileCheck %s

// A convolution is one call of a kernel, with the activation behind it in it; its weights, packed, and
// its bias are arguments. The input is packed with the halo that the padding asks for.
// CHECK-LABEL: func.func @main(%arg0: !llvm.ptr, %arg1: tensor<1x16x8x8xf32>, %arg2: tensor<1x1x3x3x16x16xf32>, %arg3: tensor<1x16xf32>)
// CHECK: call @kernel.pack.1_16_8_8_16_1_1_1_1
// CHECK: call @kernel.conv.1_16_8_8_16_1_1_1_1.1_16_8_8_16_0_0_0_0{{.*}}.relu{{.*}}(%arg0,
// CHECK: call @kernel.unpack
// CHECK-NOT: graph.
// CHECK: return
// CHECK: func.func private @kernel.pack
// CHECK: func.func private @kernel.conv
func.func @main(%x: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
  %w = arith.constant dense<0.5> : tensor<16x16x3x3xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
      : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = graph.unary relu %0 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %1 : tensor<1x16x8x8xf32>
}

// -----

// Without constant weights, nothing is blocked.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: graph.conv
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32> {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
      : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  return %0 : tensor<1x16x8x8xf32>
}
