// RUN: vta-opt %s --gpu-store-halves --split-input-file | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>

// Weights and what goes from one op to the next are halves; sums and the function's results are not.
// CHECK-LABEL: func.func @products
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @products(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[X16:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>)
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.truncf
  // CHECK: %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<8x8xf16>
  %w = arith.constant dense<0.1> : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[X16]], %[[W]] : tensor<4x8xf16>, tensor<8x8xf16>)
  // CHECK-COUNT-2: arith.extf
  // CHECK: -> tensor<4x8xf32>
  %sum = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>)
    outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<4x8xf32>)
  // CHECK: arith.truncf
  // CHECK: -> tensor<4x8xf16>
  %r = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
    ins(%sum : tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[R]], %[[W]] : tensor<4x8xf16>, tensor<8x8xf16>)
  // CHECK: -> tensor<4x8xf32>
  %y = linalg.matmul ins(%r, %w : tensor<4x8xf32>, tensor<8x8xf32>)
    outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#row = affine_map<(d0, d1) -> (d0, d1)>

// Moves keep halves, and parts of one tensor are of one type. Other ops get floats.
// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  // CHECK: tensor.collapse_shape {{.*}} : tensor<4x8xf16> into tensor<32xf16>
  %flat = tensor.collapse_shape %r [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  // CHECK: tensor.insert_slice {{.*}} : tensor<4x8xf16> into tensor<8x8xf16>
  // CHECK: tensor.insert_slice {{.*}} : tensor<4x8xf16> into tensor<8x8xf16>
  %whole = tensor.empty() : tensor<8x8xf32>
  %upper = tensor.insert_slice %r into %whole[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
  %both = tensor.insert_slice %x into %upper[4, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
  // CHECK-COUNT-2: arith.extf
  // CHECK: return {{.*}} : tensor<32xf32>, tensor<8x8xf32>
  return %flat, %both : tensor<32xf32>, tensor<8x8xf32>
}
