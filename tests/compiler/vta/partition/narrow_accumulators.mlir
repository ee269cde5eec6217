// RUN: vta-opt %s --vta-partition=hw=%S/Inputs/acc24.yaml --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-partition --split-input-file | FileCheck %s --check-prefix=WIDE

// Accumulators of 24 bits: what may need more runs on the host, with the reason.

// The sums are -8,323,072 to 8,258,048.
// CHECK-LABEL: func.func @main
// CHECK: call @vta_kernel
func.func @main(%x: tensor<1x512x1x1xi8>) -> tensor<1x16x1x1xi8> {
  %w = arith.constant dense<127> : tensor<16x512x1x1xi8>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x512x1x1xi8>, tensor<16x512x1x1xi8>) -> tensor<1x16x1x1xi32>
  %q = graph.clip_int %c {min = -128 : i64, max = 127 : i64} : (tensor<1x16x1x1xi32>) -> tensor<1x16x1x1xi32>
  %y = graph.cast %q : (tensor<1x16x1x1xi32>) -> tensor<1x16x1x1xi8>
  return %y : tensor<1x16x1x1xi8>
}

// -----

// 8,388,608 does not fit.
// CHECK-LABEL: func.func @main
// CHECK: graph.conv {{.*}}vta.reason = "its accumulators may need 25 bits, and the hardware's have 24"
// WIDE-LABEL: func.func @main
// WIDE: call @vta_kernel
func.func @main(%x: tensor<1x512x1x1xi8>) -> tensor<1x16x1x1xi8> {
  %w = arith.constant dense<-128> : tensor<16x512x1x1xi8>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x512x1x1xi8>, tensor<16x512x1x1xi8>) -> tensor<1x16x1x1xi32>
  %q = graph.clip_int %c {min = -128 : i64, max = 127 : i64} : (tensor<1x16x1x1xi32>) -> tensor<1x16x1x1xi32>
  %y = graph.cast %q : (tensor<1x16x1x1xi32>) -> tensor<1x16x1x1xi8>
  return %y : tensor<1x16x1x1xi8>
}

// -----

// A bias that brings the sum back: only what CLIP reads has to fit.
// CHECK-LABEL: func.func @main
// CHECK: call @vta_kernel
func.func @main(%x: tensor<1x512x1x1xi8>) -> tensor<1x16x1x1xi8> {
  %w = arith.constant dense<-128> : tensor<16x512x1x1xi8>
  %b = arith.constant dense<-1> : tensor<1x16x1x1xi32>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x512x1x1xi8>, tensor<16x512x1x1xi8>) -> tensor<1x16x1x1xi32>
  %s = graph.binary add %c, %b : (tensor<1x16x1x1xi32>, tensor<1x16x1x1xi32>) -> tensor<1x16x1x1xi32>
  %q = graph.clip_int %s {min = -128 : i64, max = 127 : i64} : (tensor<1x16x1x1xi32>) -> tensor<1x16x1x1xi32>
  %y = graph.cast %q : (tensor<1x16x1x1xi32>) -> tensor<1x16x1x1xi8>
  return %y : tensor<1x16x1x1xi8>
}

// -----

// A shift to the left may wrap, one to the right may not.
// CHECK-LABEL: func.func @main
// CHECK: graph.cast {{.*}}vta.reason = "its accumulators may need 25 bits, and the hardware's have 24"
func.func @main(%x: tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi8> {
  %left = arith.constant dense<-17> : tensor<1xi32>
  %right = arith.constant dense<17> : tensor<1xi32>
  %e = graph.cast %x : (tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi32>
  %l = graph.shr %e, %left : (tensor<1x16x2x2xi32>, tensor<1xi32>) -> tensor<1x16x2x2xi32>
  %r = graph.shr %l, %right : (tensor<1x16x2x2xi32>, tensor<1xi32>) -> tensor<1x16x2x2xi32>
  %y = graph.cast %r : (tensor<1x16x2x2xi32>) -> tensor<1x16x2x2xi8>
  return %y : tensor<1x16x2x2xi8>
}

// -----

// A bound that is a constant has to fit, too.
// CHECK-LABEL: func.func @main
// CHECK: graph.cast {{.*}}vta.reason = "its accumulators may need 25 bits, and the hardware's have 24"
func.func @main(%x: tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi8> {
  %k = arith.constant dense<8388608> : tensor<1xi32>
  %e = graph.cast %x : (tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi32>
  %m = graph.binary min %e, %k : (tensor<1x16x2x2xi32>, tensor<1xi32>) -> tensor<1x16x2x2xi32>
  %y = graph.cast %m : (tensor<1x16x2x2xi32>) -> tensor<1x16x2x2xi8>
  return %y : tensor<1x16x2x2xi8>
}

// -----

// QMUL's result would saturate at other bounds.
// CHECK-LABEL: func.func @main
// CHECK: graph.cast {{.*}}vta.reason = "its accumulators may need 25 bits, and the hardware's have 24"
func.func @main(%x: tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi8> {
  %k = arith.constant dense<-100000> : tensor<1xi32>
  %e = graph.cast %x : (tensor<1x16x2x2xi8>) -> tensor<1x16x2x2xi32>
  %m = graph.qmul %e, %k {shift = 0 : i64} : (tensor<1x16x2x2xi32>, tensor<1xi32>) -> tensor<1x16x2x2xi32>
  %y = graph.cast %m : (tensor<1x16x2x2xi32>) -> tensor<1x16x2x2xi8>
  return %y : tensor<1x16x2x2xi8>
}
