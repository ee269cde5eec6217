// RUN: vta-opt %s --vta-place-programs | FileCheck %s

// A constant is packed at compile time: channels 0 to 31 in two blocks. What is computed is packed around the program, and
// the function becomes its reference.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<1x32x2x3xi8>)
// CHECK-DAG: %[[B:.*]] = arith.constant dense<{{.*}}0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]{{.*}}16, 17, {{.*}}> : tensor<1x2x1x1x1x16xi32>
// CHECK-DAG: %[[P:.*]] = vta.pack %[[X]] : tensor<1x32x2x3xi8> -> tensor<1x2x2x3x1x16xi8>
// CHECK: %[[Y:.*]] = vta.program @kernel_1_ref(%[[P]], %[[B]])
// CHECK-SAME: buffers = ["x", "b", "y"]
// CHECK-SAME: op = "shift"
// CHECK-SAME: program = dense_resource<shift>
// CHECK: vta.unpack %[[Y]] : tensor<1x2x2x3x1x16xi8> -> tensor<1x32x2x3xi8>
// CHECK: func.func private @kernel_1_ref(%{{.*}}: tensor<1x2x2x3x1x16xi8>, %{{.*}}: tensor<1x2x1x1x1x16xi32>) -> tensor<1x2x2x3x1x16xi8>
// CHECK-SAME: vta.reference
// CHECK-NOT: vta.unpack
// CHECK: graph.transpose
// CHECK: graph.cast
// CHECK: graph.binary add
// CHECK-NOT: vta.pack
// CHECK-NOT: func.func private @kernel_1(
func.func @main(%x: tensor<1x32x2x3xi8>) -> tensor<1x32x2x3xi8> {
  %b = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                             16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi32>
  %y = func.call @kernel_1(%x, %b) : (tensor<1x32x2x3xi8>, tensor<32xi32>) -> tensor<1x32x2x3xi8>
  return %y : tensor<1x32x2x3xi8>
}
func.func private @kernel_1(%x: tensor<1x32x2x3xi8>, %b: tensor<32xi32>) -> tensor<1x32x2x3xi8> attributes {
    graph.kernel_node = "shift", vta.program = dense_resource<shift> : tensor<4xi8>,
    vta.tile_kernel = "format: 1\0Akernels: [{name: shift, elements: {batch: 1, block_in: 16, block_out: 16}, tensors: [{name: x, memory: ACC_8BIT, shape: [1, 2, 2, 3]}, {name: b, memory: ACC, shape: [2]}, {name: y, memory: OUT, shape: [1, 2, 2, 3]}], tiles: [], body: []}]"} {
  %wide = graph.cast %x : (tensor<1x32x2x3xi8>) -> tensor<1x32x2x3xi32>
  %column = graph.reshape %b : (tensor<32xi32>) -> tensor<32x1x1xi32>
  %sum = graph.binary add %wide, %column : (tensor<1x32x2x3xi32>, tensor<32x1x1xi32>) -> tensor<1x32x2x3xi32>
  %y = graph.cast %sum : (tensor<1x32x2x3xi32>) -> tensor<1x32x2x3xi8>
  return %y : tensor<1x32x2x3xi8>
}
