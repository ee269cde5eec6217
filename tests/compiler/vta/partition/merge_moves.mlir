// RUN: vta-opt %s --vta-merge-moves --split-input-file | FileCheck %s

// A roll of rows and columns is one pad.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[P:.*]] = graph.pad wrap %arg0 {high = array<i64: 0, 0, -3, -1>, low = array<i64: 0, 0, 3, 1>} : (tensor<1x4x5x4xi8>) -> tensor<1x4x5x4xi8>
// CHECK-NEXT: return %[[P]]
func.func @main(%x: tensor<1x4x5x4xi8>) -> tensor<1x4x5x4xi8> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 2, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x5x4xi8>) -> tensor<1x4x3x4xi8>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x5x4xi8>) -> tensor<1x4x2x4xi8>
  %c = graph.concat %a, %b {axis = 2 : i64} : (tensor<1x4x3x4xi8>, tensor<1x4x2x4xi8>) -> tensor<1x4x5x4xi8>
  %d = graph.slice %c {starts = array<i64: 0, 0, 0, 3>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x5x4xi8>) -> tensor<1x4x5x1xi8>
  %e = graph.slice %c {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x5x4xi8>) -> tensor<1x4x5x3xi8>
  %y = graph.concat %d, %e {axis = 3 : i64} : (tensor<1x4x5x1xi8>, tensor<1x4x5x3xi8>) -> tensor<1x4x5x4xi8>
  return %y : tensor<1x4x5x4xi8>
}

// -----

// Two rolls of one axis stay two; parts of different tensors, in their own order, with steps or with a gap are no roll.
// CHECK-LABEL: func.func @main
// CHECK: graph.pad wrap
// CHECK: graph.pad wrap
// CHECK-NOT: graph.pad
// CHECK: return
func.func @main(%x: tensor<1x4x1x4xi8>, %z: tensor<1x4x1x4xi8>) -> (tensor<1x4x1x4xi8>, tensor<1x4x1x4xi8>, tensor<1x4x1x4xi8>, tensor<1x4x1x4xi8>, tensor<1x4x1x3xi8>) {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 3>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x1x4xi8>) -> tensor<1x4x1x1xi8>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x1x4xi8>) -> tensor<1x4x1x3xi8>
  %c = graph.concat %a, %b {axis = 3 : i64} : (tensor<1x4x1x1xi8>, tensor<1x4x1x3xi8>) -> tensor<1x4x1x4xi8>
  %d = graph.slice %c {starts = array<i64: 0, 0, 0, 3>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x1x4xi8>) -> tensor<1x4x1x1xi8>
  %e = graph.slice %c {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x1x4xi8>) -> tensor<1x4x1x3xi8>
  %y = graph.concat %d, %e {axis = 3 : i64} : (tensor<1x4x1x1xi8>, tensor<1x4x1x3xi8>) -> tensor<1x4x1x4xi8>
  %f = graph.slice %z {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x1x4xi8>) -> tensor<1x4x1x3xi8>
  %two = graph.concat %a, %f {axis = 3 : i64} : (tensor<1x4x1x1xi8>, tensor<1x4x1x3xi8>) -> tensor<1x4x1x4xi8>
  %order = graph.concat %b, %a {axis = 3 : i64} : (tensor<1x4x1x3xi8>, tensor<1x4x1x1xi8>) -> tensor<1x4x1x4xi8>
  %g = graph.slice %x {starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 1, 2>} : (tensor<1x4x1x4xi8>) -> tensor<1x4x1x2xi8>
  %h = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x4x1x4xi8>) -> tensor<1x4x1x2xi8>
  %steps = graph.concat %g, %h {axis = 3 : i64} : (tensor<1x4x1x2xi8>, tensor<1x4x1x2xi8>) -> tensor<1x4x1x4xi8>
  %gap = graph.concat %a, %h {axis = 3 : i64} : (tensor<1x4x1x1xi8>, tensor<1x4x1x2xi8>) -> tensor<1x4x1x3xi8>
  return %y, %two, %order, %steps, %gap : tensor<1x4x1x4xi8>, tensor<1x4x1x4xi8>, tensor<1x4x1x4xi8>, tensor<1x4x1x4xi8>, tensor<1x4x1x3xi8>
}

// -----

// ONNX's Tile: three images side by side. Channels are no pixels.
// CHECK-LABEL: func.func @main
// CHECK: graph.pad wrap %arg0 {high = array<i64: 0, 0, 0, 8>, low = array<i64: 0, 0, 0, 0>} : (tensor<1x4x3x4xi8>) -> tensor<1x4x3x12xi8>
// CHECK-NEXT: graph.expand {{.*}} -> tensor<1x1x2x4x1x3x1x4xi8>
// CHECK-NEXT: graph.reshape {{.*}} -> tensor<1x8x3x4xi8>
// CHECK-NEXT: return
func.func @main(%x: tensor<1x4x3x4xi8>) -> (tensor<1x4x3x12xi8>, tensor<1x8x3x4xi8>) {
  %s = graph.reshape %x : (tensor<1x4x3x4xi8>) -> tensor<1x1x1x4x1x3x1x4xi8>
  %e = graph.expand %s : (tensor<1x1x1x4x1x3x1x4xi8>) -> tensor<1x1x1x4x1x3x3x4xi8>
  %y = graph.reshape %e : (tensor<1x1x1x4x1x3x3x4xi8>) -> tensor<1x4x3x12xi8>
  %f = graph.expand %s : (tensor<1x1x1x4x1x3x1x4xi8>) -> tensor<1x1x2x4x1x3x1x4xi8>
  %z = graph.reshape %f : (tensor<1x1x2x4x1x3x1x4xi8>) -> tensor<1x8x3x4xi8>
  return %y, %z : tensor<1x4x3x12xi8>, tensor<1x8x3x4xi8>
}

// -----

// A pixel that a kernel computes becomes an image; one that the host has stays as it is.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = graph.max_pool
// CHECK: graph.interleave %[[A]] {block = array<i64: 3, 5>, repeat = true}
// CHECK: graph.expand %arg0
func.func @main(%x: tensor<1x4x1x1xi8>) -> (tensor<1x4x3x5xi8>, tensor<1x4x3x5xi8>) {
  %a = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x1x1xi8>) -> tensor<1x4x1x1xi8>
  %y = graph.expand %a : (tensor<1x4x1x1xi8>) -> tensor<1x4x3x5xi8>
  %z = graph.expand %x : (tensor<1x4x1x1xi8>) -> tensor<1x4x3x5xi8>
  return %y, %z : tensor<1x4x3x5xi8>, tensor<1x4x3x5xi8>
}
