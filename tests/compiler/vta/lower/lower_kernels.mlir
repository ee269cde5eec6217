// RUN: vta-opt %s --vta-choose-schedules --vta-lower-kernels=verify | FileCheck %s
// RUN: vta-opt %s --vta-choose-schedules --vta-lower-kernels | vta-opt | FileCheck %s
// RUN: vta-opt %s --vta-choose-schedules --vta-lower-kernels | vta-translate --vta-to-program | FileCheck %s --check-prefix=TEXT
// RUN: not vta-opt %s --vta-lower-kernels 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: sed -e 's/height = 4/height = 32/g' -e 's/width = 4/width = 32/g' -e 's/x4x4x/x32x32x/g' %s | not vta-opt --vta-choose-schedules --vta-lower-kernels=hw=%configs/hw/tiny-buffers.yaml 2>&1 | FileCheck %s --check-prefix=SMALL
// REQUIRES: vta-translate

// CHECK-LABEL: func.func @main
// CHECK: layer = "first", {{.*}}program = dense_resource<first> : tensor<{{[0-9]+}}xi8>, schedule = #vta.schedule<
// CHECK: layer = "second", {{.*}}program = dense_resource<second> : tensor<{{[0-9]+}}xi8>, schedule = #vta.schedule<
// CHECK: dialect_resources
// CHECK: first: "0x
// CHECK: second: "0x

// The second kernel begins at the other end of the scratchpads.
// TEXT: load acc_8bit sram=0 dram=@input
// TEXT: finish
// TEXT: load acc_8bit sram={{[1-9][0-9]*}} dram=@input
// TEXT: finish

// MISSING: layer 'first': there is no schedule; vta-choose-schedules makes one
// SMALL: layer 'first': {{.*}}does not fit 'tiny-buffers'
func.func @main(%x: tensor<1x1x4x4x1x16xi8>) -> tensor<1x1x4x4x1x16xi8> {
  %a = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_height = 4, in_width = 4, out_height = 4,
      out_width = 4}, epilogue = [add imm 3]>, layer = "first", op = "Add", macs = 0 : i64}
      : tensor<1x1x4x4x1x16xi8> -> tensor<1x1x4x4x1x16xi8>
  %b = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise, geometry = {in_height = 4, in_width = 4, out_height = 4,
      out_width = 4}, epilogue = [add imm 3]>, layer = "second", op = "Add", macs = 0 : i64}
      : tensor<1x1x4x4x1x16xi8> -> tensor<1x1x4x4x1x16xi8>
  return %b : tensor<1x1x4x4x1x16xi8>
}
func.func private @ref(tensor<1x1x4x4x1x16xi8>) -> tensor<1x1x4x4x1x16xi8> attributes {vta.reference}
