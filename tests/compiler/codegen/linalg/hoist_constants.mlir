// RUN: vta-opt %s --allow-unregistered-dialect --host-hoist-constants | FileCheck %s

// More than 252 bytes become an argument behind the inputs; equal constants share it. Small ones stay.
// CHECK-LABEL: func.func @main(%arg0: tensor<65xf32>, %arg1: tensor<65xf32>) -> tensor<65xf32>
// CHECK-NEXT: %[[SMALL:.*]] = arith.constant dense<3.000000e+00> : tensor<63xf32>
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %arg0, %arg1
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[SUM]], %arg1
// CHECK-NEXT: "test.use"(%[[SMALL]])
// CHECK-NEXT: return %[[PRODUCT]]
func.func @main(%x: tensor<65xf32>) -> tensor<65xf32> {
  %large = arith.constant dense<2.0> : tensor<65xf32>
  %small = arith.constant dense<3.0> : tensor<63xf32>
  %0 = arith.addf %x, %large : tensor<65xf32>
  %equal = arith.constant dense<2.0> : tensor<65xf32>
  %1 = arith.mulf %0, %equal : tensor<65xf32>
  "test.use"(%small) : (tensor<63xf32>) -> ()
  return %1 : tensor<65xf32>
}

// A tensor without elements needs no argument.
// CHECK-LABEL: func.func @nothing() -> tensor<0xf32>
// CHECK-NEXT: tensor.empty() : tensor<0xf32>
func.func @nothing() -> tensor<0xf32> {
  %0 = arith.constant dense<> : tensor<0xf32>
  return %0 : tensor<0xf32>
}
