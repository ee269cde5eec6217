// Which contractions are the GEMM intrinsic, and their geometry from the subscripts: one contraction below, and changes of it.

// RUN: vta-opt %s --vta-tensorise | FileCheck %s --check-prefixes=KERNEL,PLAIN
// KERNEL-LABEL: func.func @main
// KERNEL: vta.kernel @k_ref
// PLAIN-SAME: #vta.kernel<contraction, name = "k", geometry = {in_width = 3, out_width = 2, kernel_width = 2}>, layer = "k", macs = 7

// Stride and dilation.
// RUN: sed -e 's/1x1x3x1x16xi8/1x1x6x1x16xi8/g' -e 's/16x1x3xi8/16x1x6xi8/g' -e 's/x + kx/x * 2 + kx * 3/' %s \
// RUN:   | vta-opt --vta-tensorise | FileCheck %s --check-prefixes=KERNEL,STRIDE
// STRIDE-SAME: #vta.kernel<contraction, name = "k", geometry = {in_width = 6, out_width = 2, kernel_width = 2, stride_x = 2, dilation_x = 3}>, layer = "k", macs = 7

// Operands of the product and of the sum swapped.
// RUN: sed -E 's/(muli|addi) (.*), (.*) :/\1 \3, \2 :/' %s | vta-opt --vta-tensorise | FileCheck %s --check-prefixes=KERNEL,PLAIN

// Unsigned inputs are not what the core multiplies.
// RUN: sed -E 's/extsi (.s0)/extui \1/' %s | vta-opt --vta-tensorise | FileCheck %s --check-prefixes=HOST,BODY
// HOST-LABEL: func.func @main
// BODY: graph.slice {{.*}}vta.reason = "the reduction is neither the GEMM nor an ALU intrinsic"
// BODY-NEXT: return

// It subtracts.
// RUN: sed 's/addi/subi/' %s | vta-opt --vta-tensorise | FileCheck %s --check-prefixes=HOST,BODY

// Weights with input lanes outside: the transposed tile.
// RUN: sed 's/kx, l, i)/kx, i, l)/' %s | vta-opt --vta-tensorise | FileCheck %s --check-prefixes=HOST,BODY

// The sum has to start at zero.
// RUN: sed 's/constant 0 : i32/constant 1 : i32/' %s | vta-opt --vta-tensorise | FileCheck %s --check-prefixes=HOST,START
// START: graph.slice {{.*}}vta.reason = "the sum does not start at zero"
// START-NEXT: return

// A window read backwards.
// RUN: sed 's/x + kx/x - kx + 1/' %s | vta-opt --vta-tensorise | FileCheck %s --check-prefixes=HOST,BACKWARDS
// BACKWARDS: graph.slice {{.*}}vta.reason = "the window's subscripts are not stride and dilation"
// BACKWARDS-NEXT: return

func.func @main(%x: tensor<1x1x1x3x1x16xi8>, %w: tensor<1x1x1x2x16x16xi8>) -> tensor<1x1x1x2x1x16xi8> {
  %k = call @k_ref(%x, %w) {vta.offload = @k} : (tensor<1x1x1x3x1x16xi8>, tensor<1x1x1x2x16x16xi8>) -> tensor<1x1x1x2x1x16xi8>
  return %k : tensor<1x1x1x2x1x16xi8>
}
func.func private @k(%x: tensor<1x16x1x3xi8>) -> tensor<1x16x1x2xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Conv", vta.macs = 7 : i64} {
  %y = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x16x1x3xi8>) -> tensor<1x16x1x2xi8>
  return %y : tensor<1x16x1x2xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x3x1x16xi8>, %w: tensor<1x1x1x2x16x16xi8>) -> tensor<1x1x1x2x1x16xi8> attributes {vta.reference} {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<1x1x1x2x1x16xi32>) -> tensor<1x1x1x2x1x16xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (n, c, y + ky, x + kx, b, i)>, affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (o, c, ky, kx, l, i)>,
      affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x1x1x3x1x16xi8>, tensor<1x1x1x2x16x16xi8>) outs(%f : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i8, %s1: i8, %o: i32):
    %a = arith.extsi %s0 : i8 to i32
    %c = arith.extsi %s1 : i8 to i32
    %m = arith.muli %a, %c : i32
    %r = arith.addi %o, %m : i32
    linalg.yield %r : i32
  } -> tensor<1x1x1x2x1x16xi32>
  %t_init = tensor.empty() : tensor<1x1x1x2x1x16xi8>
  %t = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x1x1x2x1x16xi32>) outs(%t_init : tensor<1x1x1x2x1x16xi8>) {
  ^bb0(%s0: i32, %o: i8):
    %r = arith.trunci %s0 : i32 to i8
    linalg.yield %r : i8
  } -> tensor<1x1x1x2x1x16xi8>
  return %t : tensor<1x1x1x2x1x16xi8>
}
