// REQUIRES: vta-translate
// RUN: vta-translate --vta-to-program %s | FileCheck %s --check-prefix=TEXT
// RUN: vta-translate --vta-to-program %s | vta-translate --program-to-vta | FileCheck %s
// RUN: vta-translate --vta-to-program %s | vta-translate --program-to-vta | vta-opt | FileCheck %s
// RUN: not vta-translate --vta-to-program --hw=%configs/hw/vta-0.0.2.yaml %s 2>&1 | FileCheck %s --check-prefix=COMPAT
// RUN: not vta-translate --program-to-vta %s 2>&1 | FileCheck %s --check-prefix=BAD

// TEXT: load inp
// TEXT: gemm
// TEXT: finish

// CHECK: module attributes {vta.uops = array<i64: {{.*}}
// CHECK: vta.load {{.*}}memory = "INP"
// CHECK: vta.gemm {{.*}}iterations
// CHECK: vta.alu {{.*}}opcode = "CLIP"{{.*}}use_imm
// CHECK: vta.store {{.*}}buffer = "output"{{.*}}memory = "OUT"
// CHECK: vta.finish {tokens = ["pop_next"]}

// COMPAT: CLIP needs extension clip
// BAD: translate.mlir:1:1: unknown instruction
func.func @main(%x: tensor<1x1x4x4x1x16xi8>, %w: tensor<1x1x3x3x16x16xi8>) -> tensor<1x1x4x4x1x16xi8> {
  %k = vta.kernel @ref(%x) weight(%w : tensor<1x1x3x3x16x16xi8>) {desc = #vta.kernel<contraction, geometry = {in_height = 4, in_width = 4, out_height = 4, out_width = 4, kernel_height = 3, kernel_width = 3, pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1}, epilogue = [shr imm 6, clip imm 32512]>, layer = "conv", op = "Conv", macs = 36864 : i64} : tensor<1x1x4x4x1x16xi8> -> tensor<1x1x4x4x1x16xi8>
  return %k : tensor<1x1x4x4x1x16xi8>
}
func.func private @ref(tensor<1x1x4x4x1x16xi8>, tensor<1x1x3x3x16x16xi8>) -> tensor<1x1x4x4x1x16xi8> attributes {vta.reference}
