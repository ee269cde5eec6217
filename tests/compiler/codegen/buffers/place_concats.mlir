// RUN: vta-opt %s --host-place-concats | FileCheck %s

// Both parts are computed in the result's buffer; nothing is inserted into a tensor.
// CHECK-LABEL: func.func @result
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>, %[[OUT:.*]]: memref<2x8xf32>
// CHECK: %[[RIGHT:.*]] = memref.subview %[[OUT]][0, 4] [2, 4] [1, 1]
// CHECK: %[[START:.*]] = bufferization.to_tensor %[[RIGHT]] restrict writable
// CHECK: %[[B:.*]] = linalg.exp {{.*}} outs(%[[START]]
// CHECK: bufferization.materialize_in_destination %[[B]] in restrict writable %[[RIGHT]]
// CHECK-NOT: tensor.concat
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @result(%x: tensor<2x4xf32>, %out: memref<2x8xf32>) {
  %0 = tensor.empty() : tensor<2x4xf32>
  %a = linalg.negf ins(%x : tensor<2x4xf32>) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = tensor.empty() : tensor<2x4xf32>
  %b = linalg.exp ins(%x : tensor<2x4xf32>) outs(%1 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = tensor.concat dim(1) %a, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<2x8xf32>, memref<2x8xf32>) -> ()
  return
}

// A part that is given is copied. What else reads a part reads its place, and cannot write it; neither can what reads
// the whole.
// CHECK-LABEL: func.func @inside
// CHECK: %[[WHOLE:.*]] = memref.alloc() : memref<12xf32>
// CHECK: %[[PLACE:.*]] = memref.subview %[[WHOLE]][4] [8] [1]
// CHECK: %[[A:.*]] = linalg.fill
// CHECK: bufferization.materialize_in_destination %[[A]] in restrict writable %[[PLACE]]
// CHECK: %[[READ:.*]] = bufferization.to_tensor %[[PLACE]] restrict :
// CHECK: bufferization.materialize_in_destination %arg0 in restrict writable %{{.*}}
// CHECK: %[[Y:.*]] = bufferization.to_tensor %[[WHOLE]] restrict :
// CHECK: return %[[READ]], %[[Y]]
func.func @inside(%x: tensor<4xf32>, %c: f32) -> (tensor<8xf32>, tensor<12xf32>) {
  %0 = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%c : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %y = tensor.concat dim(0) %x, %a : (tensor<4xf32>, tensor<8xf32>) -> tensor<12xf32>
  return %a, %y : tensor<8xf32>, tensor<12xf32>
}

// A whole that is a part has no memory of its own.
// CHECK-LABEL: func.func @nested
// CHECK-COUNT-1: memref.alloc() : memref<3x2xf32>
// CHECK-NOT: memref.alloc
// CHECK: memref.subview %{{.*}}[1, 0] [1, 2] [1, 1]
// CHECK: memref.subview %{{.*}}[2, 0] [1, 2] [1, 1]
// CHECK: memref.subview %{{.*}}[1, 0] [2, 2] [1, 1]
// CHECK: return
func.func @nested(%x: tensor<1x2xf32>, %y: tensor<1x2xf32>) -> tensor<3x2xf32> {
  %inner = tensor.concat dim(0) %x, %y : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %outer = tensor.concat dim(0) %y, %inner : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  return %outer : tensor<3x2xf32>
}

// A part twice in one whole: its second place is a copy of the first.
// CHECK-LABEL: func.func @twice
// CHECK: %[[FIRST:.*]] = memref.subview %[[WHOLE:.*]][0] [4] [1]
// CHECK: %[[READ:.*]] = bufferization.to_tensor %[[FIRST]] restrict :
// CHECK: %[[SECOND:.*]] = memref.subview %[[WHOLE]][4] [4] [1]
// CHECK: bufferization.materialize_in_destination %[[READ]] in restrict writable %[[SECOND]]
func.func @twice(%c: f32) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%c : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %y = tensor.concat dim(0) %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Parts without elements have no place, and a whole without elements no memory.
// CHECK-LABEL: func.func @nothing
// CHECK: tensor.empty() : tensor<0xf32>
// CHECK-NOT: memref.subview
// CHECK: return
func.func @nothing(%x: tensor<0xf32>, %y: tensor<4xf32>) -> (tensor<0xf32>, tensor<4xf32>) {
  %0 = tensor.concat dim(0) %x, %x : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  %1 = tensor.concat dim(0) %x, %y : (tensor<0xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<0xf32>, tensor<4xf32>
}
