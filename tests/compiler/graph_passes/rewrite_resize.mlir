// RUN: vta-opt %s --graph-rewrite-resize --canonicalize | FileCheck %s
// RUN: vta-opt %s --graph-rewrite-resize=largest-weight=2 --canonicalize | FileCheck %s --check-prefix=NARROW

// Twice as many columns, at the centres of pixels: outputs lie a quarter of a pixel beside the inputs. The edge is one
// column more on each side, and of the transposed convolution what lies outside is cropped.
// CHECK-LABEL: func.func @enlarged
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{.*}}2.500000e-01, 7.500000e-01, 7.500000e-01, 2.500000e-01{{.*}}> : tensor<2x1x1x4xf32>
// CHECK: %[[A:.*]] = graph.conv
// CHECK: %[[P:.*]] = graph.pad edge %[[A]] {high = array<i64: 0, 0, 0, 1>, low = array<i64: 0, 0, 0, 1>} {{.*}} -> tensor<1x2x1x6xf32>
// CHECK: %[[R:.*]] = graph.conv_transpose %[[P]], %[[W]] {{{.*}}graph.operator = "Resize", group = 2 : i64, output_padding = array<i64: 0, 0>, pads = array<i64: 0, 3, 0, 3>, strides = array<i64: 1, 2>} {{.*}} -> tensor<1x2x1x8xf32>
// CHECK: graph.conv %[[R]]
// Its weights are 1 and 3 quarters.
// NARROW-LABEL: func.func @enlarged
// NARROW-NOT: graph.conv_transpose
// NARROW: return
func.func @enlarged(%x: tensor<1x2x1x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x1x8xf32> {
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x1x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x1x4xf32>
  %i = arith.constant dense<[0, 0, 0, 1, 1, 2, 2, 3]> : tensor<8xi64>
  %u = arith.constant dense<[[[[0.75, 0.25, 0.75, 0.25, 0.75, 0.25, 0.75, 0.25]]]]> : tensor<1x1x1x8xf32>
  %j = arith.constant dense<[0, 1, 1, 2, 2, 3, 3, 3]> : tensor<8xi64>
  %v = arith.constant dense<[[[[0.25, 0.75, 0.25, 0.75, 0.25, 0.75, 0.25, 0.75]]]]> : tensor<1x1x1x8xf32>
  %g = graph.gather %a, %i {axis = 3 : i64} : (tensor<1x2x1x4xf32>, tensor<8xi64>) -> tensor<1x2x1x8xf32>
  %s = graph.binary mul %g, %v : (tensor<1x2x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x2x1x8xf32>
  %h = graph.gather %a, %j {axis = 3 : i64} : (tensor<1x2x1x4xf32>, tensor<8xi64>) -> tensor<1x2x1x8xf32>
  %t = graph.binary mul %h, %u : (tensor<1x2x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x2x1x8xf32>
  %r = graph.binary add %s, %t : (tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  %y = graph.conv %r, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x1x8xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x1x8xf32>
  return %y : tensor<1x2x1x8xf32>
}

// Half as many columns are means of two neighbours each; nothing lies beyond the image. An activation may stand between
// the resize and a contraction.
// CHECK-LABEL: func.func @reduced
// CHECK-DAG: %[[W:.*]] = arith.constant dense<5.000000e-01> : tensor<2x1x1x2xf32>
// CHECK: %[[A:.*]] = graph.conv
// CHECK: graph.conv %[[A]], %[[W]] {dilations = array<i64: 1, 1>, graph.operator = "Resize", group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2>} {{.*}} -> tensor<1x2x1x2xf32>
// CHECK-NEXT: graph.unary relu
// NARROW-LABEL: func.func @reduced
// NARROW: group = 2 : i64
func.func @reduced(%x: tensor<1x2x1x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x1x2xf32> {
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x1x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x1x4xf32>
  %i = arith.constant dense<[0, 2]> : tensor<2xi64>
  %j = arith.constant dense<[1, 3]> : tensor<2xi64>
  %half = arith.constant dense<0.5> : tensor<1x1x1x2xf32>
  %g = graph.gather %a, %i {axis = 3 : i64} : (tensor<1x2x1x4xf32>, tensor<2xi64>) -> tensor<1x2x1x2xf32>
  %s = graph.binary mul %g, %half : (tensor<1x2x1x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x1x2xf32>
  %h = graph.gather %a, %j {axis = 3 : i64} : (tensor<1x2x1x4xf32>, tensor<2xi64>) -> tensor<1x2x1x2xf32>
  %t = graph.binary mul %h, %half : (tensor<1x2x1x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x1x2xf32>
  %r = graph.binary add %s, %t : (tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32>
  %q = graph.unary relu %r : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32>
  %y = graph.conv %q, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x1x2xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x1x2xf32>
  return %y : tensor<1x2x1x2xf32>
}

// What no contraction computes stays, and what none reads.
// CHECK-LABEL: func.func @at_the_ends
// CHECK-COUNT-2: graph.gather
// CHECK: graph.conv
// CHECK-COUNT-2: graph.gather
// CHECK-NOT: graph.conv
// CHECK: return
func.func @at_the_ends(%x: tensor<1x2x1x8xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x1x2xf32> {
  %i = arith.constant dense<[0, 2, 4, 6]> : tensor<4xi64>
  %j = arith.constant dense<[1, 3, 5, 7]> : tensor<4xi64>
  %half = arith.constant dense<0.5> : tensor<1xf32>
  %g = graph.gather %x, %i {axis = 3 : i64} : (tensor<1x2x1x8xf32>, tensor<4xi64>) -> tensor<1x2x1x4xf32>
  %s = graph.binary mul %g, %half : (tensor<1x2x1x4xf32>, tensor<1xf32>) -> tensor<1x2x1x4xf32>
  %h = graph.gather %x, %j {axis = 3 : i64} : (tensor<1x2x1x8xf32>, tensor<4xi64>) -> tensor<1x2x1x4xf32>
  %t = graph.binary mul %h, %half : (tensor<1x2x1x4xf32>, tensor<1xf32>) -> tensor<1x2x1x4xf32>
  %r = graph.binary add %s, %t : (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>) -> tensor<1x2x1x4xf32>
  %a = graph.conv %r, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x1x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x1x4xf32>
  %k = arith.constant dense<[0, 2]> : tensor<2xi64>
  %l = arith.constant dense<[1, 3]> : tensor<2xi64>
  %g1 = graph.gather %a, %k {axis = 3 : i64} : (tensor<1x2x1x4xf32>, tensor<2xi64>) -> tensor<1x2x1x2xf32>
  %s1 = graph.binary mul %g1, %half : (tensor<1x2x1x2xf32>, tensor<1xf32>) -> tensor<1x2x1x2xf32>
  %h1 = graph.gather %a, %l {axis = 3 : i64} : (tensor<1x2x1x4xf32>, tensor<2xi64>) -> tensor<1x2x1x2xf32>
  %t1 = graph.binary mul %h1, %half : (tensor<1x2x1x2xf32>, tensor<1xf32>) -> tensor<1x2x1x2xf32>
  %y = graph.binary add %s1, %t1 : (tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32>
  return %y : tensor<1x2x1x2xf32>
}

// Corners on corners: every output has weights of its own. And weights that do not add up to one are no interpolation.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: graph.conv_transpose
// CHECK-NOT: group = 2
// CHECK: return
func.func @kept(%x: tensor<1x2x1x3xf32>, %w: tensor<2x2x1x1xf32>) -> (tensor<1x2x1x6xf32>, tensor<1x2x1x6xf32>) {
  %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x1x3xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x1x3xf32>
  %i = arith.constant dense<[0, 0, 0, 1, 1, 2]> : tensor<6xi64>
  %j = arith.constant dense<[1, 1, 1, 2, 2, 2]> : tensor<6xi64>
  %u = arith.constant dense<[[[[1.0, 0.6, 0.2, 0.8, 0.4, 1.0]]]]> : tensor<1x1x1x6xf32>
  %v = arith.constant dense<[[[[0.0, 0.4, 0.8, 0.2, 0.6, 0.0]]]]> : tensor<1x1x1x6xf32>
  %half = arith.constant dense<0.25> : tensor<1xf32>
  %g = graph.gather %a, %i {axis = 3 : i64} : (tensor<1x2x1x3xf32>, tensor<6xi64>) -> tensor<1x2x1x6xf32>
  %h = graph.gather %a, %j {axis = 3 : i64} : (tensor<1x2x1x3xf32>, tensor<6xi64>) -> tensor<1x2x1x6xf32>
  %s = graph.binary mul %g, %u : (tensor<1x2x1x6xf32>, tensor<1x1x1x6xf32>) -> tensor<1x2x1x6xf32>
  %t = graph.binary mul %h, %v : (tensor<1x2x1x6xf32>, tensor<1x1x1x6xf32>) -> tensor<1x2x1x6xf32>
  %r = graph.binary add %s, %t : (tensor<1x2x1x6xf32>, tensor<1x2x1x6xf32>) -> tensor<1x2x1x6xf32>
  %s1 = graph.binary mul %g, %half : (tensor<1x2x1x6xf32>, tensor<1xf32>) -> tensor<1x2x1x6xf32>
  %t1 = graph.binary mul %h, %half : (tensor<1x2x1x6xf32>, tensor<1xf32>) -> tensor<1x2x1x6xf32>
  %r1 = graph.binary add %s1, %t1 : (tensor<1x2x1x6xf32>, tensor<1x2x1x6xf32>) -> tensor<1x2x1x6xf32>
  %y = graph.conv %r, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x1x6xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x1x6xf32>
  %y1 = graph.conv %r1, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x1x6xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x1x6xf32>
  return %y, %y1 : tensor<1x2x1x6xf32>, tensor<1x2x1x6xf32>
}
