// RUN: vta-opt %s --vta-rewrite-first-layer --vta-partition --vta-pack --vta-tensorise --cse --vta-outline-host | FileCheck %s

// A small network end to end: first layer, residual block, pool, dense, float tail.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<1x3x16x16xf32>
// CHECK: %[[IN:.*]] = call @host_0(%[[X]])
// CHECK-SAME: vta.op = "QuantizeLinear"
// CHECK: %[[C1:.*]] = vta.kernel @vta_conv1_ref(%[[IN]])
// CHECK-SAME: layer = "conv1"
// CHECK-SAME: op = "Conv"
// CHECK: %[[C2:.*]] = vta.kernel @vta_conv2_ref(%[[C1]]) weight({{.*}}) param({{.*}}) residual(%[[C1]]
// CHECK-SAME: op = "Conv+Add"
// CHECK: %[[P:.*]] = vta.kernel @vta_pool_ref(%[[C2]])
// CHECK-SAME: op = "AveragePool"
// CHECK: %[[D:.*]] = vta.kernel @vta_dense_ref(%[[P]])
// CHECK-SAME: op = "MatMul"
// CHECK: %[[Y:.*]] = call @host_1(%[[D]])
// CHECK-SAME: vta.reason = "conversion between float and integers; float operator"
// CHECK: return %[[Y]]
func.func @main(%x: tensor<1x3x16x16xf32>) -> tensor<1x10xf32> {
  %w1 = arith.constant dense<1> : tensor<24x3x3x3xi8> loc("w")
  %w2 = arith.constant dense<-2> : tensor<24x24x3x3xi8>
  %wd = arith.constant dense<3> : tensor<24x10xi8>
  %b1 = arith.constant dense<70000> : tensor<1x24x1x1xi32>
  %m = arith.constant dense<99999> : tensor<1xi32>
  %s6 = arith.constant dense<6> : tensor<1xi32>
  %q = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: -3>} : (tensor<1x3x16x16xf32>) -> tensor<1x3x16x16xi8> loc("quant")
  %c1 = graph.conv %q, %w1 {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, pad_value = -3 : i64} : (tensor<1x3x16x16xi8>, tensor<24x3x3x3xi8>) -> tensor<1x24x8x8xi32> loc("conv1")
  %a1 = graph.binary add %c1, %b1 : (tensor<1x24x8x8xi32>, tensor<1x24x1x1xi32>) -> tensor<1x24x8x8xi32>
  %r1 = graph.qmul %a1, %m {shift = 20 : i64} : (tensor<1x24x8x8xi32>, tensor<1xi32>) -> tensor<1x24x8x8xi32>
  %k1 = graph.clip_int %r1 {min = 0 : i64, max = 127 : i64} : (tensor<1x24x8x8xi32>) -> tensor<1x24x8x8xi32>
  %y1 = graph.cast %k1 : (tensor<1x24x8x8xi32>) -> tensor<1x24x8x8xi8>
  %c2 = graph.conv %y1, %w2 {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x24x8x8xi8>, tensor<24x24x3x3xi8>) -> tensor<1x24x8x8xi32> loc("conv2")
  %r2 = graph.qmul %c2, %m {shift = 20 : i64} : (tensor<1x24x8x8xi32>, tensor<1xi32>) -> tensor<1x24x8x8xi32>
  %e2 = graph.cast %y1 : (tensor<1x24x8x8xi8>) -> tensor<1x24x8x8xi32>
  %f2 = graph.qmul %e2, %m {shift = 16 : i64} : (tensor<1x24x8x8xi32>, tensor<1xi32>) -> tensor<1x24x8x8xi32>
  %g2 = graph.binary add %r2, %f2 : (tensor<1x24x8x8xi32>, tensor<1x24x8x8xi32>) -> tensor<1x24x8x8xi32>
  %k2 = graph.clip_int %g2 {min = 0 : i64, max = 127 : i64} : (tensor<1x24x8x8xi32>) -> tensor<1x24x8x8xi32>
  %y2 = graph.cast %k2 : (tensor<1x24x8x8xi32>) -> tensor<1x24x8x8xi8>
  %p = graph.sum_pool %y2 {kernel = array<i64: 8, 8>, strides = array<i64: 8, 8>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x24x8x8xi8>) -> tensor<1x24x1x1xi32> loc("pool")
  %ps = graph.shr %p, %s6 : (tensor<1x24x1x1xi32>, tensor<1xi32>) -> tensor<1x24x1x1xi32>
  %py = graph.cast %ps : (tensor<1x24x1x1xi32>) -> tensor<1x24x1x1xi8>
  %f = graph.reshape %py : (tensor<1x24x1x1xi8>) -> tensor<1x24xi8>
  %d = graph.matmul %f, %wd : (tensor<1x24xi8>, tensor<24x10xi8>) -> tensor<1x10xi32> loc("dense")
  %ds = graph.shr %d, %s6 : (tensor<1x10xi32>, tensor<1xi32>) -> tensor<1x10xi32>
  %dk = graph.clip_int %ds {min = -128 : i64, max = 127 : i64} : (tensor<1x10xi32>) -> tensor<1x10xi32>
  %dy = graph.cast %dk : (tensor<1x10xi32>) -> tensor<1x10xi8>
  %df = graph.dequantize %dy {scales = array<f32: 0.25>, zero_points = array<i64: 0>} : (tensor<1x10xi8>) -> tensor<1x10xf32>
  %y = graph.softmax %df {axis = 1 : i64} : (tensor<1x10xf32>) -> tensor<1x10xf32> loc("softmax")
  return %y : tensor<1x10xf32>
}
