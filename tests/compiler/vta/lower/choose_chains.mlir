// RUN: sed -e 's/\[qmul/[handover, qmul/' %configs/hw/default.yaml > %t.yaml
// RUN: vta-opt %s --vta-choose-schedules="hw=%t.yaml" --vta-choose-chains="hw=%t.yaml by-floors=true" --vta-lower-kernels="hw=%t.yaml verify=true" | vta-opt | FileCheck %s
// RUN: vta-opt %s --vta-choose-schedules="hw=%t.yaml" --vta-choose-chains="hw=%t.yaml by-floors=true" | vta-translate --vta-to-program --hw=%t.yaml | FileCheck %s --check-prefix=TEXT
// RUN: vta-opt %s --vta-choose-schedules="hw=%t.yaml" --vta-choose-chains="hw=%t.yaml" | FileCheck %s --check-prefix=NONE
// RUN: vta-opt %s --vta-choose-schedules --vta-choose-chains=by-floors=true | FileCheck %s --check-prefix=NONE
// RUN: sed -e 's/layer = "expand"/schedule = #vta.schedule<>, layer = "expand"/' %s | vta-opt --vta-choose-schedules="hw=%t.yaml" --vta-choose-chains="hw=%t.yaml by-floors=true" | FileCheck %s --check-prefix=NONE
// REQUIRES: vta-translate

// What is read twice is no part of a chain. The schedules of the user stay.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @first_ref{{.*}}layer = "first"
// CHECK: %[[CHAIN:.*]] = vta.chain @expand_ref_depthwise_ref(%{{.*}}) first_weight(%{{.*}}) weight(%{{.*}})
// CHECK-SAME: layer = "expand+depthwise", macs = 5 : i64, op = "Conv+Conv"
// CHECK-SAME: program = dense_resource<expand_depthwise>
// CHECK-SAME: schedule = #vta.chain_schedule<consumer = <
// CHECK: vta.kernel @sum_ref(%[[CHAIN]]){{.*}}layer = "sum"

// The reference is both references in one.
// CHECK-NOT: @expand_ref(
// CHECK-LABEL: func.func private @expand_ref_depthwise_ref(
// CHECK-SAME: %[[X:.*]]: tensor<1x1x8x8x1x16xi8>, %{{.*}}: tensor<2x1x1x1x16x16xi8>, %{{.*}}: tensor<2x1x3x3x16x16xi8>)
// CHECK-SAME: -> tensor<1x2x8x8x1x16xi8> attributes {vta.reference}
// CHECK: %[[FIRST:.*]] = tensor.concat dim(1) %[[X]], %[[X]]
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[FIRST]]
// CHECK: return %[[SECOND]]

// TEXT: load inp_from_out

// NONE-LABEL: func.func @main
// NONE-NOT: vta.chain
// NONE: layer = "sum"
#point = #vta.kernel<contraction, geometry = {in_height = 8, in_width = 8, out_height = 8, out_width = 8}>
#expand = #vta.kernel<contraction, geometry = {out_channel_blocks = 2, in_height = 8, in_width = 8, out_height = 8,
    out_width = 8}>
#depthwise = #vta.kernel<contraction, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2,
    in_height = 8, in_width = 8, out_height = 8, out_width = 8, kernel_height = 3, kernel_width = 3, pad_top = 1,
    pad_left = 1, pad_bottom = 1, pad_right = 1}>
#sum = #vta.kernel<elementwise, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2, in_height = 8, in_width = 8,
    out_height = 8, out_width = 8}, epilogue = [add imm 1]>
func.func @main(%x: tensor<1x1x8x8x1x16xi8>, %u: tensor<1x1x1x1x16x16xi8>, %w: tensor<2x1x1x1x16x16xi8>,
                %v: tensor<2x1x3x3x16x16xi8>) -> (tensor<1x1x8x8x1x16xi8>, tensor<1x2x8x8x1x16xi8>) {
  %a = vta.kernel @first_ref(%x) weight(%u : tensor<1x1x1x1x16x16xi8>) {desc = #point, layer = "first", op = "Conv",
      macs = 1 : i64} : tensor<1x1x8x8x1x16xi8> -> tensor<1x1x8x8x1x16xi8>
  %b = vta.kernel @expand_ref(%a) weight(%w : tensor<2x1x1x1x16x16xi8>) {desc = #expand, layer = "expand", op = "Conv",
      macs = 2 : i64} : tensor<1x1x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  %c = vta.kernel @depthwise_ref(%b) weight(%v : tensor<2x1x3x3x16x16xi8>) {desc = #depthwise, layer = "depthwise",
      op = "Conv", macs = 3 : i64} : tensor<1x2x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  %d = vta.kernel @sum_ref(%c) {desc = #sum, layer = "sum", op = "Add", macs = 0 : i64}
      : tensor<1x2x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  return %a, %d : tensor<1x1x8x8x1x16xi8>, tensor<1x2x8x8x1x16xi8>
}
func.func private @first_ref(tensor<1x1x8x8x1x16xi8>, tensor<1x1x1x1x16x16xi8>) -> tensor<1x1x8x8x1x16xi8>
    attributes {vta.reference}
func.func private @expand_ref(%x: tensor<1x1x8x8x1x16xi8>, %w: tensor<2x1x1x1x16x16xi8>) -> tensor<1x2x8x8x1x16xi8>
    attributes {vta.reference} {
  %y = tensor.concat dim(1) %x, %x : (tensor<1x1x8x8x1x16xi8>, tensor<1x1x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8>
  return %y : tensor<1x2x8x8x1x16xi8>
}
func.func private @depthwise_ref(%x: tensor<1x2x8x8x1x16xi8>, %w: tensor<2x1x3x3x16x16xi8>) -> tensor<1x2x8x8x1x16xi8>
    attributes {vta.reference} {
  %y = arith.addi %x, %x : tensor<1x2x8x8x1x16xi8>
  return %y : tensor<1x2x8x8x1x16xi8>
}
func.func private @sum_ref(tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> attributes {vta.reference}
