// RUN: vta-opt %s --vta-tensorise --split-input-file | FileCheck %s

// Geometry from subscripts.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @k_ref
// CHECK-SAME: geometry = {in_width = 3 : i64, kernel_width = 2 : i64, out_width = 2 : i64}, kind = "contraction", name = "k"}, layer = "k", macs = 7
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

// -----

// Stride and dilation.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @k_ref
// CHECK-SAME: geometry = {dilation_x = 3 : i64, in_width = 6 : i64, kernel_width = 2 : i64, out_width = 2 : i64, stride_x = 2 : i64}, kind = "contraction", name = "k"}, layer = "k", macs = 7
func.func @main(%x: tensor<1x1x1x6x1x16xi8>, %w: tensor<1x1x1x2x16x16xi8>) -> tensor<1x1x1x2x1x16xi8> {
  %k = call @k_ref(%x, %w) {vta.offload = @k} : (tensor<1x1x1x6x1x16xi8>, tensor<1x1x1x2x16x16xi8>) -> tensor<1x1x1x2x1x16xi8>
  return %k : tensor<1x1x1x2x1x16xi8>
}
func.func private @k(%x: tensor<1x16x1x6xi8>) -> tensor<1x16x1x2xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Conv", vta.macs = 7 : i64} {
  %y = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x16x1x6xi8>) -> tensor<1x16x1x2xi8>
  return %y : tensor<1x16x1x2xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x6x1x16xi8>, %w: tensor<1x1x1x2x16x16xi8>) -> tensor<1x1x1x2x1x16xi8> attributes {vta.reference} {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<1x1x1x2x1x16xi32>) -> tensor<1x1x1x2x1x16xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (n, c, y + ky, x * 2 + kx * 3, b, i)>, affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (o, c, ky, kx, l, i)>,
      affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x1x1x6x1x16xi8>, tensor<1x1x1x2x16x16xi8>) outs(%f : tensor<1x1x1x2x1x16xi32>) {
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

// -----

// Operands of the product swapped.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @k_ref
// CHECK-SAME: geometry = {in_width = 3 : i64, kernel_width = 2 : i64, out_width = 2 : i64}, kind = "contraction", name = "k"}, layer = "k", macs = 7
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
    %m = arith.muli %c, %a : i32
    %r = arith.addi %m, %o : i32
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

// -----

// Unsigned inputs are not what the core multiplies.
// CHECK-LABEL: func.func @main
// CHECK: graph.slice {{.*}}vta.reason = "the reduction is neither the GEMM nor an ALU intrinsic"
// CHECK-NEXT: return
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
    %a = arith.extui %s0 : i8 to i32
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

// -----

// It subtracts.
// CHECK-LABEL: func.func @main
// CHECK: graph.slice {{.*}}vta.reason = "the reduction is neither the GEMM nor an ALU intrinsic"
// CHECK-NEXT: return
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
    %r = arith.subi %o, %m : i32
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

// -----

// Weights with input lanes outside: the transposed tile.
// CHECK-LABEL: func.func @main
// CHECK: graph.slice {{.*}}vta.reason = "the reduction is neither the GEMM nor an ALU intrinsic"
// CHECK-NEXT: return
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
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (n, c, y + ky, x + kx, b, i)>, affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (o, c, ky, kx, i, l)>,
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

// -----

// The sum has to start at zero.
// CHECK-LABEL: func.func @main
// CHECK: graph.slice {{.*}}vta.reason = "the sum does not start at zero"
// CHECK-NEXT: return
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
  %z = arith.constant 1 : i32
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

// -----

// A window read backwards.
// CHECK-LABEL: func.func @main
// CHECK: graph.slice {{.*}}vta.reason = "the window's subscripts are not stride and dilation"
// CHECK-NEXT: return
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
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (n, c, y + ky, x - kx + 1, b, i)>, affine_map<(n, o, y, x, b, l, c, ky, kx, i) -> (o, c, ky, kx, l, i)>,
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
