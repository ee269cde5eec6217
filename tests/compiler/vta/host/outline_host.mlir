// RUN: vta-opt %s --vta-outline-host --split-input-file | FileCheck %s

// Without kernels, everything is one function; constants move into it.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @host_0(%arg0) {vta.layer = "a .. b", vta.macs = 0 : i64, vta.op = "Add+Relu", vta.reason = ""}
// CHECK-NEXT: return
// CHECK-LABEL: func.func @host_0
// CHECK-NEXT: arith.constant
// CHECK-NEXT: graph.binary add
// CHECK-NEXT: graph.unary relu
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %a = graph.binary add %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("a")
  %b = graph.unary relu %a : (tensor<4xf32>) -> tensor<4xf32> loc("b")
  return %b : tensor<4xf32>
}

// -----

// Two functions around a kernel; what it does not need stands behind it, to run while it does. Packing
// is spelled out.
// CHECK-LABEL: func.func @main
// CHECK: %[[H:.*]] = call @host_0(%arg0)
// CHECK: %[[K:.*]] = vta.kernel @ref(%[[H]])
// CHECK: %[[E:.*]] = call @host_1(%arg1)
// CHECK-SAME: vta.reason = "float operator"
// CHECK: %[[O:.*]] = call @host_2(%[[K]])
// CHECK-SAME: vta.layer = "", vta.macs = 0 : i64, vta.op = "Unpack", vta.reason = "data movement"
// CHECK: return %[[O]], %[[E]]
// CHECK-LABEL: func.func @host_0
// CHECK: graph.pad {{.*}} -> tensor<1x16x2x2xi8>
// CHECK: graph.reshape {{.*}} -> tensor<1x1x1x16x2x2xi8>
// CHECK: graph.transpose {{.*}} -> tensor<1x1x2x2x1x16xi8>
// CHECK-LABEL: func.func @host_1
// CHECK: graph.unary exp
// CHECK-NOT: vta.reason
// CHECK-LABEL: func.func @host_2
// CHECK: graph.transpose
// CHECK: graph.reshape
// CHECK: graph.slice {{.*}} -> tensor<1x3x2x2xi8>
func.func @main(%x: tensor<1x3x2x2xi8>, %f: tensor<4xf32>) -> (tensor<1x3x2x2xi8>, tensor<4xf32>) {
  %p = vta.pack %x : tensor<1x3x2x2xi8> -> tensor<1x1x2x2x1x16xi8>
  %k = vta.kernel @ref(%p) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "k", op = "Relu", macs = 0 : i64} : tensor<1x1x2x2x1x16xi8> -> tensor<1x1x2x2x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x2x2x1x16xi8> -> tensor<1x3x2x2xi8>
  %e = graph.unary exp %f {vta.reason = "float operator"} : (tensor<4xf32>) -> tensor<4xf32> loc("e")
  return %u, %e : tensor<1x3x2x2xi8>, tensor<4xf32>
}
func.func private @ref(tensor<1x1x2x2x1x16xi8>) -> tensor<1x1x2x2x1x16xi8> attributes {vta.reference}

// -----

// Kernels that the host waits for come first: it works on their results while the VTA runs the others.
// What it does with all results is another function.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel {{.*}} layer = "a"
// CHECK: %[[D:.*]] = vta.kernel {{.*}} layer = "d"
// CHECK: vta.kernel {{.*}} layer = "b"
// CHECK: %[[C:.*]] = vta.kernel {{.*}} layer = "c"
// CHECK: %[[H:.*]] = call @host_0(%[[D]])
// CHECK: %[[J:.*]] = call @host_1(%[[H]], %[[C]])
// CHECK: %[[E:.*]] = vta.kernel @ref(%[[J]]) {{.*}} layer = "e"
// CHECK: return %[[E]]
!big = tensor<1x1x512x512x1x16xi8>
func.func @main(%x: !big) -> !big {
  %a = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_height = 512, in_width = 512, out_height = 512, out_width = 512}>, layer = "a", op = "Relu", macs = 0 : i64} : !big -> !big
  %b = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise, geometry = {in_height = 512, in_width = 512, out_height = 512, out_width = 512}>, layer = "b", op = "Relu", macs = 0 : i64} : !big -> !big
  %c = vta.kernel @ref(%b) {desc = #vta.kernel<elementwise, geometry = {in_height = 512, in_width = 512, out_height = 512, out_width = 512}>, layer = "c", op = "Relu", macs = 0 : i64} : !big -> !big
  %d = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise, geometry = {in_height = 512, in_width = 512, out_height = 512, out_width = 512}>, layer = "d", op = "Relu", macs = 0 : i64} : !big -> !big
  %h = graph.slice %d {starts = array<i64: 0, 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 1, 1, 1>} : (!big) -> tensor<1x1x256x512x1x16xi8>
  %j = graph.concat %h, %c {axis = 2 : i64} : (tensor<1x1x256x512x1x16xi8>, !big) -> tensor<1x1x768x512x1x16xi8>
  %k = graph.slice %j {starts = array<i64: 0, 0, 128, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x1x768x512x1x16xi8>) -> !big
  %e = vta.kernel @ref(%k) {desc = #vta.kernel<elementwise, geometry = {in_height = 512, in_width = 512, out_height = 512, out_width = 512}>, layer = "e", op = "Relu", macs = 0 : i64} : !big -> !big
  return %e : !big
}
func.func private @ref(!big) -> !big attributes {vta.reference}

// -----

// Little work stays in one function, and kernels in their order.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel {{.*}} layer = "a"
// CHECK: vta.kernel {{.*}} layer = "b"
// CHECK: vta.kernel {{.*}} layer = "c"
// CHECK: call @host_0
// CHECK-NOT: call
!one = tensor<1x1x1x1x1x16xi8>
func.func @main(%x: !one) -> (!one, tensor<1x1x1x2x1x16xi8>) {
  %a = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>, layer = "a", op = "Relu", macs = 0 : i64} : !one -> !one
  %b = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise>, layer = "b", op = "Relu", macs = 0 : i64} : !one -> !one
  %c = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise>, layer = "c", op = "Relu", macs = 0 : i64} : !one -> !one
  %h = graph.slice %c {starts = array<i64: 0, 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1, 1>} : (!one) -> !one
  %j = graph.concat %h, %b {axis = 3 : i64} : (!one, !one) -> tensor<1x1x1x2x1x16xi8>
  return %h, %j : !one, tensor<1x1x1x2x1x16xi8>
}
func.func private @ref(!one) -> !one attributes {vta.reference}
