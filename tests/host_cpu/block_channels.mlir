// RUN: vta-opt %s --host-add-context --host-cpu-block-channels=winograd=false --split-input-file | FileCheck %s
// RUN: vta-opt %s --host-add-context --host-cpu-block-channels --split-input-file | FileCheck %s --check-prefix=FEWER

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
//
// With fewer multiplications, weights are transformed, and the kernel has scratch memory: inputs are
// transformed for one product of matrices at each of 36 positions.
// FEWER-LABEL: func.func @main(%arg0: !llvm.ptr, %arg1: tensor<1x16x8x8xf32>, %arg2: tensor<1x36x1x16x16xf32>, %arg3: tensor<1x16xf32>)
// FEWER: %[[SCRATCH:.*]] = memref.alloc() : memref<36x5x16xf32>
// FEWER: %[[OUT:.*]] = memref.alloc() : memref<1x1x8x8x16xf32>
// FEWER: call @kernel.conv{{.*}}.relu{{.*}}_4(%arg0, {{.*}}, %[[SCRATCH]], %[[OUT]])
// FEWER: func.func private @kernel.conv
// FEWER-COUNT-2: scf.parallel
// FEWER-NOT: scf.parallel
// FEWER: return
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

// -----

// A convolution of int8 is one call, with all that makes int8 of its sums: multiplication and clip. Its
// words, and the bias with the constants of these steps, are arguments. The halo holds the padding's value.
// CHECK-LABEL: func.func @main(%arg0: !llvm.ptr, %arg1: tensor<1x16x8x8xi8>, %arg2: tensor<1x1x3x3x4x16xi32>, %arg3: tensor<1x6x16xi32>)
// CHECK: call @kernel.halo.1_16_8_8_16_1_1_1_1_i8.5
// CHECK: call @kernel.pack.1_16_8_8_16_1_1_1_1_i8
// CHECK: call @kernel.conv.1_16_8_8_16_1_1_1_1_i8.1_16_8_8_16_0_0_0_0_i8{{.*}}.scnk{{.*}}(%arg0,
// CHECK: call @kernel.unpack
// CHECK-NOT: graph.
// CHECK: return
func.func @main(%x: tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi8> {
  %w = arith.constant dense<2> : tensor<16x16x3x3xi8>
  %bias = arith.constant dense<7> : tensor<1xi32>
  %factor = arith.constant dense<99> : tensor<1xi32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
      pad_value = 5 : i64} : (tensor<1x16x8x8xi8>, tensor<16x16x3x3xi8>) -> tensor<1x16x8x8xi32>
  %1 = graph.binary add %0, %bias : (tensor<1x16x8x8xi32>, tensor<1xi32>) -> tensor<1x16x8x8xi32>
  %2 = graph.qmul %1, %factor {shift = 15 : i64} : (tensor<1x16x8x8xi32>, tensor<1xi32>) -> tensor<1x16x8x8xi32>
  %3 = graph.clip_int %2 {min = -128 : i64, max = 127 : i64} : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi32>
  %4 = graph.cast %3 : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi8>
  return %4 : tensor<1x16x8x8xi8>
}

// -----

// A factor of a quarter or more: the sums are shifted to the left first, as they have the bits for it.
// CHECK-LABEL: func.func @main(%arg0: !llvm.ptr, %arg1: tensor<1x16x8x8xi8>, %arg2: tensor<1x1x1x1x4x16xi32>, %arg3: tensor<1x7x16xi32>)
// CHECK: call @kernel.conv.{{.*}}.secnk{{.*}}(%arg0,
func.func @main(%x: tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi8> {
  %w = arith.constant dense<2> : tensor<16x16x1x1xi8>
  %factor = arith.constant dense<99> : tensor<1xi32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x16x8x8xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x8x8xi32>
  %1 = graph.qmul %0, %factor {shift = 7 : i64} : (tensor<1x16x8x8xi32>, tensor<1xi32>) -> tensor<1x16x8x8xi32>
  %2 = graph.clip_int %1 {min = -128 : i64, max = 127 : i64} : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi32>
  %3 = graph.cast %2 : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi8>
  return %3 : tensor<1x16x8x8xi8>
}

// -----

// Sums that nothing makes int8 of stay as they are.
// CHECK-LABEL: func.func @main
// CHECK: graph.conv
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func @main(%x: tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi32> {
  %w = arith.constant dense<2> : tensor<16x16x3x3xi8>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
      : (tensor<1x16x8x8xi8>, tensor<16x16x3x3xi8>) -> tensor<1x16x8x8xi32>
  return %0 : tensor<1x16x8x8xi32>
}
