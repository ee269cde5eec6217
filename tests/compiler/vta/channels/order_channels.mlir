// RUN: vta-opt %s --vta-order-channels --split-input-file | FileCheck %s

// A shuffle in front of a depthwise convolution and one with groups: both get weights in another order.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x2x2xi8>
// CHECK-DAG: %[[P:.*]] = graph.max_pool %[[X]]
// CHECK-DAG: %[[D:.*]] = arith.constant dense<{{\[\[\[\[}}1{{\]\]\]}}, {{\[\[\[}}3{{\]\]\]}}, {{\[\[\[}}2{{\]\]\]}}, {{\[\[\[}}4{{\]\]\]\]}}> : tensor<4x1x1x1xi8>
// CHECK: graph.conv %[[P]], %[[D]] {{.*}}group = 4 : i64{{.*}}vta.macs = 16
// CHECK: %[[Q:.*]] = arith.constant dense<{{\[\[\[\[}}10{{\]\]}}, {{\[\[}}30{{\]\]}}, {{\[\[}}20{{\]\]}}, {{\[\[}}40{{\]\]\]\]}}> : tensor<1x4x1x1xi32>
// CHECK: %[[M:.*]] = graph.qmul %{{.*}}, %[[Q]]
// CHECK: %[[Y:.*]] = graph.cast %[[M]]
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}5{{\]\]}}, {{\[\[}}0{{\]\]}}, {{\[\[}}6{{\]\]}}, {{\[\[}}0{{\]\]\]}}, {{\[\[\[}}0{{\]\]}}, {{\[\[}}7{{\]\]}}, {{\[\[}}0{{\]\]}}, {{\[\[}}8{{\]\]\]\]}}> : tensor<2x4x1x1xi8>
// CHECK: graph.conv %[[Y]], %[[W]] {{.*}}vta.macs = 16
// CHECK-NOT: graph.transpose
func.func @main(%x: tensor<1x4x2x2xi8>) -> tensor<1x2x2x2xi32> {
  %p = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x2x2xi8>) -> tensor<1x4x2x2xi8>
  %a = graph.reshape %p : (tensor<1x4x2x2xi8>) -> tensor<1x2x2x2x2xi8>
  %b = graph.transpose %a {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x2x2x2xi8>) -> tensor<1x2x2x2x2xi8>
  %c = graph.reshape %b : (tensor<1x2x2x2x2xi8>) -> tensor<1x4x2x2xi8>
  %d = arith.constant dense<[[[[1]]], [[[2]]], [[[3]]], [[[4]]]]> : tensor<4x1x1x1xi8>
  %e = graph.conv %c, %d {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 4 : i64} : (tensor<1x4x2x2xi8>, tensor<4x1x1x1xi8>) -> tensor<1x4x2x2xi32>
  %q = arith.constant dense<[[[[10]], [[20]], [[30]], [[40]]]]> : tensor<1x4x1x1xi32>
  %m = graph.qmul %e, %q {shift = 8 : i64} : (tensor<1x4x2x2xi32>, tensor<1x4x1x1xi32>) -> tensor<1x4x2x2xi32>
  %n = graph.cast %m : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xi8>
  %w = arith.constant dense<[[[[5]], [[6]]], [[[7]], [[8]]]]> : tensor<2x2x1x1xi8>
  %y = graph.conv %n, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 2 : i64} : (tensor<1x4x2x2xi8>, tensor<2x2x1x1xi8>) -> tensor<1x2x2x2xi32>
  return %y : tensor<1x2x2x2xi32>
}

// -----

// Parts that are no whole blocks are filled up, with weights of zero for what nobody wrote.
// CHECK-LABEL: func.func @main
// CHECK: %[[F:.*]] = graph.pad constant %{{.*}} {high = array<i64: 0, 14, 0, 0>, low = array<i64: 0, 0, 0, 0>, vta.any_value}
// CHECK: %[[J:.*]] = graph.concat %[[F]], %{{.*}} {axis = 1 : i64} : (tensor<1x16x2x2xi8>, tensor<1x3x2x2xi8>) -> tensor<1x19x2x2xi8>
// CHECK: graph.conv %[[J]], %{{.*}} tensor<1x19x1x1xi8>
func.func @main(%x: tensor<1x2x2x2xi8>, %z: tensor<1x3x2x2xi8>) -> tensor<1x1x2x2xi32> {
  %p = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x2x2xi8>) -> tensor<1x2x2x2xi8>
  %q = graph.max_pool %z {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x2x2xi8>) -> tensor<1x3x2x2xi8>
  %j = graph.concat %p, %q {axis = 1 : i64} : (tensor<1x2x2x2xi8>, tensor<1x3x2x2xi8>) -> tensor<1x5x2x2xi8>
  %w = arith.constant dense<3> : tensor<1x5x1x1xi8>
  %y = graph.conv %j, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x5x2x2xi8>, tensor<1x5x1x1xi8>) -> tensor<1x1x2x2xi32>
  return %y : tensor<1x1x2x2xi32>
}

