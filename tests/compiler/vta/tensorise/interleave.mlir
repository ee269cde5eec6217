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

// -----

// What lies beyond an image is stored by the kernel that computes it: its edge, mirrored, or its other end. A roll is the
// latter, with crops at the other side.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_a_ref
// CHECK-SAME: crop_top = -1, crop_left = -2, crop_bottom = -1}
// CHECK-SAME: op = "MaxPool+Pad"
// CHECK-SAME: -> tensor<1x2x5x5x1x16xi8>
// CHECK: vta.kernel @vta_b_ref
// CHECK-SAME: crop_left = -2, crop_right = -1, border = reflect}
// CHECK: vta.kernel @vta_c_ref
// CHECK-SAME: crop_left = -1, crop_right = 1, border = wrap}
func.func @main(%x: tensor<1x20x3x3xi8>) -> (tensor<1x20x5x5xi8>, tensor<1x20x3x6xi8>, tensor<1x20x3x3xi8>) {
  %a = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x3x3xi8>) -> tensor<1x20x3x3xi8> loc("a")
  %p = graph.pad edge %a {low = array<i64: 0, 0, 1, 2>, high = array<i64: 0, 0, 1, 0>} : (tensor<1x20x3x3xi8>) -> tensor<1x20x5x5xi8>
  %b = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x3x3xi8>) -> tensor<1x20x3x3xi8> loc("b")
  %q = graph.pad reflect %b {low = array<i64: 0, 0, 0, 2>, high = array<i64: 0, 0, 0, 1>} : (tensor<1x20x3x3xi8>) -> tensor<1x20x3x6xi8>
  %c = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x3x3xi8>) -> tensor<1x20x3x3xi8> loc("c")
  %r = graph.pad wrap %c {low = array<i64: 0, 0, 0, 1>, high = array<i64: 0, 0, 0, -1>} : (tensor<1x20x3x3xi8>) -> tensor<1x20x3x3xi8>
  return %p, %q, %r : tensor<1x20x5x5xi8>, tensor<1x20x3x6xi8>, tensor<1x20x3x3xi8>
}

// -----

// A kernel stores a part of its rows and columns. What something else reads too is moved by a kernel of its own, unless
// the host has or needs it.
// CHECK-LABEL: func.func @main
// CHECK: graph.slice %arg0 {{.*}}vta.reason = "the host has, or needs, what it moves"
// CHECK: %[[A:.*]] = vta.kernel @vta_a_ref
// CHECK-SAME: crop_top = 1, crop_right = 1}
// CHECK-SAME: op = "MaxPool+Slice"
// CHECK: %[[B:.*]] = vta.kernel @vta_b_ref(%[[A]])
// CHECK: %[[P:.*]] = vta.kernel @vta_p_ref(%[[B]])
// CHECK-SAME: #vta.kernel<elementwise
// CHECK-SAME: op = "Pad"
// CHECK: vta.kernel @vta_c_ref(%[[P]])
// CHECK: graph.pad reflect {{.*}}vta.reason = "the host has, or needs, what it moves"
func.func @main(%x: tensor<1x20x4x4xi8>) -> (tensor<1x20x2x3xi8>, tensor<1x20x2x2xi8>, tensor<1x20x3x4xi8>, tensor<1x20x3x2xi8>) {
  %h = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x20x4x4xi8>) -> tensor<1x20x3x3xi8>
  %a = graph.max_pool %h {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x3x3xi8>) -> tensor<1x20x3x3xi8> loc("a")
  %s = graph.slice %a {starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x20x3x3xi8>) -> tensor<1x20x2x2xi8>
  %b = graph.max_pool %s {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x2x2xi8>) -> tensor<1x20x2x2xi8> loc("b")
  %p = graph.pad edge %b {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 0, 1>} : (tensor<1x20x2x2xi8>) -> tensor<1x20x3x4xi8> loc("p")
  %c = graph.max_pool %p {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x3x4xi8>) -> tensor<1x20x3x4xi8> loc("c")
  %q = graph.pad reflect %b {low = array<i64: 0, 0, 0, 1>, high = array<i64: 0, 0, 0, 0>} : (tensor<1x20x2x2xi8>) -> tensor<1x20x2x3xi8>
  %e = graph.pad edge %b {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 0>} : (tensor<1x20x2x2xi8>) -> tensor<1x20x3x2xi8>
  return %q, %b, %c, %e : tensor<1x20x2x3xi8>, tensor<1x20x2x2xi8>, tensor<1x20x3x4xi8>, tensor<1x20x3x2xi8>
}

