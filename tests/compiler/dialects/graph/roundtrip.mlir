// RUN: vta-opt %s | vta-opt | FileCheck %s
// RUN: vta-opt %s --mlir-print-op-generic | vta-opt | FileCheck %s

// CHECK-LABEL: func.func @contractions
func.func @contractions(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>,
                        %wt: tensor<4x2x2x2xf32>, %m: tensor<2x3x4xf32>, %n: tensor<4x5xf32>) {
  // CHECK: graph.conv %{{.*}}, %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
  %0 = graph.conv %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, group = 2 : i64}
      : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x4xf32>
  // CHECK: graph.conv_transpose %{{.*}}, %{{.*}} {
  %1 = graph.conv_transpose %x, %wt {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 1>}
      : (tensor<1x4x8x8xf32>, tensor<4x2x2x2xf32>) -> tensor<1x2x16x17xf32>
  // CHECK: graph.interleave %{{.*}} {block = array<i64: 2, 1>, groups = 2 : i64} {{.*}} -> tensor<1x2x16x8xf32>
  %3 = graph.interleave %x {block = array<i64: 2, 1>, groups = 2 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x2x16x8xf32>
  // CHECK: graph.interleave %{{.*}} {block = array<i64: 1, 3>, repeat = true} {{.*}} -> tensor<1x4x8x24xf32>
  %4 = graph.interleave %x {block = array<i64: 1, 3>, repeat = true} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x24xf32>
  // CHECK: graph.matmul %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  %2 = graph.matmul %m, %n : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// CHECK-LABEL: func.func @integer_contractions
func.func @integer_contractions(%x: tensor<1x2x4x4xi8>, %w: tensor<3x2x1x1xi8>, %b: tensor<3xi32>) {
  // CHECK: graph.conv {{.*}}pad_value = -3 : i64{{.*}} -> tensor<1x3x6x6xi32>
  %0 = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, pad_value = -3 : i64}
      : (tensor<1x2x4x4xi8>, tensor<3x2x1x1xi8>, tensor<3xi32>) -> tensor<1x3x6x6xi32>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x4x8x8xf32>, %q: tensor<1x4x8x8xi8>, %p: tensor<4xf32>) {
  // CHECK: graph.max_pool
  %0 = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  // CHECK: graph.avg_pool {{.*}}ceil_extra = array<i64: 1, 0>, count_include_pad = true
  %1 = graph.avg_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 1>,
      pads = array<i64: 0, 0, 1, 0>, count_include_pad = true, ceil_extra = array<i64: 1, 0>}
      : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x6xf32>
  // CHECK: graph.sum_pool
  %2 = graph.sum_pool %q {kernel = array<i64: 8, 8>, strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x8x8xi8>) -> tensor<1x4x1x1xi32>
  // CHECK: graph.batch_norm
  %3 = graph.batch_norm %x, %p, %p, %p, %p {epsilon = 1.0e-5 : f64}
      : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> tensor<1x4x8x8xf32>
  // CHECK: graph.lrn
  %4 = graph.lrn %x {size = 5 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64}
      : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: graph.softmax %{{.*}} {axis = 1 : i64, log = true}
  %5 = graph.softmax %x {axis = 1 : i64, log = true}
      : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<2x3xf32>, %c: tensor<3xf32>, %k: tensor<2x3xi1>) {
  // CHECK: graph.unary leaky_relu %{{.*}} {alpha = 1.000000e-01 : f64}
  %0 = graph.unary leaky_relu %x {alpha = 0.1 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.unary is_nan %{{.*}} -> tensor<2x3xi1>
  %1 = graph.unary is_nan %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: graph.binary add %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = graph.binary add %x, %c : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.binary less %{{.*}} -> tensor<2x3xi1>
  %3 = graph.binary less %x, %c : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: graph.where
  %4 = graph.where %k, %x, %c : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.clip %{{.*}} {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64}
  %5 = graph.clip %x {min = 0.0 : f64, max = 6.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.cast %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xi64>
  %6 = graph.cast %x : (tensor<2x3xf32>) -> tensor<2x3xi64>
  return
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<2x3x4xf32>, %i: tensor<5xi64>) {
  // CHECK: graph.reshape
  %0 = graph.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  // CHECK: graph.transpose %{{.*}} {permutation = array<i64: 2, 0, 1>}
  %1 = graph.transpose %x {permutation = array<i64: 2, 0, 1>}
      : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  // CHECK: graph.expand
  %2 = graph.expand %x : (tensor<2x3x4xf32>) -> tensor<5x2x3x4xf32>
  // CHECK: graph.concat %{{.*}}, %{{.*}} {axis = 1 : i64}
  %3 = graph.concat %x, %x {axis = 1 : i64}
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
  // CHECK: graph.slice %{{.*}} {starts = array<i64: 1, 2, 0>, steps = array<i64: 1, -1, 2>}
  %4 = graph.slice %x {starts = array<i64: 1, 2, 0>, steps = array<i64: 1, -1, 2>}
      : (tensor<2x3x4xf32>) -> tensor<1x3x2xf32>
  // CHECK: graph.pad edge %{{.*}}
  %5 = graph.pad edge %x {low = array<i64: 0, 1, 0>, high = array<i64: 0, 0, -1>}
      : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  // CHECK: graph.gather
  %6 = graph.gather %x, %i {axis = 1 : i64}
      : (tensor<2x3x4xf32>, tensor<5xi64>) -> tensor<2x5x4xf32>
  // CHECK: graph.check_indices %{{.*}} {extents = array<i64: 3>, node = "node 'pick' (Gather)"}
  %8 = graph.check_indices %i {extents = array<i64: 3>, node = "node 'pick' (Gather)"}
      : (tensor<5xi64>) -> tensor<5xi64>
  // CHECK: graph.reduce mean %{{.*}} {axes = array<i64: 1>}
  %7 = graph.reduce mean %x {axes = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func.func @quantisation
func.func @quantisation(%x: tensor<1x2x4x4xf32>, %a: tensor<1x2x4x4xi32>, %c: tensor<2x1x1xi32>) {
  // CHECK: graph.quantize
  %0 = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 3>}
      : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi8>
  // CHECK: graph.dequantize %{{.*}} {scales = array<f32: 5.000000e-01, 2.500000e-01>
  %1 = graph.dequantize %0 {scales = array<f32: 0.5, 0.25>, zero_points = array<i64: 3, 0>,
      axis = 1 : i64} : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
  // CHECK: graph.qmul {{.*}}shift = 15
  %2 = graph.qmul %a, %c {shift = 15 : i64}
      : (tensor<1x2x4x4xi32>, tensor<2x1x1xi32>) -> tensor<1x2x4x4xi32>
  // CHECK: graph.shr
  %3 = graph.shr %a, %c : (tensor<1x2x4x4xi32>, tensor<2x1x1xi32>) -> tensor<1x2x4x4xi32>
  // CHECK: graph.clip_int {{.*}}max = 127 : i64, min = -128 : i64
  %4 = graph.clip_int %a {min = -128 : i64, max = 127 : i64}
      : (tensor<1x2x4x4xi32>) -> tensor<1x2x4x4xi32>
  return
}

// CHECK-LABEL: func.func @selection
func.func @selection(%m: tensor<8xi1>, %x: tensor<2x8xf32>, %b: tensor<1x8x4xf32>, %s: tensor<1x2x8xf32>,
                     %n: tensor<i64>, %t: tensor<f32>) {
  // CHECK: graph.compact
  %0 = graph.compact %m : (tensor<8xi1>) -> tensor<8xi64>
  // CHECK: graph.top %{{.*}} {largest = false}
  %1 = graph.top %x {largest = false} : (tensor<2x8xf32>) -> tensor<2x3xi64>
  // CHECK: graph.suppress %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {center = true}
  %2 = graph.suppress %b, %s, %n, %t {center = true}
      : tensor<1x8x4xf32>, tensor<1x2x8xf32>, tensor<i64>, tensor<f32> -> tensor<1x2x5xi64>
  // CHECK: graph.suppress %{{.*}} score %{{.*}} count %{{.*}} {center = false}
  %3 = graph.suppress %b, %s, %n, %t score %t count %n {center = false}
      : tensor<1x8x4xf32>, tensor<1x2x8xf32>, tensor<i64>, tensor<f32>, tensor<f32>, count tensor<i64>
      -> tensor<1x2x5xi64>
  return
}

// CHECK-LABEL: func.func @control
func.func @control(%c: tensor<i1>, %m: tensor<i64>, %x: tensor<4xf32>) {
  // CHECK: graph.if
  // CHECK: graph.yield
  %0 = "graph.if"(%c, %x) ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: graph.loop
  %1:3 = "graph.loop"(%m, %c, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    %true = arith.constant dense<true> : tensor<i1>
    graph.yield %true, %s, %s : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>, tensor<7x4xf32>)
  return
}

// CHECK-LABEL: func.func @own
func.func @own(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: graph.own %{{.*}} {domain = "my.domain", node_attributes = {factor = array<f32: 2.000000e+00>, label = "a"}, operator_name = "Scale", present = array<i1: true, false>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = graph.own %x {domain = "my.domain", node_attributes = {factor = array<f32: 2.0>, label = "a"},
      operator_name = "Scale", present = array<i1: true, false>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
