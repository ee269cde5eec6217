// RUN: vta-opt %s --vta-partition --vta-pack --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-partition --vta-pack=hw=%configs/hw/batched-4x16x16.yaml --split-input-file | FileCheck %s --check-prefix=BATCH

// Consecutive kernels exchange packed tensors, ragged channels included.
// CHECK-LABEL: func.func @main
// CHECK: vta.pack %arg0 : tensor<1x20x4x4xi8> -> tensor<1x2x4x4x1x16xi8>
// CHECK-NEXT: call @vta_a_ref
// CHECK-NEXT: call @vta_b_ref
// CHECK-NEXT: vta.unpack
// CHECK-NEXT: return
// BATCH-LABEL: func.func @main
// BATCH: vta.pack %arg0 : tensor<1x20x4x4xi8> -> tensor<1x2x4x4x4x16xi8>
func.func @main(%x: tensor<1x20x4x4xi8>) -> tensor<1x20x2x2xi8> {
  %a = graph.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x4x4xi8>) -> tensor<1x20x4x4xi8> loc("a")
  %b = graph.max_pool %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x20x4x4xi8>) -> tensor<1x20x2x2xi8> loc("b")
  return %b : tensor<1x20x2x2xi8>
}

// -----

// Whole blocks are concatenated packed, the ragged last part too; explicit borders are padded packed.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = call @vta_a_ref
// CHECK: %[[B:.*]] = call @vta_b_ref
// CHECK: %[[C:.*]] = graph.concat %[[A]], %[[B]] {axis = 1 : i64} : {{.*}} -> tensor<1x3x4x4x1x16xi8>
// CHECK: %[[P:.*]] = graph.pad constant %[[C]] {high = array<i64: 0, 0, 1, 0, 0, 0>{{.*}} -> tensor<1x3x5x4x1x16xi8>
// CHECK: call @vta_c_ref(%[[P]])
func.func @main(%x: tensor<1x32x4x4xi8>, %y: tensor<1x5x4x4xi8>) -> tensor<1x37x5x4xi8> {
  %a = graph.clip_int %x {min = 0 : i64, max = 6 : i64} : (tensor<1x32x4x4xi8>) -> tensor<1x32x4x4xi8> loc("a")
  %b = graph.clip_int %y {min = 0 : i64, max = 6 : i64} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8> loc("b")
  %c = graph.concat %a, %b {axis = 1 : i64} : (tensor<1x32x4x4xi8>, tensor<1x5x4x4xi8>) -> tensor<1x37x4x4xi8>
  %p = graph.pad constant %c {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 0>, value = 3.0 : f64} : (tensor<1x37x4x4xi8>) -> tensor<1x37x5x4xi8>
  %d = graph.clip_int %p {min = 0 : i64, max = 5 : i64} : (tensor<1x37x5x4xi8>) -> tensor<1x37x5x4xi8> loc("c")
  return %d : tensor<1x37x5x4xi8>
}

// -----

// What kernels made is joined once, packed, for host operations too.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = call @vta_a_ref
// CHECK: %[[B:.*]] = call @vta_b_ref
// CHECK: %[[C:.*]] = graph.concat %[[A]], %[[B]] {axis = 1 : i64} : {{.*}} -> tensor<1x3x4x4x1x16xi8>
// CHECK: %[[P:.*]] = vta.unpack %[[C]] : {{.*}} -> tensor<1x37x4x4xi8>
// CHECK: call @vta_d_ref(%[[C]])
// CHECK: graph.cast %[[P]]
// CHECK-NOT: graph.concat
func.func @main(%x: tensor<1x32x4x4xi8>, %y: tensor<1x5x4x4xi8>) -> (tensor<1x37x4x4xi8>, tensor<1x37x4x4xi32>) {
  %a = graph.clip_int %x {min = 0 : i64, max = 6 : i64} : (tensor<1x32x4x4xi8>) -> tensor<1x32x4x4xi8> loc("a")
  %b = graph.clip_int %y {min = 0 : i64, max = 6 : i64} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8> loc("b")
  %c = graph.concat %a, %b {axis = 1 : i64} : (tensor<1x32x4x4xi8>, tensor<1x5x4x4xi8>) -> tensor<1x37x4x4xi8>
  %d = graph.clip_int %c {min = 0 : i64, max = 5 : i64} : (tensor<1x37x4x4xi8>) -> tensor<1x37x4x4xi8> loc("d")
  %e = graph.cast %c : (tensor<1x37x4x4xi8>) -> tensor<1x37x4x4xi32>
  return %d, %e : tensor<1x37x4x4xi8>, tensor<1x37x4x4xi32>
}

