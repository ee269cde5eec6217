// RUN: vta-opt %s --vta-read-whole-blocks --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-read-whole-blocks=hw=%configs/hw/zu3eg.yaml --split-input-file | FileCheck %s --check-prefix=WIDE

// Channels 16 to 31: a block of 16, and half a block of 32. Weights for the other half are zero.
// CHECK-LABEL: func.func @half_a_block
// CHECK: graph.slice
// CHECK: graph.conv {{.*}}tensor<2x16x1x1xi8>
// WIDE-LABEL: func.func @half_a_block
// WIDE-SAME: (%[[X:.*]]: tensor<1x32x4x4xi8>
// WIDE-DAG: %[[P:.*]] = graph.max_pool %[[X]]
// WIDE-DAG: %[[W:.*]] = arith.constant dense<{{.*}}{{0.., ..5}}{{.*}}{{0.., ..5}}{{.*}}> : tensor<2x32x1x1xi8>
// WIDE: graph.conv %[[P]], %[[W]] {{.*}}vta.macs = 512
// WIDE-NOT: graph.slice
func.func @half_a_block(%x: tensor<1x32x4x4xi8>) -> tensor<1x2x4x4xi32> {
  %p = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x32x4x4xi8>
  %s = graph.slice %p {starts = array<i64: 0, 16, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x16x4x4xi8>
  %w = arith.constant dense<5> : tensor<2x16x1x1xi8>
  %y = graph.conv %s, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x16x4x4xi8>, tensor<2x16x1x1xi8>) -> tensor<1x2x4x4xi32>
  return %y : tensor<1x2x4x4xi32>
}

// -----

// Channels 40 to 99 of 100: what is left of the last block counts as whole. Elsewhere the slice stays, of whole blocks.
// CHECK-LABEL: func.func @blocks_of_many
// CHECK: graph.slice {{.*}}starts = array<i64: 0, 32, 0, 0>{{.*}} -> tensor<1x68x4x4xi8>
// CHECK: graph.conv {{.*}}tensor<2x68x3x3xi8>
// WIDE-LABEL: func.func @blocks_of_many
// WIDE: graph.slice {{.*}}graph.scale = 5.000000e-01{{.*}}starts = array<i64: 0, 32, 0, 0>{{.*}} -> tensor<1x68x4x4xi8>
func.func @blocks_of_many(%x: tensor<1x100x4x4xi8>) -> tensor<1x2x4x4xi32> {
  %p = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x100x4x4xi8>) -> tensor<1x100x4x4xi8>
  %s = graph.slice %p {graph.scale = 5.0e-1 : f64, starts = array<i64: 0, 40, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x100x4x4xi8>) -> tensor<1x60x4x4xi8>
  %w = arith.constant dense<5> : tensor<2x60x3x3xi8>
  %y = graph.conv %s, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, pad_value = 3 : i64} : (tensor<1x60x4x4xi8>, tensor<2x60x3x3xi8>) -> tensor<1x2x4x4xi32>
  return %y : tensor<1x2x4x4xi32>
}

// -----

// The host makes slices that something else reads, and those of model inputs, so convolutions take them as they are.
// CHECK-LABEL: func.func @read_by_others
// CHECK: graph.conv {{.*}}tensor<2x8x1x1xi8>
// CHECK: graph.conv {{.*}}tensor<2x8x1x1xi8>
func.func @read_by_others(%x: tensor<1x32x4x4xi8>) -> (tensor<1x2x4x4xi32>, tensor<1x2x4x4xi32>, tensor<1x8x4x4xi8>) {
  %p = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x32x4x4xi8>
  %s = graph.slice %p {starts = array<i64: 0, 8, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x8x4x4xi8>
  %t = graph.slice %x {starts = array<i64: 0, 8, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x8x4x4xi8>
  %w = arith.constant dense<5> : tensor<2x8x1x1xi8>
  %y = graph.conv %s, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>, tensor<2x8x1x1xi8>) -> tensor<1x2x4x4xi32>
  %z = graph.conv %t, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>, tensor<2x8x1x1xi8>) -> tensor<1x2x4x4xi32>
  return %y, %z, %s : tensor<1x2x4x4xi32>, tensor<1x2x4x4xi32>, tensor<1x8x4x4xi8>
}

// -----

// A sum reads the slice as well: a convolution with one 1 in each filter takes the channels out, for both.
// CHECK-LABEL: func.func @read_by_a_sum
// CHECK: graph.slice
// WIDE-LABEL: func.func @read_by_a_sum
// WIDE-DAG: %[[P:.*]] = graph.max_pool
// WIDE-DAG: %[[W:.*]] = arith.constant dense<"0x{{0{32}01(0{64}01){15}["]}}> : tensor<16x32x1x1xi8>
// WIDE: %[[C:.*]] = graph.conv %[[P]], %[[W]] {{.*}}vta.macs = 0
// WIDE: %[[L:.*]] = graph.clip_int %[[C]] {max = 127 : i64, min = -128 : i64}
// WIDE: %[[S:.*]] = graph.cast %[[L]] {graph.operator = "Slice", graph.scale = 5.000000e-01
// WIDE: graph.conv %[[S]]
// WIDE: graph.cast %[[S]]
func.func @read_by_a_sum(%x: tensor<1x32x4x4xi8>) -> (tensor<1x2x4x4xi32>, tensor<1x16x4x4xi32>) {
  %p = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x32x4x4xi8>
  %s = graph.slice %p {graph.scale = 5.0e-1 : f64, starts = array<i64: 0, 16, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x16x4x4xi8>
  %w = arith.constant dense<5> : tensor<2x16x1x1xi8>
  %y = graph.conv %s, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x16x4x4xi8>, tensor<2x16x1x1xi8>) -> tensor<1x2x4x4xi32>
  %z = graph.cast %s : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi32>
  return %y, %z : tensor<1x2x4x4xi32>, tensor<1x16x4x4xi32>
}
