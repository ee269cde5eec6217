// RUN: vta-opt %s --vta-choose-schedules | FileCheck %s
// RUN: vta-opt %s --vta-choose-schedules="hw=%configs/hw/default.yaml schedules=%S/Inputs/given.yaml" | FileCheck %s --check-prefix=GIVEN
// RUN: not vta-opt %s --vta-choose-schedules=schedules=%S/Inputs/too_large.yaml 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not vta-opt %s --vta-choose-schedules=schedules=%S/Inputs/unknown.yaml 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not vta-opt %s --vta-choose-schedules=schedules=%S/Inputs/none.yaml 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not vta-opt %s --vta-choose-schedules="hw=%configs/hw/tiny-buffers.yaml schedules=%S/Inputs/given.yaml" 2>&1 | FileCheck %s --check-prefix=HW

// The schedule that a kernel has stays; others are chosen.
// CHECK-LABEL: func.func @main
// CHECK: layer = "first", {{.*}}schedule = #vta.schedule<tile_height = 2, tile_width = 2>, schedule_origin = "schedule"}
// CHECK: layer = "second", {{.*}}schedule = #vta.schedule<{{.*}}>, schedule_origin = "default schedule"}

// A schedule that is given for a layer comes first.
// GIVEN: layer = "first", {{.*}}schedule_origin = "schedule"}
// GIVEN: layer = "second", {{.*}}schedule = #vta.schedule<tile_width = 4, virtual_threads = 1>, schedule_origin = "given schedule"}

// LARGE: too_large.yaml:4:5: layer 'second': {{.*}}tile_height is 5, the limit 4
// UNKNOWN: unknown.yaml:4:5: no layer 'third' runs on the VTA; those that do: first, second
// NONE: cannot open input file '{{.*}}none.yaml'
// HW: given.yaml:1:{{.*}}for the configuration 'default', not for 'tiny-buffers'
func.func @main(%x: tensor<1x1x4x4x1x16xi8>) -> tensor<1x1x4x4x1x16xi8> {
  %a = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_height = 4, in_width = 4, out_height = 4,
      out_width = 4}, epilogue = [add imm 3]>,
      schedule = #vta.schedule<tile_height = 2, tile_width = 2>, layer = "first", op = "Add", macs = 0 : i64}
      : tensor<1x1x4x4x1x16xi8> -> tensor<1x1x4x4x1x16xi8>
  %b = vta.kernel @ref(%a) {desc = #vta.kernel<elementwise, geometry = {in_height = 4, in_width = 4, out_height = 4,
      out_width = 4}, epilogue = [add imm 3]>, layer = "second", op = "Add", macs = 0 : i64}
      : tensor<1x1x4x4x1x16xi8> -> tensor<1x1x4x4x1x16xi8>
  return %b : tensor<1x1x4x4x1x16xi8>
}
func.func private @ref(tensor<1x1x4x4x1x16xi8>) -> tensor<1x1x4x4x1x16xi8> attributes {vta.reference}
