// RUN: vta-opt %s --vta-outline-host=most-ops=5 --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-outline-host=most-ops=0 --split-input-file | FileCheck %s --check-prefix=ONE

// Five operations would end between the second convolution and its cast. The cut is in front of the
// convolution, where the tensor is a byte an element, and no layer is torn.
// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]] = call @host_0(%arg0) {{.*}} -> tensor<1x4x2x2xi8>
// CHECK: call @host_1(%[[FIRST]])
// CHECK-LABEL: func.func @host_0
// CHECK: graph.conv
// CHECK: graph.clip_int
// CHECK: graph.cast
// CHECK-NEXT: return
// CHECK-LABEL: func.func @host_1
// CHECK: graph.conv
// CHECK: graph.clip_int
// CHECK: graph.cast
// CHECK-NEXT: return
// ONE-COUNT-6: call @host_
func.func @main(%x: tensor<1x4x2x2xi8>) -> tensor<1x4x2x2xi8> {
  %w = arith.constant dense<1> : tensor<4x4x1x1xi8>
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, pad_value = 0 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x2x2xi8>, tensor<4x4x1x1xi8>) -> tensor<1x4x2x2xi32>
  %1 = graph.clip_int %0 {max = 127 : i64, min = -128 : i64} : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xi32>
  %2 = graph.cast %1 : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xi8>
  %3 = graph.conv %2, %w {dilations = array<i64: 1, 1>, pad_value = 0 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x2x2xi8>, tensor<4x4x1x1xi8>) -> tensor<1x4x2x2xi32>
  %4 = graph.clip_int %3 {max = 127 : i64, min = -128 : i64} : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xi32>
  %5 = graph.cast %4 : (tensor<1x4x2x2xi32>) -> tensor<1x4x2x2xi8>
  return %5 : tensor<1x4x2x2xi8>
}

// -----

// Of two places in front of a convolution the cut takes the one that no other tensor crosses.
// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]] = call @host_0(%arg0) {{.*}} -> tensor<1x4x2x2xf32>
// CHECK: call @host_1(%[[FIRST]])
// CHECK-LABEL: func.func @host_0
// CHECK: graph.conv
// CHECK: graph.unary relu
// CHECK: graph.unary abs
// CHECK-NEXT: return
func.func @main(%x: tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32> {
  %w = arith.constant dense<1.0> : tensor<4x4x1x1xf32>
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x2x2xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x2xf32>
  %1 = graph.unary relu %0 : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  %2 = graph.unary abs %1 : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  %3 = graph.conv %2, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x2x2xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x2xf32>
  %4 = graph.conv %3, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x2x2xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x2xf32>
  %5 = graph.binary add %4, %2 : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  return %5 : tensor<1x4x2x2xf32>
}
