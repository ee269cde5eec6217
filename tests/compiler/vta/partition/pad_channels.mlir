// RUN: vta-opt %s --vta-pad-channels --split-input-file | FileCheck %s

// Zeros behind the channels of an image between kernels: filters without weights.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = graph.unary relu
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}1]], {{\[\[}}0]]], {{\[\[\[}}0]], {{\[\[}}1]]], {{\[\[\[}}0]], {{\[\[}}0]]]]> : tensor<3x2x1x1xi8>
// CHECK: %[[S:.*]] = graph.conv %[[R]], %[[W]] {{.*}}vta.macs = 0 : i64{{.*}} : (tensor<1x2x4x4xi8>, tensor<3x2x1x1xi8>) -> tensor<1x3x4x4xi32>
// CHECK: graph.clip_int %[[S]]
// CHECK: graph.cast {{.*}} -> tensor<1x3x4x4xi8>
// CHECK-NOT: graph.pad
// CHECK: return
func.func @main(%x: tensor<1x2x4x4xi8>) -> tensor<1x3x4x4xi8> {
  %r = graph.unary relu %x : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xi8>
  %p = graph.pad constant %r {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>} : (tensor<1x2x4x4xi8>) -> tensor<1x3x4x4xi8>
  %y = graph.unary relu %p : (tensor<1x3x4x4xi8>) -> tensor<1x3x4x4xi8>
  return %y : tensor<1x3x4x4xi8>
}

// -----

// Another value, as that of a zero point, is a bias; and channels may come in front.
// CHECK-LABEL: func.func @main
// CHECK-DAG: arith.constant dense<{{\[\[\[\[}}0]]], {{\[\[\[}}1]]]]> : tensor<2x1x1x1xi8>
// CHECK-DAG: arith.constant dense<[-7, 0]> : tensor<2xi32>
// CHECK: graph.conv
// CHECK-NOT: graph.pad
// CHECK: return
func.func @main(%x: tensor<1x1x4x4xi8>) -> tensor<1x2x4x4xi8> {
  %r = graph.unary relu %x : (tensor<1x1x4x4xi8>) -> tensor<1x1x4x4xi8>
  %p = graph.pad constant %r {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 0, 0>, value = -7.0 : f64} : (tensor<1x1x4x4xi8>) -> tensor<1x2x4x4xi8>
  %y = graph.unary relu %p : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xi8>
  return %y : tensor<1x2x4x4xi8>
}

// -----

// Left alone: what the host has, what only the host reads, other dimensions, other modes, channels that vanish.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-5: graph.pad
// CHECK-NOT: graph.conv
// CHECK: return
func.func @main(%x: tensor<1x2x4x4xi8>) -> (tensor<1x3x4x4xi8>, tensor<1x3x4x4xi8>, tensor<1x3x5x4xi8>, tensor<1x3x4x4xi8>, tensor<1x1x4x4xi8>) {
  %r = graph.unary relu %x : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xi8>
  %a = graph.pad constant %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>} : (tensor<1x2x4x4xi8>) -> tensor<1x3x4x4xi8>
  %a1 = graph.unary relu %a : (tensor<1x3x4x4xi8>) -> tensor<1x3x4x4xi8>
  %b = graph.pad constant %r {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>} : (tensor<1x2x4x4xi8>) -> tensor<1x3x4x4xi8>
  %c = graph.pad constant %r {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 1, 0>} : (tensor<1x2x4x4xi8>) -> tensor<1x3x5x4xi8>
  %c1 = graph.unary relu %c : (tensor<1x3x5x4xi8>) -> tensor<1x3x5x4xi8>
  %d = graph.pad edge %r {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 0, 0>} : (tensor<1x2x4x4xi8>) -> tensor<1x3x4x4xi8>
  %d1 = graph.unary relu %d : (tensor<1x3x4x4xi8>) -> tensor<1x3x4x4xi8>
  %e = graph.pad constant %r {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, -1, 0, 0>} : (tensor<1x2x4x4xi8>) -> tensor<1x1x4x4xi8>
  %e1 = graph.unary relu %e : (tensor<1x1x4x4xi8>) -> tensor<1x1x4x4xi8>
  return %a1, %b, %c1, %d1, %e1 : tensor<1x3x4x4xi8>, tensor<1x3x4x4xi8>, tensor<1x3x5x4xi8>, tensor<1x3x4x4xi8>, tensor<1x1x4x4xi8>
}