// -----

// A ragged part in front leaves a gap in the middle of a block: plain tensors.
// CHECK-LABEL: func.func @main
// CHECK: graph.concat {{.*}} -> tensor<1x37x4x4xi8>
// CHECK: vta.pack
func.func @main(%x: tensor<1x32x4x4xi8>, %y: tensor<1x5x4x4xi8>) -> tensor<1x37x4x4xi8> {
  %a = graph.clip_int %x {min = 0 : i64, max = 6 : i64} : (tensor<1x32x4x4xi8>) -> tensor<1x32x4x4xi8> loc("a")
  %b = graph.clip_int %y {min = 0 : i64, max = 6 : i64} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8> loc("b")
  %c = graph.concat %b, %a {axis = 1 : i64} : (tensor<1x5x4x4xi8>, tensor<1x32x4x4xi8>) -> tensor<1x37x4x4xi8>
  %d = graph.clip_int %c {min = 0 : i64, max = 5 : i64} : (tensor<1x37x4x4xi8>) -> tensor<1x37x4x4xi8> loc("c")
  return %d : tensor<1x37x4x4xi8>
}

// -----

// A dense layer reads a flattened image as it is; rows of a matrix go along the width.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = call @vta_pool_ref
// CHECK: call @vta_dense_ref(%[[P]], {{.*}}tensor<1x1x2x2x16x16xi8>
// CHECK: vta.pack %{{.*}} : tensor<6x20xi8> -> tensor<1x2x1x6x1x16xi8>
// BATCH-LABEL: func.func @main
// BATCH: vta.pack %{{.*}} : tensor<6x20xi8> -> tensor<1x2x1x2x4x16xi8>
func.func @main(%x: tensor<1x16x4x4xi8>, %m: tensor<2x3x20xi8>) -> (tensor<1x10xi8>, tensor<2x3x10xi8>) {
  %w = arith.constant dense<1> : tensor<64x10xi8>
  %v = arith.constant dense<1> : tensor<20x10xi8>
  %p = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x16x4x4xi8>) -> tensor<1x16x2x2xi8> loc("pool")
  %f = graph.reshape %p : (tensor<1x16x2x2xi8>) -> tensor<1x64xi8>
  %d = graph.matmul %f, %w : (tensor<1x64xi8>, tensor<64x10xi8>) -> tensor<1x10xi32> loc("dense")
  %y = graph.cast %d : (tensor<1x10xi32>) -> tensor<1x10xi8>
  %e = graph.matmul %m, %v : (tensor<2x3x20xi8>, tensor<20x10xi8>) -> tensor<2x3x10xi32> loc("rows")
  %z = graph.cast %e : (tensor<2x3x10xi32>) -> tensor<2x3x10xi8>
  return %y, %z : tensor<1x10xi8>, tensor<2x3x10xi8>
}

// -----

// Layers of one shape share a reference; what differs are operands.
// CHECK-LABEL: func.func @main
// CHECK: call @vta_a_ref
// CHECK: call @vta_a_ref
// CHECK: call @vta_c_ref
func.func @main(%x: tensor<2x16xi8>) -> tensor<2x16xi8> {
  %v = arith.constant dense<1> : tensor<16x16xi8>
  %w = arith.constant dense<2> : tensor<16x16xi8>
  %one = arith.constant dense<1> : tensor<1xi32>
  %a = graph.matmul %x, %v : (tensor<2x16xi8>, tensor<16x16xi8>) -> tensor<2x16xi32> loc("a")
  %ay = graph.cast %a : (tensor<2x16xi32>) -> tensor<2x16xi8>
  %b = graph.matmul %ay, %w : (tensor<2x16xi8>, tensor<16x16xi8>) -> tensor<2x16xi32> loc("b")
  %by = graph.cast %b : (tensor<2x16xi32>) -> tensor<2x16xi8>
  %c = graph.matmul %by, %w : (tensor<2x16xi8>, tensor<16x16xi8>) -> tensor<2x16xi32> loc("c")
  %cs = graph.shr %c, %one : (tensor<2x16xi32>, tensor<1xi32>) -> tensor<2x16xi32>
  %cy = graph.cast %cs : (tensor<2x16xi32>) -> tensor<2x16xi8>
  return %cy : tensor<2x16xi8>
}

// -----

