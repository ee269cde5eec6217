// RUN: vta-opt %s --host-inline-calls --split-input-file --verify-diagnostics | FileCheck %s

// Calls inside of called functions are inlined, too; afterwards only public functions are left.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[A:.*]] = graph.unary relu %arg0
// CHECK-NEXT: %[[B:.*]] = graph.unary neg %[[A]]
// CHECK-NEXT: %[[C:.*]] = graph.unary relu %[[B]]
// CHECK-NEXT: return %[[C]]
// CHECK-NOT: func.func
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @both(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.unary neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @both(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @+1 {{type 'index' in a signature; only static tensors of numbers are handled}}
func.func @main(%x: index) {
  return
}

// -----

// expected-error @+1 {{type 'tensor<?xf32>' in a signature}}
func.func @main(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error @+1 {{host code needs functions with one block}}
func.func private @outside(%x: tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{call cannot be inlined}}
  %0 = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
