// RUN: vta-opt %s --vta-partition --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-partition=hw=%configs/hw/vta-0.0.2.yaml --split-input-file | FileCheck %s --check-prefix=COMPAT

// A contraction with bias, requantisation and a residual is one group; its residual is its second
// argument. Hardware 0.0.2 has no QMUL, and the reason is on every operation.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[Y:.*]] = call @vta_block_conv(%arg0, %arg1)
// CHECK-NEXT: return %[[Y]]
// CHECK-LABEL: func.func private @vta_block_conv
// CHECK-SAME: vta.layer = "block/conv", vta.macs = 2304 : i64, vta.offload, vta.op = "Conv+Add"
// CHECK: graph.conv
// CHECK: graph.qmul
// COMPAT-LABEL: func.func @main
// COMPAT: graph.conv {{.*}}vta.reason = "Qmul: the hardware has no `qmul` extension"
func.func @main(%x: tensor<1x16x3x3xi8>, %r: tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi8> {
  %w = arith.constant dense<1> : tensor<16x16x1x1xi8>
  %m = arith.constant dense<99999> : tensor<1xi32>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x16x3x3xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x3x3xi32> loc("block/conv")
  %q = graph.qmul %c, %m {shift = 20 : i64} : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %e = graph.cast %r : (tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi32>
  %s = graph.binary add %q, %e : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %y = graph.cast %s : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi8>
  return %y : tensor<1x16x3x3xi8>
}

// -----

// The requantisation after a pool joins it; a pool that has another user does not.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[A:.*]] = call @vta_a(%arg0)
// CHECK-DAG: %[[B:.*]] = call @vta_b(%arg0)
// CHECK-DAG: %[[C:.*]] = call @vta_c(%[[B]])
// CHECK: return %[[A]], %[[B]], %[[C]]
// CHECK: func.func private @vta_c{{.*}}vta.op = "Shr"
// CHECK: func.func private @vta_a{{.*}}vta.op = "MaxPool"
func.func @main(%x: tensor<1x8x4x4xi8>) -> (tensor<1x8x2x2xi8>, tensor<1x8x2x2xi8>, tensor<1x8x2x2xi8>) {
  %one = arith.constant dense<1> : tensor<1xi32>
  %p = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x2x2xi8> loc("a")
  %pe = graph.cast %p : (tensor<1x8x2x2xi8>) -> tensor<1x8x2x2xi32>
  %ps = graph.shr %pe, %one : (tensor<1x8x2x2xi32>, tensor<1xi32>) -> tensor<1x8x2x2xi32>
  %a = graph.cast %ps : (tensor<1x8x2x2xi32>) -> tensor<1x8x2x2xi8>
  %b = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x2x2xi8> loc("b")
  %be = graph.cast %b : (tensor<1x8x2x2xi8>) -> tensor<1x8x2x2xi32>
  %bs = graph.shr %be, %one : (tensor<1x8x2x2xi32>, tensor<1xi32>) -> tensor<1x8x2x2xi32>
  %c = graph.cast %bs : (tensor<1x8x2x2xi32>) -> tensor<1x8x2x2xi8> loc("c")
  return %a, %b, %c : tensor<1x8x2x2xi8>, tensor<1x8x2x2xi8>, tensor<1x8x2x2xi8>
}

// -----

// A padding value that no load makes stays with the kernel.
// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.pad
// CHECK: call @vta_conv(%arg0)
// CHECK: call @vta_pool
// CHECK: func.func private @vta_conv
// CHECK: graph.conv %{{.*}} {{.*}}pad_value = 5 : i64, pads = array<i64: 1, 1, 1, 1>
func.func @main(%x: tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %w = arith.constant dense<1> : tensor<16x16x3x3xi8>
  %one = arith.constant dense<1> : tensor<1xi32>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, pad_value = 5 : i64} : (tensor<1x16x4x4xi8>, tensor<16x16x3x3xi8>) -> tensor<1x16x4x4xi32> loc("conv")
  %ys = graph.shr %y, %one : (tensor<1x16x4x4xi32>, tensor<1xi32>) -> tensor<1x16x4x4xi32>
  %z = graph.cast %ys : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  %p = graph.sum_pool %z {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, pad_value = 5 : i64} : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi32> loc("pool")
  %ps = graph.shr %p, %one : (tensor<1x16x4x4xi32>, tensor<1xi32>) -> tensor<1x16x4x4xi32>
  %q = graph.cast %ps : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  return %q : tensor<1x16x4x4xi8>
}

// -----

// Reasons for what stays.
// CHECK-LABEL: func.func @main
// CHECK: graph.matmul {{.*}}its operands are not two activations with one batch dimension
// CHECK: graph.cast {{.*}}its operands are not two activations with one batch dimension
// CHECK: graph.dequantize {{.*}}conversion between float and integers
// CHECK: graph.softmax {{.*}}float operator
// CHECK: graph.transpose {{.*}}data movement
// CHECK: graph.shr {{.*}}no kernel for it on the VTA
func.func @main(%x: tensor<4x8xi8>, %y: tensor<8x6xi8>, %v: tensor<4x6xi32>) -> (tensor<6x4xf32>, tensor<4x6xi32>) {
  %m = graph.matmul %x, %y : (tensor<4x8xi8>, tensor<8x6xi8>) -> tensor<4x6xi32>
  %c = graph.cast %m : (tensor<4x6xi32>) -> tensor<4x6xi8>
  %d = graph.dequantize %c {scales = array<f32: 1.0>, zero_points = array<i64: 0>} : (tensor<4x6xi8>) -> tensor<4x6xf32>
  %s = graph.softmax %d {axis = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.transpose %s {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %h = graph.shr %v, %v : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
  return %t, %h : tensor<6x4xf32>, tensor<4x6xi32>
}

// -----

// Maximum pooling takes in the convolution before it, where it alone reads it and no step falls: a
// negative multiplier turns a maximum into a minimum.
// CHECK-LABEL: func.func @main
// CHECK-DAG: call @vta_fused(%arg0)
// CHECK-DAG: %[[C:.*]] = call @vta_falls(%arg0)
// CHECK-DAG: call @vta_alone(%[[C]])
// CHECK-DAG: %[[D:.*]] = call @vta_shared(%arg0)
// CHECK-DAG: call @vta_pool(%[[D]])
// CHECK-DAG: func.func private @vta_fused{{.*}}vta.op = "Conv+MaxPool"
// CHECK-DAG: func.func private @vta_alone{{.*}}vta.op = "MaxPool"
func.func @main(%x: tensor<1x16x16x16xi8>) -> (tensor<1x16x8x8xi8>, tensor<1x16x8x8xi8>, tensor<1x16x8x8xi8>, tensor<1x16x16x16xi8>) {
  %w = arith.constant dense<1> : tensor<16x16x3x3xi8>
  %up = arith.constant dense<99999> : tensor<1xi32>
  %down = arith.constant dense<-99999> : tensor<1xi32>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x16x16xi8>, tensor<16x16x3x3xi8>) -> tensor<1x16x16x16xi32> loc("fused")
  %q = graph.qmul %c, %up {shift = 24 : i64} : (tensor<1x16x16x16xi32>, tensor<1xi32>) -> tensor<1x16x16x16xi32>
  %k = graph.clip_int %q {min = -128 : i64, max = 127 : i64} : (tensor<1x16x16x16xi32>) -> tensor<1x16x16x16xi32>
  %y = graph.cast %k : (tensor<1x16x16x16xi32>) -> tensor<1x16x16x16xi8>
  %p = graph.max_pool %y {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x16x16xi8>) -> tensor<1x16x8x8xi8>
  %c1 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x16x16xi8>, tensor<16x16x3x3xi8>) -> tensor<1x16x16x16xi32> loc("falls")
  %q1 = graph.qmul %c1, %down {shift = 24 : i64} : (tensor<1x16x16x16xi32>, tensor<1xi32>) -> tensor<1x16x16x16xi32>
  %k1 = graph.clip_int %q1 {min = -128 : i64, max = 127 : i64} : (tensor<1x16x16x16xi32>) -> tensor<1x16x16x16xi32>
  %y1 = graph.cast %k1 : (tensor<1x16x16x16xi32>) -> tensor<1x16x16x16xi8>
  %p1 = graph.max_pool %y1 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x16x16xi8>) -> tensor<1x16x8x8xi8> loc("alone")
  %c2 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x16x16xi8>, tensor<16x16x3x3xi8>) -> tensor<1x16x16x16xi32> loc("shared")
  %q2 = graph.qmul %c2, %up {shift = 24 : i64} : (tensor<1x16x16x16xi32>, tensor<1xi32>) -> tensor<1x16x16x16xi32>
  %k2 = graph.clip_int %q2 {min = -128 : i64, max = 127 : i64} : (tensor<1x16x16x16xi32>) -> tensor<1x16x16x16xi32>
  %y2 = graph.cast %k2 : (tensor<1x16x16x16xi32>) -> tensor<1x16x16x16xi8>
  %p2 = graph.max_pool %y2 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x16x16x16xi8>) -> tensor<1x16x8x8xi8> loc("pool")
  return %p, %p1, %p2, %y2 : tensor<1x16x8x8xi8>, tensor<1x16x8x8xi8>, tensor<1x16x8x8xi8>, tensor<1x16x16x16xi8>
}