// What moves whole blocks stays packed: halves of the channels, every second row, joined in another order, behind
// whole blocks of padding, space to depth.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = call @vta_a_ref
// CHECK-NOT: vta.unpack
// CHECK-DAG: %[[L:.*]] = graph.slice %[[A]] {starts = array<i64: 0, 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 1, 1, 1>} {{.*}} -> tensor<1x1x2x4x1x16xi8>
// CHECK-DAG: %[[R:.*]] = graph.slice %[[A]] {starts = array<i64: 0, 1, 1, 0, 0, 0>, steps = array<i64: 1, 1, 2, 1, 1, 1>} {{.*}} -> tensor<1x1x2x4x1x16xi8>
// CHECK: %[[C:.*]] = graph.concat %[[R]], %[[L]] {axis = 1 : i64} {{.*}} -> tensor<1x2x2x4x1x16xi8>
// CHECK: %[[P:.*]] = graph.pad constant %[[C]] {high = array<i64: 0, 0, 0, 0, 0, 0>, low = array<i64: 0, 1, 0, 0, 0, 0>{{.*}} -> tensor<1x3x2x4x1x16xi8>
// CHECK: %[[S:.*]] = graph.reshape %[[P]] : (tensor<1x3x2x4x1x16xi8>) -> tensor<1x3x1x2x2x2x1x16xi8>
// CHECK: %[[T:.*]] = graph.transpose %[[S]] {permutation = array<i64: 0, 3, 5, 1, 2, 4, 6, 7>}
// CHECK: %[[D:.*]] = graph.reshape %[[T]] {{.*}} -> tensor<1x12x1x2x1x16xi8>
// CHECK: call @vta_b_ref(%[[D]])
func.func @main(%x: tensor<1x32x4x4xi8>) -> tensor<1x192x1x2xi8> {
  %a = graph.clip_int %x {min = 0 : i64, max = 6 : i64} : (tensor<1x32x4x4xi8>) -> tensor<1x32x4x4xi8> loc("a")
  %l = graph.slice %a {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x16x2x4xi8>
  %r = graph.slice %a {starts = array<i64: 0, 16, 1, 0>, steps = array<i64: 1, 1, 2, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x16x2x4xi8>
  %c = graph.concat %r, %l {axis = 1 : i64} : (tensor<1x16x2x4xi8>, tensor<1x16x2x4xi8>) -> tensor<1x32x2x4xi8>
  %p = graph.pad constant %c {low = array<i64: 0, 16, 0, 0>, high = array<i64: 0, 0, 0, 0>, value = 3.0 : f64} : (tensor<1x32x2x4xi8>) -> tensor<1x48x2x4xi8>
  %s = graph.reshape %p : (tensor<1x48x2x4xi8>) -> tensor<1x48x1x2x2x2xi8>
  %t = graph.transpose %s {permutation = array<i64: 0, 3, 5, 1, 2, 4>} : (tensor<1x48x1x2x2x2xi8>) -> tensor<1x2x2x48x1x2xi8>
  %d = graph.reshape %t : (tensor<1x2x2x48x1x2xi8>) -> tensor<1x192x1x2xi8>
  %b = graph.clip_int %d {min = 0 : i64, max = 5 : i64} : (tensor<1x192x1x2xi8>) -> tensor<1x192x1x2xi8> loc("b")
  return %b : tensor<1x192x1x2xi8>
}

// -----

// Parts of blocks do not: a slice that starts inside of one, padding that begins inside of one.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = call @vta_a_ref
// CHECK: vta.unpack %[[A]]
// CHECK: graph.slice {{.*}} -> tensor<1x16x4x4xi8>
// CHECK: graph.pad {{.*}} -> tensor<1x24x4x4xi8>
// CHECK: vta.pack
func.func @main(%x: tensor<1x32x4x4xi8>) -> tensor<1x24x4x4xi8> {
  %a = graph.clip_int %x {min = 0 : i64, max = 6 : i64} : (tensor<1x32x4x4xi8>) -> tensor<1x32x4x4xi8> loc("a")
  %l = graph.slice %a {starts = array<i64: 0, 8, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x32x4x4xi8>) -> tensor<1x16x4x4xi8>
  %p = graph.pad constant %l {low = array<i64: 0, 8, 0, 0>, high = array<i64: 0, 0, 0, 0>, value = 3.0 : f64} : (tensor<1x16x4x4xi8>) -> tensor<1x24x4x4xi8>
  %b = graph.clip_int %p {min = 0 : i64, max = 5 : i64} : (tensor<1x24x4x4xi8>) -> tensor<1x24x4x4xi8> loc("b")
  return %b : tensor<1x24x4x4xi8>
}
