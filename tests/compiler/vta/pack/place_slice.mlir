// RUN: vta-opt %s --vta-place-slice --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-place-slice --vta-outline-host --split-input-file | FileCheck %s --check-prefix=STEPS

// Both halves of what a kernel wrote are read where they lie, one by two kernels.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = vta.kernel @ref2(%arg0)
// CHECK-DAG: %[[L:.*]] = vta.slice %[[A]] {axis = 1 : i64, start = 0 : i64}
// CHECK-DAG: %[[R:.*]] = vta.slice %[[A]] {axis = 1 : i64, start = 1 : i64}
// CHECK: vta.kernel @ref(%[[L]])
// CHECK: vta.kernel @ref(%[[R]])
// CHECK-NOT: graph.slice
// STEPS-LABEL: func.func @main
// STEPS-NOT: call
!one = tensor<1x1x2x2x1x16xi8>
!two = tensor<1x2x2x2x1x16xi8>
func.func @main(%x: !two) -> (!one, !one) {
  %a = vta.kernel @ref2(%x) {desc = #vta.kernel<elementwise, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2, in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "a", op = "Relu", macs = 0 : i64} : !two -> !two
  %l = graph.slice %a {starts = array<i64: 0, 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1, 1>} : (!two) -> !one
  %r = graph.slice %a {starts = array<i64: 0, 1, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1, 1>} : (!two) -> !one
  %b = vta.kernel @ref(%l) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "b", op = "Relu", macs = 0 : i64} : !one -> !one
  %c = vta.kernel @ref(%r) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "c", op = "Relu", macs = 0 : i64} : !one -> !one
  return %b, %c : !one, !one
}
func.func private @ref(!one) -> !one attributes {vta.reference}
func.func private @ref2(!two) -> !two attributes {vta.reference}

// -----

// What the host reads too is copied, and so are rows: they do not lie one behind the other.
// CHECK-LABEL: func.func @main
// CHECK-NOT: vta.slice
// CHECK: graph.slice
// CHECK: graph.slice
// STEPS-LABEL: func.func @main
// STEPS: call @host_0
!one = tensor<1x1x2x2x1x16xi8>
!two = tensor<1x2x2x2x1x16xi8>
!row = tensor<1x2x1x2x1x16xi8>
func.func @main(%x: !two) -> (!one, !one, !row) {
  %a = vta.kernel @ref2(%x) {desc = #vta.kernel<elementwise, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2, in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "a", op = "Relu", macs = 0 : i64} : !two -> !two
  %l = graph.slice %a {starts = array<i64: 0, 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1, 1>} : (!two) -> !one
  %b = vta.kernel @ref(%l) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "b", op = "Relu", macs = 0 : i64} : !one -> !one
  %s = graph.slice %a {starts = array<i64: 0, 0, 1, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1, 1>} : (!two) -> !row
  %c = vta.kernel @ref3(%s) {desc = #vta.kernel<elementwise, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2, in_width = 2, out_width = 2}>, layer = "c", op = "Relu", macs = 0 : i64} : !row -> !row
  return %l, %b, %c : !one, !one, !row
}
func.func private @ref(!one) -> !one attributes {vta.reference}
func.func private @ref2(!two) -> !two attributes {vta.reference}
func.func private @ref3(!row) -> !row attributes {vta.reference}

// -----

// Of what the host wrote there is no place in the device's memory.
// CHECK-LABEL: func.func @main
// CHECK-NOT: vta.slice
// CHECK: graph.slice
!one = tensor<1x1x2x2x1x16xi8>
!two = tensor<1x2x2x2x1x16xi8>
func.func @main(%x: tensor<1x32x2x2xi8>) -> !one {
  %p = vta.pack %x : tensor<1x32x2x2xi8> -> !two
  %l = graph.slice %p {starts = array<i64: 0, 1, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1, 1>} : (!two) -> !one
  %b = vta.kernel @ref(%l) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "b", op = "Relu", macs = 0 : i64} : !one -> !one
  return %b : !one
}
func.func private @ref(!one) -> !one attributes {vta.reference}
