// RUN: vta-opt %s --gpu-group-ops --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Zeros, a product that adds to them, and what makes bytes of the sums are one group. The sums stay in it.
// CHECK-LABEL: func.func @product
// CHECK-NOT: memref.alloc
// CHECK: scf.execute_region
// CHECK-NEXT: %[[SUMS:.*]] = memref.alloc() : memref<8x16xi32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[SUMS]]
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[SUMS]]
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[SUMS]], %{{.*}} : {{.*}}) outs(%arg3
// CHECK: scf.yield
func.func @product(%a: memref<8x8xi32>, %b: memref<8x16xi32>, %s: memref<8xi32>, %y: memref<8x16xi8>) {
  %zero = arith.constant 0 : i32
  %sums = memref.alloc() : memref<8x16xi32>
  linalg.fill ins(%zero : i32) outs(%sums : memref<8x16xi32>)
  linalg.matmul ins(%a, %b : memref<8x8xi32>, memref<8x16xi32>) outs(%sums : memref<8x16xi32>)
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %s : memref<8x16xi32>, memref<8xi32>) outs(%y : memref<8x16xi8>) {
  ^bb0(%sum: i32, %shift: i32, %out: i8):
    %shifted = arith.shrsi %sum, %shift : i32
    %byte = arith.trunci %shifted : i32 to i8
    linalg.yield %byte : i8
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// What reads other elements, and what nothing of the group goes on with, begin groups of their own.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: scf.execute_region
func.func @apart(%x: memref<4x4xf32>, %y: memref<4x4xf32>, %z: memref<4x4xf32>) {
  %sums = memref.alloc() : memref<4x4xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x4xf32>) outs(%sums : memref<4x4xf32>) {
  ^bb0(%v: f32, %out: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sums : memref<4x4xf32>) outs(%y : memref<4x4xf32>) {
  ^bb0(%v: f32, %out: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x4xf32>) outs(%z : memref<4x4xf32>) {
  ^bb0(%v: f32, %out: f32):
    linalg.yield %v : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// A part of a buffer and the whole are the same memory.
// CHECK-LABEL: func.func @parts
// CHECK-NOT: scf.execute_region
func.func @parts(%x: memref<4xf32>, %whole: memref<8xf32>, %y: memref<4xf32>) {
  %low = memref.subview %whole[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %high = memref.subview %whole[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%low : memref<4xf32, strided<[1]>>) {
  ^bb0(%v: f32, %out: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%low, %high : memref<4xf32, strided<[1]>>, memref<4xf32, strided<[1], offset: 2>>)
      outs(%y : memref<4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#kept = affine_map<(d0, d1) -> (d0, 0)>

// A sum of long rows, and what goes on with it by way of a view, are one group. The sums stay in it. A fill for something
// else does not join.
// CHECK-LABEL: func.func @rows
// CHECK: scf.execute_region
// CHECK-NEXT: %[[SUMS:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[KEPT:.*]] = memref.expand_shape %[[SUMS]]
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[SUMS]]
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[SUMS]]
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[KEPT]]
// CHECK: scf.yield
// CHECK: linalg.fill {{.*}} outs(%arg2
func.func @rows(%x: memref<4x100xf32>, %y: memref<4x100xf32>, %z: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<4xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x100xf32>) outs(%sums : memref<4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.addf %v, %sum : f32
    linalg.yield %s : f32
  }
  %kept = memref.expand_shape %sums [[0, 1]] output_shape [4, 1] : memref<4xf32> into memref<4x1xf32>
  linalg.generic {indexing_maps = [#id, #kept, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %kept : memref<4x100xf32>, memref<4x1xf32>) outs(%y : memref<4x100xf32>) {
  ^bb0(%v: f32, %sum: f32, %out: f32):
    %q = arith.divf %v, %sum : f32
    linalg.yield %q : f32
  }
  linalg.fill ins(%zero : f32) outs(%z : memref<4xf32>)
  return
}
