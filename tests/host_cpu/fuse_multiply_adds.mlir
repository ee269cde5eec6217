// RUN: vta-opt %s --host-cpu-fuse-multiply-adds --split-input-file | FileCheck %s

// A named product gets a body of its own, in which each step rounds once.
// CHECK-LABEL: func.func @product
// CHECK-NOT: linalg.matmul
// CHECK: linalg.generic
// CHECK: ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32, %[[SUM:.+]]: f32):
// CHECK-NEXT: %[[FUSED:.+]] = math.fma %[[X]], %[[Y]], %[[SUM]] : f32
// CHECK: linalg.yield %[[FUSED]]
func.func @product(%x: tensor<4x8xf32>, %y: tensor<8x16xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = linalg.matmul ins(%x, %y : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

// Integers are not concerned.
// CHECK-LABEL: func.func @integers
// CHECK: linalg.matmul
// CHECK-NOT: math.fma
func.func @integers(%x: tensor<4x8xi32>, %y: tensor<8x16xi32>, %init: tensor<4x16xi32>) -> tensor<4x16xi32> {
  %0 = linalg.matmul ins(%x, %y : tensor<4x8xi32>, tensor<8x16xi32>) outs(%init : tensor<4x16xi32>) -> tensor<4x16xi32>
  return %0 : tensor<4x16xi32>
}

// -----

#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// LLVM may reorder this sum, and would no longer know it as one.
// CHECK-LABEL: func.func @reordered
// CHECK: arith.mulf
// CHECK: arith.addf {{.*}} fastmath<reassoc>
// CHECK-NOT: math.fma
func.func @reordered(%x: tensor<64xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [#vector, #scalar], iterator_types = ["reduction"]}
      ins(%x : tensor<64xf32>) outs(%init : tensor<f32>) {
    ^bb0(%a: f32, %sum: f32):
      %square = arith.mulf %a, %a : f32
      %next = arith.addf %square, %sum fastmath<reassoc> : f32
      linalg.yield %next : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

#each = affine_map<(i) -> (i)>

// Nothing is summed over a loop: two operations of the network, which round twice.
// CHECK-LABEL: func.func @elements
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: math.fma
func.func @elements(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%z : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      linalg.yield %sum : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
