// RUN: vta-opt %s --host-add-context --host-results-to-arguments | FileCheck %s

// (context, inputs, results), on buffers; the body is still on tensors.
// CHECK-LABEL: func.func @main(%arg0: !llvm.ptr, %arg1: memref<8xf32>, %arg2: memref<8xf32>) attributes {vta.entry}
// CHECK-NEXT: %[[X:.*]] = bufferization.to_tensor %arg1 restrict : memref<8xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.unary relu %[[X]]
// CHECK-NEXT: bufferization.materialize_in_destination %[[Y]] in restrict writable %arg2
// CHECK-NEXT: return{{$}}
func.func @main(%x: tensor<8xf32> {graph.name = "x"}) -> tensor<8xf32> {
  %0 = graph.unary relu %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Tensors without elements are passed as buffers of one, which nothing touches.
// CHECK-LABEL: func.func @nothing(%arg0: !llvm.ptr, %arg1: memref<1xf32>, %arg2: memref<1xf32>)
// CHECK-NEXT: return{{$}}
func.func @nothing(%x: tensor<0xf32>) -> tensor<0xf32> {
  return %x : tensor<0xf32>
}
