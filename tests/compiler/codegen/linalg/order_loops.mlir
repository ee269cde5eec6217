// RUN: vta-opt %s --host-order-loops | FileCheck %s

// The loop over the columns of the result, which are also neighbours in %b, becomes the innermost one,
// behind the sum.
// CHECK: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @product
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "reduction", "parallel"]}
func.func @product(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%c : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// No operand is walked along the rows' only dimension: the sum stays innermost.
// CHECK-LABEL: func.func @rows
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
func.func @rows(%a: tensor<3x5xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(r, k) -> (r, k)>, affine_map<(r, k) -> (r)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<3x5xf32>) outs(%c : tensor<3xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %1 = arith.addf %x, %sum : f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
