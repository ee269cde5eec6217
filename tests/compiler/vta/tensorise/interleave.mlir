// RUN: vta-opt %s --vta-partition --vta-pack --vta-tensorise --split-input-file | FileCheck %s

// A convolution stores depth to space itself, whatever the number of channels: 12 of a place fill up one block each. A crop
// behind it is part of the store.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_conv_ref({{.*}}) weight({{.*}} : tensor<4x1x1x1x16x16xi8>)
// CHECK-SAME: out_channel_blocks = 4,
// CHECK-SAME: interleave_y = 2, interleave_x = 2, phases = 4, crop_left = 1, crop_bottom = 1
// CHECK-SAME: macs = 1234 : i64, op = "ConvTranspose"
// CHECK-SAME: tensor<1x1x3x3x1x16xi8> -> tensor<1x1x5x5x1x16xi8>
// CHECK-NEXT: vta.unpack
func.func @main(%x: tensor<1x16x3x3xi8>) -> tensor<1x12x5x5xi8> {
  %w = arith.constant dense<1> : tensor<48x16x1x1xi8>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x16x3x3xi8>, tensor<48x16x1x1xi8>) -> tensor<1x48x3x3xi32> loc("conv")
  %i = graph.cast %c : (tensor<1x48x3x3xi32>) -> tensor<1x48x3x3xi8>
  %d = graph.interleave %i {block = array<i64: 2, 2>, groups = 12 : i64, graph.operator = "ConvTranspose", graph.macs = 1234 : i64} : (tensor<1x48x3x3xi8>) -> tensor<1x12x6x6xi8>
  %y = graph.slice %d {starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x12x6x6xi8>) -> tensor<1x12x5x5xi8>
  return %y : tensor<1x12x5x5xi8>
}

// -----

// Pixels are repeated by the kernel that computes them, unless something else reads them too.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = vta.kernel @vta_a_ref
// CHECK-SAME: op = "MaxPool"
// CHECK: vta.kernel @vta_twice_ref(%[[A]])
// CHECK-SAME: #vta.kernel<elementwise
// CHECK-SAME: op = "Resize"
// CHECK: vta.kernel @vta_b_ref
// CHECK-SAME: interleave_y = 3, interleave_x = 2
// CHECK-SAME: op = "MaxPool+Resize"
func.func @main(%x: tensor<1x20x2x2xi8>) -> (tensor<1x20x2x2xi8>, tensor<1x20x4x4xi8>, tensor<1x20x6x4xi8>) {
  %a = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x2x2xi8>) -> tensor<1x20x2x2xi8> loc("a")
  %t = graph.interleave %a {block = array<i64: 2, 2>, repeat = true} : (tensor<1x20x2x2xi8>) -> tensor<1x20x4x4xi8> loc("twice")
  %b = graph.max_pool %a {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x2x2xi8>) -> tensor<1x20x2x2xi8> loc("b")
  %r = graph.interleave %b {block = array<i64: 3, 2>, repeat = true} : (tensor<1x20x2x2xi8>) -> tensor<1x20x6x4xi8>
  return %a, %t, %r : tensor<1x20x2x2xi8>, tensor<1x20x4x4xi8>, tensor<1x20x6x4xi8>
}

// -----

// Depth to space of what no convolution computes needs whole blocks.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_whole_ref
// CHECK-SAME: phases = 4
// CHECK-SAME: op = "DepthToSpace"
// CHECK: graph.interleave {{.*}}vta.reason = "the channels of one place are not whole blocks of 16"
func.func @main(%x: tensor<1x64x2x2xi8>, %z: tensor<1x20x2x2xi8>) -> (tensor<1x16x4x4xi8>, tensor<1x5x4x4xi8>) {
  %t = graph.interleave %x {block = array<i64: 2, 2>} : (tensor<1x64x2x2xi8>) -> tensor<1x16x4x4xi8> loc("whole")
  %u = graph.interleave %z {block = array<i64: 2, 2>} : (tensor<1x20x2x2xi8>) -> tensor<1x5x4x4xi8> loc("parts")
  return %t, %u : tensor<1x16x4x4xi8>, tensor<1x5x4x4xi8>
}

// -----

// A reference whose outputs go to other places than a kernel stores them at is none.
// CHECK-LABEL: func.func @main
// CHECK-NOT: vta.kernel
// CHECK: graph.interleave {{.*}}vta.reason = "the outputs are neither repeated nor depth to space"
func.func @main(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x4xi8> {
  %p = vta.pack %x : tensor<1x16x1x2xi8> -> tensor<1x1x1x2x1x16xi8>
  %k = call @k_ref(%p) {vta.offload = @k} : (tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x4x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x1x4x1x16xi8> -> tensor<1x16x1x4xi8>
  return %u : tensor<1x16x1x4xi8>
}
func.func private @k(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x4xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Resize", vta.macs = 0 : i64} {
  %y = graph.interleave %x {block = array<i64: 1, 2>, repeat = true} : (tensor<1x16x1x2xi8>) -> tensor<1x16x1x4xi8>
  return %y : tensor<1x16x1x4xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x4x1x16xi8> attributes {vta.reference} {
  %s_init = tensor.empty() : tensor<1x1x1x1x2x2x1x16xi8>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, i, x, j, b, l) -> (n, o, y, j, b, l)>, affine_map<(n, o, y, i, x, j, b, l) -> (n, o, y, i, x, j, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x1x1x2x1x16xi8>) outs(%s_init : tensor<1x1x1x1x2x2x1x16xi8>) {
  ^bb0(%in: i8, %o: i8):
    linalg.yield %in : i8
  } -> tensor<1x1x1x1x2x2x1x16xi8>
  %c = tensor.collapse_shape %s [[0], [1], [2, 3], [4, 5], [6], [7]] : tensor<1x1x1x1x2x2x1x16xi8> into tensor<1x1x1x4x1x16xi8>
  return %c : tensor<1x1x1x4x1x16xi8>
}
