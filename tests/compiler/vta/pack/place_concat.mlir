// RUN: vta-opt %s --vta-place-concat --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-place-concat --vta-outline-host --split-input-file | FileCheck %s --check-prefix=STEPS

// Kernels write their parts, also into what is joined once more; nothing is left for the host.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = vta.kernel
// CHECK: %[[B:.*]] = vta.kernel
// CHECK: %[[J:.*]] = vta.concat %[[A]], %[[B]] {axis = 1 : i64}
// CHECK: %[[C:.*]] = vta.kernel @ref2(%[[J]])
// CHECK: vta.concat %[[J]], %[[C]] {axis = 1 : i64}
// STEPS-LABEL: func.func @main
// STEPS-NOT: call
!one = tensor<1x1x2x2x1x16xi8>
!two = tensor<1x2x2x2x1x16xi8>
func.func @main(%x: !one) -> tensor<1x4x2x2x1x16xi8> {
  %a = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "a", op = "Relu", macs = 0 : i64} : !one -> !one
  %b = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "b", op = "Relu", macs = 0 : i64} : !one -> !one
  %j = graph.concat %a, %b {axis = 1 : i64} : (!one, !one) -> !two
  %c = vta.kernel @ref2(%j) {desc = #vta.kernel<elementwise, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2, in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "c", op = "Relu", macs = 0 : i64} : !two -> !two
  %k = graph.concat %j, %c {axis = 1 : i64} : (!two, !two) -> tensor<1x4x2x2x1x16xi8>
  return %k : tensor<1x4x2x2x1x16xi8>
}
func.func private @ref(!one) -> !one attributes {vta.reference}
func.func private @ref2(!two) -> !two attributes {vta.reference}

// -----

// A later concatenation of the same parts appends to the earlier one.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = vta.kernel
// CHECK: %[[B:.*]] = vta.kernel
// CHECK: %[[J:.*]] = vta.concat %[[A]], %[[B]] {axis = 1 : i64}
// CHECK: %[[C:.*]] = vta.kernel @ref(%[[B]])
// CHECK: vta.concat %[[J]], %[[C]] {axis = 1 : i64}
!one = tensor<1x1x2x2x1x16xi8>
func.func @main(%x: !one) -> (tensor<1x2x2x2x1x16xi8>, tensor<1x3x2x2x1x16xi8>) {
  %a = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "a", op = "Relu", macs = 0 : i64} : !one -> !one
  %b = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "b", op = "Relu", macs = 0 : i64} : !one -> !one
  %j = graph.concat %a, %b {axis = 1 : i64} : (!one, !one) -> tensor<1x2x2x2x1x16xi8>
  %c = vta.kernel @ref(%b) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "c", op = "Relu", macs = 0 : i64} : !one -> !one
  %k = graph.concat %a, %b, %c {axis = 1 : i64} : (!one, !one, !one) -> tensor<1x3x2x2x1x16xi8>
  return %j, %k : tensor<1x2x2x2x1x16xi8>, tensor<1x3x2x2x1x16xi8>
}
func.func private @ref(!one) -> !one attributes {vta.reference}

// -----

// What the host makes is written to its place as well, before the kernels that read all of it. The
// input of the model is a part like others.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<1x1x2x2x1x16xi8>,
// CHECK: %[[H:.*]] = vta.pack
// CHECK: vta.concat %[[X]], %[[H]], %{{.*}} {axis = 1 : i64}
// STEPS-LABEL: func.func @main
// STEPS: %[[H:.*]] = call @host_0
// STEPS: %[[A:.*]] = vta.kernel
// STEPS: %[[J:.*]] = vta.concat %arg0, %[[H]], %[[A]]
// STEPS: call @host_1(%[[J]])
!one = tensor<1x1x2x2x1x16xi8>
func.func @main(%x: !one, %y: tensor<1x16x2x2xi8>) -> tensor<1x48x2x2xi8> {
  %h = vta.pack %y : tensor<1x16x2x2xi8> -> !one
  %a = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_height = 2, in_width = 2, out_height = 2, out_width = 2}>, layer = "a", op = "Relu", macs = 0 : i64} : !one -> !one
  %j = graph.concat %x, %h, %a {axis = 1 : i64} : (!one, !one, !one) -> tensor<1x3x2x2x1x16xi8>
  %u = vta.unpack %j : tensor<1x3x2x2x1x16xi8> -> tensor<1x48x2x2xi8>
  return %u : tensor<1x48x2x2xi8>
}
func.func private @ref(!one) -> !one attributes {vta.reference}

// -----

// The host copies: the same part twice, a part of something else, a constant, several batch blocks,
// parts of the host that share cache lines with others, parts that no kernel makes.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: vta.concat
// CHECK-NOT: vta.concat
!one = tensor<1x1x1x2x1x16xi8>
!two = tensor<1x2x1x2x1x16xi8>
func.func @main(%x: !one, %b: tensor<2x1x1x2x1x16xi8>) -> (!two, !two, !two, !two, tensor<2x2x1x2x1x16xi8>, !two, !two) {
  %zero = arith.constant dense<0> : !one
  %a = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_width = 2, out_width = 2}>, layer = "a", op = "Relu", macs = 0 : i64} : !one -> !one
  %c = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise, geometry = {in_width = 2, out_width = 2}>, layer = "c", op = "Relu", macs = 0 : i64} : !one -> !one
  %d = vta.kernel @ref(%c) {desc = #vta.kernel<elementwise, geometry = {in_width = 2, out_width = 2}>, layer = "d", op = "Relu", macs = 0 : i64} : !one -> !one
  %e = vta.kernel @ref2(%b) {desc = #vta.kernel<elementwise, geometry = {batch_blocks = 2, in_width = 2, out_width = 2}>, layer = "e", op = "Relu", macs = 0 : i64} : tensor<2x1x1x2x1x16xi8> -> tensor<2x1x1x2x1x16xi8>
  %twice = graph.concat %a, %a {axis = 1 : i64} : (!one, !one) -> !two
  %first = graph.concat %a, %c {axis = 1 : i64} : (!one, !one) -> !two
  %second = graph.concat %c, %d {axis = 1 : i64} : (!one, !one) -> !two
  %constant = graph.concat %d, %zero {axis = 1 : i64} : (!one, !one) -> !two
  %blocks = graph.concat %e, %e {axis = 1 : i64} : (tensor<2x1x1x2x1x16xi8>, tensor<2x1x1x2x1x16xi8>) -> tensor<2x2x1x2x1x16xi8>
  %unaligned = graph.concat %x, %d {axis = 1 : i64} : (!one, !one) -> !two
  %host = graph.concat %x, %x {axis = 1 : i64} : (!one, !one) -> !two
  return %twice, %first, %second, %constant, %blocks, %unaligned, %host : !two, !two, !two, !two, tensor<2x2x1x2x1x16xi8>, !two, !two
}
func.func private @ref(!one) -> !one attributes {vta.reference}
func.func private @ref2(tensor<2x1x1x2x1x16xi8>) -> tensor<2x1x1x2x1x16xi8> attributes {vta.reference}
