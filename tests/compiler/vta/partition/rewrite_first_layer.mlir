// RUN: vta-opt %s --vta-rewrite-first-layer --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-rewrite-first-layer=hw=%configs/hw/small-1x8x8.yaml --split-input-file | FileCheck %s --check-prefix=SMALL

// 7x7, stride 2, 3 channels: 49 GEMM steps as it is, 16 by space to depth, 14 by window rows.
// CHECK-LABEL: func.func @window_rows
// CHECK: graph.pad {{.*}}low = array<i64: 0, 0, 3, 3>{{.*}}value = -7.0
// CHECK-COUNT-7: graph.slice
// CHECK: graph.concat {{.*}} -> tensor<1x21x37x16xi8>
// CHECK: graph.conv {{.*}}pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 1>, vta.macs = 2408448
// CHECK-SAME: tensor<64x21x7x1xi8>
func.func @window_rows(%x: tensor<1x3x32x32xi8>) -> tensor<1x64x16x16xi32> {
  %w = arith.constant dense<1> : tensor<64x3x7x7xi8>
  %y = graph.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, pad_value = -7 : i64} : (tensor<1x3x32x32xi8>, tensor<64x3x7x7xi8>) -> tensor<1x64x16x16xi32>
  return %y : tensor<1x64x16x16xi32>
}

// -----

// 4x4, stride 4: one tap of 48 channels.
// CHECK-LABEL: func.func @space_to_depth
// CHECK: graph.reshape {{.*}} -> tensor<1x3x8x4x8x4xi8>
// CHECK: graph.transpose {{.*}}permutation = array<i64: 0, 1, 3, 5, 2, 4>
// CHECK: graph.conv {{.*}}strides = array<i64: 1, 1>{{.*}}tensor<8x48x1x1xi8>
func.func @space_to_depth(%x: tensor<1x3x32x32xi8>) -> tensor<1x8x8x8xi32> {
  %w = arith.constant dense<1> : tensor<8x3x4x4xi8>
  %y = graph.conv %x, %w {strides = array<i64: 4, 4>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x32x32xi8>, tensor<8x3x4x4xi8>) -> tensor<1x8x8x8xi32>
  return %y : tensor<1x8x8x8xi32>
}

// -----

// Nine taps fit 16 lanes, but not 8.
// CHECK-LABEL: func.func @whole_windows
// CHECK-COUNT-9: graph.slice
// CHECK: graph.conv {{.*}}tensor<8x9x1x1xi8>
// SMALL-LABEL: func.func @whole_windows
// SMALL-COUNT-3: graph.slice
// SMALL: graph.conv {{.*}}tensor<8x3x3x1xi8>
func.func @whole_windows(%x: tensor<1x1x8x8xf32>) -> tensor<1x8x8x8xi32> {
  %w = arith.constant dense<1> : tensor<8x1x3x3xi8>
  %q = graph.quantize %x {scales = array<f32: 1.0>, zero_points = array<i64: 0>} : (tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xi8>
  %y = graph.conv %q, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x1x8x8xi8>, tensor<8x1x3x3xi8>) -> tensor<1x8x8x8xi32>
  return %y : tensor<1x8x8x8xi32>
}

// -----

// Not the first layer: its input would have to come back to the host.
// CHECK-LABEL: func.func @inner
// CHECK-NOT: graph.slice
// CHECK: graph.conv {{.*}}tensor<8x3x3x3xi8>
func.func @inner(%x: tensor<1x3x8x8xi32>) -> tensor<1x8x8x8xi32> {
  %w = arith.constant dense<1> : tensor<8x3x3x3xi8>
  %q = graph.cast %x : (tensor<1x3x8x8xi32>) -> tensor<1x3x8x8xi8>
  %y = graph.conv %q, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x8x8xi8>, tensor<8x3x3x3xi8>) -> tensor<1x8x8x8xi32>
  return %y : tensor<1x8x8x8xi32>
}

// -----

// Full lanes already.
// CHECK-LABEL: func.func @enough_channels
// CHECK: graph.conv %arg0
func.func @enough_channels(%x: tensor<1x16x8x8xi8>) -> tensor<1x8x8x8xi32> {
  %w = arith.constant dense<1> : tensor<8x16x3x3xi8>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x8x8xi8>, tensor<8x16x3x3xi8>) -> tensor<1x8x8x8xi32>
  return %y : tensor<1x8x8x8xi32>
}
