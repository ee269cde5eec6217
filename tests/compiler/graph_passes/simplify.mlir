// RUN: vta-opt %s --graph-simplify --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @clamps
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @clamps(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: graph.clip %[[X]] {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64}
  // CHECK-DAG: graph.unary relu %[[X]]
  // CHECK-NOT: graph.binary
  // CHECK: return %{{.*}}, %{{.*}}, %[[X]]
  %0 = graph.unary relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %six = arith.constant dense<6.0> : tensor<f32>
  %1 = graph.binary min %0, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = graph.clip %x {min = 0.0 : f64, max = 0x7FF0000000000000 : f64}
      : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.clip %x {min = 0xFFF0000000000000 : f64, max = 0x7FF0000000000000 : f64}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Bounds that do not overlap: everything becomes the outer one's nearer end.
// CHECK-LABEL: func.func @disjoint_clamps
func.func @disjoint_clamps(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: graph.clip %{{.*}} {max = -1.000000e+00 : f64, min = -1.000000e+00 : f64}
  %0 = graph.unary relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.clip %0 {min = -2.0 : f64, max = -1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  // CHECK: %[[Y:.*]] = graph.binary add %[[X]]
  // CHECK: return %[[X]], %[[Y]]
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %0 = graph.binary add %zero, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.binary div %0, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // This one broadcasts.
  %zeros = arith.constant dense<0.0> : tensor<2x4xf32>
  %2 = graph.binary add %x, %zeros : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1, %2 : tensor<4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @global_pools
func.func @global_pools(%x: tensor<1x2x3x5xf32>) -> (tensor<1x2xf32>, tensor<1x2x1x1xf32>) {
  // CHECK: %[[A:.*]] = graph.avg_pool %arg0 {kernel = array<i64: 3, 5>
  // CHECK: graph.reshape %[[A]]
  // CHECK: graph.max_pool %arg0
  %0 = graph.reduce mean %x {axes = array<i64: 2, 3>} : (tensor<1x2x3x5xf32>) -> tensor<1x2xf32>
  %1 = graph.reduce max %x {axes = array<i64: 2, 3>} : (tensor<1x2x3x5xf32>) -> tensor<1x2x1x1xf32>
  return %0, %1 : tensor<1x2xf32>, tensor<1x2x1x1xf32>
}

// CHECK-LABEL: func.func @batched_matmul
func.func @batched_matmul(%x: tensor<2x3x4xf32>) -> tensor<2x3x5xf32> {
  // CHECK: %[[F:.*]] = graph.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  // CHECK: %[[P:.*]] = graph.matmul %[[F]]
  // CHECK: graph.reshape %[[P]] : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
  %w = arith.constant dense<1.0> : tensor<4x5xf32>
  %0 = graph.matmul %x, %w : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @split_and_joined
// CHECK-SAME: (%[[X:.*]]: tensor<1x6x4xf32>, %[[Y:.*]]: tensor<1x1x4xf32>)
func.func @split_and_joined(%x: tensor<1x6x4xf32>, %y: tensor<1x1x4xf32>)
    -> (tensor<1x7x4xf32>, tensor<1x4x4xf32>, tensor<1x6x4xf32>) {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<1x6x4xf32>) -> tensor<1x2x4xf32>
  %b = graph.slice %x {starts = array<i64: 0, 2, 0>, steps = array<i64: 1, 1, 1>} : (tensor<1x6x4xf32>) -> tensor<1x2x4xf32>
  %c = graph.slice %x {starts = array<i64: 0, 4, 0>, steps = array<i64: 1, 1, 1>} : (tensor<1x6x4xf32>) -> tensor<1x2x4xf32>
  // CHECK-DAG: %[[ALL:.*]] = graph.concat %[[X]], %[[Y]] {axis = 1 : i64}
  %0 = graph.concat %a, %b, %c, %y {axis = 1 : i64} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x7x4xf32>
  // CHECK-DAG: %[[PART:.*]] = graph.slice %[[X]] {starts = array<i64: 0, 2, 0>
  %1 = graph.concat %b, %c {axis = 1 : i64} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x4x4xf32>
  // Another order is another tensor.
  // CHECK-DAG: %[[TURNED:.*]] = graph.concat %{{.*}}, %{{.*}} {axis = 1 : i64}
  %2 = graph.concat %c, %a, %b {axis = 1 : i64} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x6x4xf32>
  // CHECK: return %[[ALL]], %[[PART]], %[[TURNED]]
  return %0, %1, %2 : tensor<1x7x4xf32>, tensor<1x4x4xf32>, tensor<1x6x4xf32>
}

// A bias joins the product that was made flat. Weights may be those of a quantised model.
// CHECK-LABEL: func.func @bias_of_batched_matmul
func.func @bias_of_batched_matmul(%x: tensor<2x3x4xf32>) -> tensor<2x3x5xf32> {
  // CHECK: %[[P:.*]] = graph.matmul {{.*}} -> tensor<6x5xf32>
  // CHECK: %[[S:.*]] = graph.binary add %[[P]], %{{.*}} : (tensor<6x5xf32>, tensor<5xf32>)
  // CHECK: graph.reshape %[[S]] : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
  %w = arith.constant dense<3> : tensor<4x5xi8>
  %d = graph.dequantize %w {scales = array<f32: 0.5>, zero_points = array<i64: 0>} : (tensor<4x5xi8>) -> tensor<4x5xf32>
  %b = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %0 = graph.matmul %x, %d : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  %1 = graph.binary add %0, %b : (tensor<2x3x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// One with a value for each row, or one that is computed, stays where it is.
// CHECK-LABEL: func.func @no_bias_of_batched_matmul
func.func @no_bias_of_batched_matmul(%x: tensor<2x5x4xf32>, %y: tensor<5xf32>) -> (tensor<2x5x5xf32>, tensor<2x5x5xf32>) {
  // CHECK-COUNT-2: graph.binary add {{.*}} -> tensor<2x5x5xf32>
  %w = arith.constant dense<1.0> : tensor<4x5xf32>
  %b = arith.constant dense<[[1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<5x1xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x4xf32>, tensor<4x5xf32>) -> tensor<2x5x5xf32>
  %1 = graph.binary add %0, %b : (tensor<2x5x5xf32>, tensor<5x1xf32>) -> tensor<2x5x5xf32>
  %2 = graph.matmul %x, %w : (tensor<2x5x4xf32>, tensor<4x5xf32>) -> tensor<2x5x5xf32>
  %3 = graph.binary add %2, %y : (tensor<2x5x5xf32>, tensor<5xf32>) -> tensor<2x5x5xf32>
  return %1, %3 : tensor<2x5x5xf32>, tensor<2x5x5xf32>
}

// Numbers that multiply an operand multiply the product of two activations; vectors do not.
// CHECK-LABEL: func.func @scaled_operands
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>, %[[Y:.*]]: tensor<2x4x5xf32>)
func.func @scaled_operands(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  // CHECK: %[[P:.*]] = graph.matmul %[[X]], %[[Y]]
  // CHECK: graph.binary mul %[[P]]
  // CHECK: %[[V:.*]] = graph.binary mul %[[X]]
  // CHECK: graph.matmul %[[V]], %[[Y]]
  %c = arith.constant dense<0.5> : tensor<f32>
  %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.binary mul %x, %c : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %1 = graph.binary mul %c, %y : (tensor<f32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %2 = graph.matmul %0, %1 : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %3 = graph.binary mul %x, %v : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %4 = graph.matmul %3, %y : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %2, %4 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}

// One constant index, or several in even steps, take a range. Others are gathered.
// CHECK-LABEL: func.func @gather_of_range
// CHECK-SAME: (%[[X:.*]]: tensor<6x4xf32>)
func.func @gather_of_range(%x: tensor<6x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<2x4xf32>, tensor<1x4xf32>) {
  // CHECK: %[[A:.*]] = graph.slice %[[X]] {starts = array<i64: 5, 0>, steps = array<i64: 1, 1>} {{.*}} -> tensor<1x4xf32>
  // CHECK: graph.reshape %[[A]] {{.*}} -> tensor<4xf32>
  // CHECK: graph.slice %[[X]] {starts = array<i64: 1, 0>, steps = array<i64: 2, 1>} {{.*}} -> tensor<3x4xf32>
  // CHECK: graph.gather {{.*}} -> tensor<2x4xf32>
  // CHECK: graph.gather {{.*}} -> tensor<1x4xf32>
  %last = arith.constant dense<-1> : tensor<i64>
  %odd = arith.constant dense<[1, 3, 5]> : tensor<3xi64>
  %falling = arith.constant dense<[3, 1]> : tensor<2xi64>
  %outside = arith.constant dense<[6]> : tensor<1xi64>
  %0 = graph.gather %x, %last {axis = 0 : i64} : (tensor<6x4xf32>, tensor<i64>) -> tensor<4xf32>
  %1 = graph.gather %x, %odd {axis = 0 : i64} : (tensor<6x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %2 = graph.gather %x, %falling {axis = 0 : i64} : (tensor<6x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %3 = graph.gather %x, %outside {axis = 0 : i64} : (tensor<6x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<3x4xf32>, tensor<2x4xf32>, tensor<1x4xf32>
}

// A difference of two tensors of one shape; not of a constant, and not of what a quantised model gives.
// CHECK-LABEL: func.func @difference
// CHECK: %[[NEGATIVE:.*]] = graph.binary mul %arg1, {{.*}} : (tensor<2x3xf32>, tensor<1xf32>)
// CHECK: graph.binary add %arg0, %[[NEGATIVE]]
// CHECK: graph.binary sub
// CHECK: graph.binary sub
// CHECK: graph.binary sub
func.func @difference(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %row: tensor<3xf32>, %i: tensor<2x3xi8>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = graph.binary sub %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = arith.constant dense<1.0> : tensor<2x3xf32>
  %1 = graph.binary sub %c, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.binary sub %x, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %d = graph.dequantize %i {scales = array<f32: 0.5>, zero_points = array<i64: 0>} : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %3 = graph.binary sub %x, %d : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// Bounds of integers are bounds of what is rounded; one for each column stays.
// CHECK-LABEL: func.func @bounded_integers
func.func @bounded_integers(%x: tensor<2x4xf32>) -> (tensor<2x4xui8>, tensor<2x4xi8>) {
  // CHECK: %[[C:.*]] = graph.clip %arg0 {max = 6.000000e+00 : f64, min = -1.000000e+00 : f64}
  // CHECK: graph.quantize %[[C]] {{.*}} -> tensor<2x4xui8>
  %0 = graph.quantize %x {axis = 0 : i64, scales = array<f32: 0.5>, zero_points = array<i64: 3>}
      : (tensor<2x4xf32>) -> tensor<2x4xui8>
  %low = arith.constant dense<1> : tensor<i8>
  %high = arith.constant dense<15> : tensor<i8>
  %l = graph.cast %low : (tensor<i8>) -> tensor<ui8>
  %h = graph.cast %high : (tensor<i8>) -> tensor<ui8>
  %1 = graph.binary max %0, %l : (tensor<2x4xui8>, tensor<ui8>) -> tensor<2x4xui8>
  %2 = graph.binary min %1, %h : (tensor<2x4xui8>, tensor<ui8>) -> tensor<2x4xui8>
  // CHECK: %[[Q:.*]] = graph.quantize %arg0 {{.*}} -> tensor<2x4xi8>
  // CHECK: graph.binary max %[[Q]]
  %3 = graph.quantize %x {axis = 0 : i64, scales = array<f32: 0.5>, zero_points = array<i64: 3>}
      : (tensor<2x4xf32>) -> tensor<2x4xi8>
  %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  %4 = graph.binary max %3, %c : (tensor<2x4xi8>, tensor<4xi8>) -> tensor<2x4xi8>
  return %2, %4 : tensor<2x4xui8>, tensor<2x4xi8>
}
