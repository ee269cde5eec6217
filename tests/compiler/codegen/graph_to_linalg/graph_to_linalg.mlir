// RUN: vta-opt --convert-graph-to-linalg --split-input-file %s | FileCheck %s

// Integer convolutions: explicit padding with the zero point, the bias as initial value, i32 sums.
// CHECK-LABEL: func.func @conv_i8
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x8x8xi8>, %[[W:.*]]: tensor<6x4x3x3xi8>, %[[B:.*]]: tensor<6xi32>)
// CHECK: %[[ZERO_POINT:.*]] = arith.constant -3 : i8
// CHECK: %[[PADDED:.*]] = tensor.pad %[[X]] low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: tensor.yield %[[ZERO_POINT]]
// CHECK: %[[INIT:.*]] = linalg.broadcast ins(%[[B]] : tensor<6xi32>)
// CHECK: linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%[[PADDED]], %[[W]] : {{.*}}) outs(%[[INIT]]
func.func @conv_i8(%x: tensor<1x4x8x8xi8>, %w: tensor<6x4x3x3xi8>, %b: tensor<6xi32>)
    -> tensor<1x6x4x4xi32> {
  %y = graph.conv %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, group = 1 : i64, pad_value = -3 : i64}
      : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>, tensor<6xi32>) -> tensor<1x6x4x4xi32>
  return %y : tensor<1x6x4x4xi32>
}

// -----

// CHECK-LABEL: func.func @grouped
// CHECK-NOT: tensor.pad
// CHECK: linalg.conv_2d_ngchw_gfchw
func.func @grouped(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x6x6x6xf32> {
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, group = 2 : i64}
      : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x6x6xf32>
  return %y : tensor<1x6x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @depthwise
// CHECK: linalg.depthwise_conv_2d_nchw_chw
func.func @depthwise(%x: tensor<1x4x8x8xi8>, %w: tensor<4x1x3x3xi8>) -> tensor<1x4x6x6xi32> {
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, group = 4 : i64}
      : (tensor<1x4x8x8xi8>, tensor<4x1x3x3xi8>) -> tensor<1x4x6x6xi32>
  return %y : tensor<1x4x6x6xi32>
}

// -----

// Unsigned types become signless, in signatures and constants too; the sign lives in the ops.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: (%{{.*}}: tensor<3xi8>) -> (tensor<3xi32>, tensor<2xi8>)
// CHECK: arith.constant dense<[-56, 5]> : tensor<2xi8>
// CHECK: arith.extui
func.func @unsigned(%x: tensor<3xui8>) -> (tensor<3xi32>, tensor<2xui8>) {
  %c = arith.constant dense<[200, 5]> : tensor<2xui8>
  %y = graph.cast %x : (tensor<3xui8>) -> tensor<3xi32>
  return %y, %c : tensor<3xi32>, tensor<2xui8>
}

// -----

// Rounding half away from zero: half is added, and one less for negative products.
// CHECK-LABEL: func.func @qmul
// CHECK: linalg.generic
// CHECK: arith.extsi %{{.*}} : i32 to i64
// CHECK: arith.muli
// CHECK: arith.shrsi
// CHECK: arith.trunci
func.func @qmul(%x: tensor<1x4x2x2xi32>, %m: tensor<4x1x1xi32>) -> tensor<1x4x2x2xi32> {
  %y = graph.qmul %x, %m {shift = 16 : i64}
      : (tensor<1x4x2x2xi32>, tensor<4x1x1xi32>) -> tensor<1x4x2x2xi32>
  return %y : tensor<1x4x2x2xi32>
}
