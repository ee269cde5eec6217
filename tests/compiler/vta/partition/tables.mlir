// RUN: vta-opt %s --vta-partition=hw=%S/Inputs/lut.yaml --vta-pack=hw=%S/Inputs/lut.yaml --vta-tensorise=hw=%S/Inputs/lut.yaml --split-input-file | FileCheck %s
// RUN: vta-opt %s --vta-partition --split-input-file | FileCheck %s --check-prefix=LACKS

// A table is a step of the kernel whose result it is applied to. Its entries are part of the description.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_conv_ref
// CHECK-SAME: epilogue = [qmul param 0 imm 20, clip imm 32640, lut imm 0], table = [-128, -5, -5
// CHECK-NOT: graph.table
// CHECK: linalg.generic
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.xori
// CHECK: tensor.extract
// LACKS-LABEL: func.func @main
// LACKS: graph.table {{.*}}vta.reason = "the hardware has no `lut` extension"
func.func @main(%x: tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi8> {
  %w = arith.constant dense<1> : tensor<16x16x1x1xi8>
  %m = arith.constant dense<99999> : tensor<1xi32>
  %t = arith.constant dense<"0x80FBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFBFB0505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505"> : tensor<256xi8>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x16x3x3xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x3x3xi32> loc("conv")
  %q = graph.qmul %c, %m {shift = 20 : i64} : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %k = graph.clip_int %q {min = -128 : i64, max = 127 : i64} : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %n = graph.cast %k : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi8>
  %y = graph.table %n, %t : (tensor<1x16x3x3xi8>, tensor<256xi8>) -> tensor<1x16x3x3xi8>
  return %y : tensor<1x16x3x3xi8>
}

// -----

// A table between two requantisations, with a residual behind it: the side with the table is the chain.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_conv_ref
// CHECK-SAME: epilogue = [clip imm 32640, lut imm 0, shr imm 1, add residual, clip imm 32640]
// CHECK-SAME: residual = [shr imm 1]
// CHECK-NOT: vta.kernel
func.func @main(%x: tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi8> {
  %w = arith.constant dense<1> : tensor<16x16x1x1xi8>
  %one = arith.constant dense<1> : tensor<1xi32>
  %t = arith.constant dense<7> : tensor<256xi8>
  %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x16x3x3xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x3x3xi32> loc("conv")
  %k = graph.clip_int %c {min = -128 : i64, max = 127 : i64} : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %n = graph.cast %k : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi8>
  %y = graph.table %n, %t : (tensor<1x16x3x3xi8>, tensor<256xi8>) -> tensor<1x16x3x3xi8>
  %a = graph.cast %y : (tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi32>
  %as = graph.shr %a, %one : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %b = graph.cast %x : (tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi32>
  %bs = graph.shr %b, %one : (tensor<1x16x3x3xi32>, tensor<1xi32>) -> tensor<1x16x3x3xi32>
  %s = graph.binary add %bs, %as : (tensor<1x16x3x3xi32>, tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %l = graph.clip_int %s {min = -128 : i64, max = 127 : i64} : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %o = graph.cast %l : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi8>
  return %o : tensor<1x16x3x3xi8>
}

// -----

// A result that others read too is stored: its table is a kernel of its own. A second table is not
// the first kernel's. Tables of single channels stay on the host.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_a_ref
// CHECK-SAME: epilogue = [clip imm 32640]
// CHECK: vta.kernel @vta_b_ref
// CHECK-SAME: epilogue = [lut imm 0]
// CHECK: vta.kernel @vta_c_ref
// CHECK-SAME: epilogue = [lut imm 0]
// CHECK: graph.table {{.*}}axes = array<i64: 1>
// CHECK-SAME: vta.reason = "each channel has a table of its own"
func.func @main(%x: tensor<1x16x3x3xi8>) -> (tensor<1x16x3x3xi8>, tensor<1x16x3x3xi8>, tensor<1x16x3x3xi8>) {
  %t = arith.constant dense<7> : tensor<256xi8>
  %u = arith.constant dense<8> : tensor<256xi8>
  %v = arith.constant dense<9> : tensor<16x256xi8>
  %e = graph.cast %x : (tensor<1x16x3x3xi8>) -> tensor<1x16x3x3xi32>
  %k = graph.clip_int %e {min = -128 : i64, max = 127 : i64} : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi32>
  %n = graph.cast %k : (tensor<1x16x3x3xi32>) -> tensor<1x16x3x3xi8> loc("a")
  %y = graph.table %n, %t : (tensor<1x16x3x3xi8>, tensor<256xi8>) -> tensor<1x16x3x3xi8> loc("b")
  %z = graph.table %y, %u : (tensor<1x16x3x3xi8>, tensor<256xi8>) -> tensor<1x16x3x3xi8> loc("c")
  %s = graph.table %n, %v {axes = array<i64: 1>} : (tensor<1x16x3x3xi8>, tensor<16x256xi8>) -> tensor<1x16x3x3xi8>
  return %n, %z, %s : tensor<1x16x3x3xi8>, tensor<1x16x3x3xi8>, tensor<1x16x3x3xi8>
}