// -----

// A sum: the convolution in front stores its channels as the other operand has them.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}1{{\]\]\]}}, {{\[\[\[}}3{{\]\]\]}}, {{\[\[\[}}2{{\]\]\]}}, {{\[\[\[}}4{{\]\]\]\]}}> : tensor<4x1x1x1xi8>
// CHECK-DAG: %[[P:.*]] = graph.max_pool
// CHECK-DAG: %[[C:.*]] = graph.conv %{{.*}}, %[[W]]
// CHECK-DAG: %[[L:.*]] = graph.cast %[[P]] {{.*}}tensor<1x4x2x2xi32>
// CHECK: graph.binary add %[[C]], %[[L]]
// What leaves as integers is a copy in order.
// CHECK: graph.conv {{.*}}vta.macs = 0
func.func @main(%x: tensor<1x4x2x2xi8>, %z: tensor<1x1x2x2xi8>) -> tensor<1x4x2x2xi8> {
  %p = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x2x2xi8>) -> tensor<1x4x2x2xi8>
  %a = graph.reshape %p : (tensor<1x4x2x2xi8>) -> tensor<1x2x2x2x2xi8>
  %b = graph.transpose %a {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x2x2x2xi8>) -> tensor<1x2x2x2x2xi8>
  %c = graph.reshape %b : (tensor<1x2x2x2x2xi8>) -> tensor<1x4x2x2xi8>
  %l = graph.cast %c : (tensor<1x4x2x2xi8>) -> tensor<1x4x2x2xi32>
  %w = arith.constant dense<[[[[1]]], [[[2]]], [[[3]]], [[[4]]]]> : tensor<4x1x1x1xi8>
  %e = graph.conv %z, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x1x2x2xi8>, tensor<4x1x1x1xi8>) -> tensor<1x4x2x2xi32>
  %s = graph.binary add %e, %l : (tensor<1x4x2x2xi32>, tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xi32>
  %n = graph.cast %s : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xi8>
  return %n : tensor<1x4x2x2xi8>
}

// -----

// The host puts its own inputs in order, and what only it reads.
// CHECK-LABEL: func.func @main
// CHECK: graph.transpose
// CHECK: graph.transpose
// CHECK: graph.dequantize
func.func @main(%x: tensor<1x4x2x2xi8>) -> (tensor<1x1x2x2xi32>, tensor<1x4x2x2xf32>) {
  %a = graph.reshape %x : (tensor<1x4x2x2xi8>) -> tensor<1x2x2x2x2xi8>
  %b = graph.transpose %a {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x2x2x2xi8>) -> tensor<1x2x2x2x2xi8>
  %c = graph.reshape %b : (tensor<1x2x2x2x2xi8>) -> tensor<1x4x2x2xi8>
  %w = arith.constant dense<3> : tensor<1x4x1x1xi8>
  %y = graph.conv %c, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x2x2xi8>, tensor<1x4x1x1xi8>) -> tensor<1x1x2x2xi32>
  %p = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x2x2xi8>) -> tensor<1x4x2x2xi8>
  %d = graph.reshape %p : (tensor<1x4x2x2xi8>) -> tensor<1x2x2x2x2xi8>
  %e = graph.transpose %d {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x2x2x2xi8>) -> tensor<1x2x2x2x2xi8>
  %f = graph.reshape %e : (tensor<1x2x2x2x2xi8>) -> tensor<1x4x2x2xi8>
  %g = graph.dequantize %f {scales = array<f32: 1.0>, zero_points = array<i64: 0>} : (tensor<1x4x2x2xi8>) -> tensor<1x4x2x2xf32>
  return %y, %g : tensor<1x1x2x2xi32>, tensor<1x4x2x2xf32>
}