// -----

// Phases of groups that fill blocks are those of each group: no weights between different groups are stored.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_conv_ref({{.*}}) weight({{.*}} : tensor<8x1x1x1x16x16xi8>)
// CHECK-SAME: in_channel_blocks = 2, out_channel_blocks = 8, groups = 2,
// CHECK-SAME: phases = 4}
func.func @main(%x: tensor<1x32x3x3xi8>) -> tensor<1x32x6x6xi8> {
  %w = arith.constant dense<1> : tensor<128x1x1x1xi8>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 32 : i64} : (tensor<1x32x3x3xi8>, tensor<128x1x1x1xi8>) -> tensor<1x128x3x3xi32> loc("conv")
  %i = graph.cast %c : (tensor<1x128x3x3xi32>) -> tensor<1x128x3x3xi8>
  %d = graph.interleave %i {block = array<i64: 2, 2>, groups = 32 : i64} : (tensor<1x128x3x3xi8>) -> tensor<1x32x6x6xi8>
  return %d : tensor<1x32x6x6xi8>
}

// -----

// Rows that no border has: the last one in front of the first.
// CHECK-LABEL: func.func @main
// CHECK-NOT: vta.kernel
// CHECK: graph.pad {{.*}}vta.reason = "the outputs beyond the image are neither its edge, mirrored nor wrapped"
func.func @main(%x: tensor<1x16x1x3xi8>) -> tensor<1x16x1x3xi8> {
  %p = vta.pack %x : tensor<1x16x1x3xi8> -> tensor<1x1x1x3x1x16xi8>
  %k = call @k_ref(%p) {vta.offload = @k} : (tensor<1x1x1x3x1x16xi8>) -> tensor<1x1x1x3x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x1x3x1x16xi8> -> tensor<1x16x1x3xi8>
  return %u : tensor<1x16x1x3xi8>
}
func.func private @k(%x: tensor<1x16x1x3xi8>) -> tensor<1x16x1x3xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Pad", vta.macs = 0 : i64} {
  %y = graph.pad wrap %x {low = array<i64: 0, 0, 0, 1>, high = array<i64: 0, 0, 0, -1>} : (tensor<1x16x1x3xi8>) -> tensor<1x16x1x3xi8>
  return %y : tensor<1x16x1x3xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x3x1x16xi8>) -> tensor<1x1x1x3x1x16xi8> attributes {vta.reference} {
  %rows = arith.constant dense<0> : tensor<1xi64>
  %columns = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %init = tensor.empty() : tensor<1x1x1x3x1x16xi8>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (y)>, affine_map<(n, o, y, x, b, l) -> (x)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%rows, %columns : tensor<1xi64>, tensor<3xi64>) outs(%init : tensor<1x1x1x3x1x16xi8>) {
  ^bb0(%r: i64, %c: i64, %out: i8):
    %n = linalg.index 0 : index
    %o = linalg.index 1 : index
    %y = arith.index_cast %r : i64 to index
    %z = arith.index_cast %c : i64 to index
    %b = linalg.index 4 : index
    %l = linalg.index 5 : index
    %v = tensor.extract %x[%n, %o, %y, %z, %b, %l] : tensor<1x1x1x3x1x16xi8>
    linalg.yield %v : i8
  } -> tensor<1x1x1x3x1x16xi8>
  return %s : tensor<1x1x1x3x1x16xi8>
}
