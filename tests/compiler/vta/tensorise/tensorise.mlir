// RUN: vta-opt %s --vta-tensorise --split-input-file | FileCheck %s

// Operands of a commutative operation may be swapped.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @k_ref
// CHECK-SAME: epilogue = [max imm 0]
func.func @main(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8> {
  %p = vta.pack %x : tensor<1x16x1x2xi8> -> tensor<1x1x1x2x1x16xi8>
  %k = call @k_ref(%p) {vta.offload = @k} : (tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x1x2x1x16xi8> -> tensor<1x16x1x2xi8>
  return %u : tensor<1x16x1x2xi8>
}
func.func private @k(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Relu", vta.macs = 0 : i64} {
  %y = graph.unary relu %x : (tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
  return %y : tensor<1x16x1x2xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8> attributes {vta.reference} {
  %e_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x1x1x2x1x16xi8>) outs(%e_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i8, %o: i32):
    %r = arith.extsi %s0 : i8 to i32
    linalg.yield %r : i32
  } -> tensor<1x1x1x2x1x16xi32>
  %s_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%e : tensor<1x1x1x2x1x16xi32>) outs(%s_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i32, %o: i32):
    %c = arith.constant 0 : i32
    %r = arith.maxsi %c, %s0 : i32
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

// A left shift is SHR by a negative amount.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @k_ref
// CHECK-SAME: epilogue = [shr imm -3]
func.func @main(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8> {
  %p = vta.pack %x : tensor<1x16x1x2xi8> -> tensor<1x1x1x2x1x16xi8>
  %k = call @k_ref(%p) {vta.offload = @k} : (tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x1x2x1x16xi8> -> tensor<1x16x1x2xi8>
  return %u : tensor<1x16x1x2xi8>
}
func.func private @k(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Relu", vta.macs = 0 : i64} {
  %y = graph.unary relu %x : (tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
  return %y : tensor<1x16x1x2xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8> attributes {vta.reference} {
  %e_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x1x1x2x1x16xi8>) outs(%e_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i8, %o: i32):
    %r = arith.extsi %s0 : i8 to i32
    linalg.yield %r : i32
  } -> tensor<1x1x1x2x1x16xi32>
  %s_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%e : tensor<1x1x1x2x1x16xi32>) outs(%s_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i32, %o: i32):
    %c = arith.constant 3 : i32
    %r = arith.shli %s0, %c : i32
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

// CLIP: both bounds in one operation.
// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @k_ref
// CHECK-SAME: epilogue = [clip imm 1788]
func.func @main(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8> {
  %p = vta.pack %x : tensor<1x16x1x2xi8> -> tensor<1x1x1x2x1x16xi8>
  %k = call @k_ref(%p) {vta.offload = @k} : (tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x1x2x1x16xi8> -> tensor<1x16x1x2xi8>
  return %u : tensor<1x16x1x2xi8>
}
func.func private @k(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Relu", vta.macs = 0 : i64} {
  %y = graph.unary relu %x : (tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
  return %y : tensor<1x16x1x2xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8> attributes {vta.reference} {
  %e_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x1x1x2x1x16xi8>) outs(%e_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i8, %o: i32):
    %r = arith.extsi %s0 : i8 to i32
    linalg.yield %r : i32
  } -> tensor<1x1x1x2x1x16xi32>
  %s_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%e : tensor<1x1x1x2x1x16xi32>) outs(%s_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i32, %o: i32):
    %a = arith.constant -4 : i32
    %c = arith.constant 6 : i32
    %m = arith.maxsi %s0, %a : i32
    %r = arith.minsi %m, %c : i32
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

// Subtraction from a constant is no ALU operation.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[Y:.*]] = graph.unary relu %arg0 {vta.reason = "an element-wise step is not in the declared ALU set"}
// CHECK-NEXT: return %[[Y]]
// CHECK-NOT: @k_ref
func.func @main(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8> {
  %p = vta.pack %x : tensor<1x16x1x2xi8> -> tensor<1x1x1x2x1x16xi8>
  %k = call @k_ref(%p) {vta.offload = @k} : (tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x1x2x1x16xi8> -> tensor<1x16x1x2xi8>
  return %u : tensor<1x16x1x2xi8>
}
func.func private @k(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Relu", vta.macs = 0 : i64} {
  %y = graph.unary relu %x : (tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
  return %y : tensor<1x16x1x2xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8> attributes {vta.reference} {
  %e_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x1x1x2x1x16xi8>) outs(%e_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i8, %o: i32):
    %r = arith.extsi %s0 : i8 to i32
    linalg.yield %r : i32
  } -> tensor<1x1x1x2x1x16xi32>
  %s_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%e : tensor<1x1x1x2x1x16xi32>) outs(%s_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i32, %o: i32):
    %c = arith.constant 3 : i32
    %r = arith.subi %c, %s0 : i32
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

// An immediate has 16 bits.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[Y:.*]] = graph.unary relu %arg0 {vta.reason = "an element-wise step is not in the declared ALU set"}
// CHECK-NEXT: return %[[Y]]
// CHECK-NOT: @k_ref
func.func @main(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8> {
  %p = vta.pack %x : tensor<1x16x1x2xi8> -> tensor<1x1x1x2x1x16xi8>
  %k = call @k_ref(%p) {vta.offload = @k} : (tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x1x2x1x16xi8> -> tensor<1x16x1x2xi8>
  return %u : tensor<1x16x1x2xi8>
}
func.func private @k(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Relu", vta.macs = 0 : i64} {
  %y = graph.unary relu %x : (tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
  return %y : tensor<1x16x1x2xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8> attributes {vta.reference} {
  %e_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x1x1x2x1x16xi8>) outs(%e_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i8, %o: i32):
    %r = arith.extsi %s0 : i8 to i32
    linalg.yield %r : i32
  } -> tensor<1x1x1x2x1x16xi32>
  %s_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%e : tensor<1x1x1x2x1x16xi32>) outs(%s_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i32, %o: i32):
    %c = arith.constant 40000 : i32
    %r = arith.addi %s0, %c : i32
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

// A logical shift is not the arithmetic one.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[Y:.*]] = graph.unary relu %arg0 {vta.reason = "an element-wise step is not in the declared ALU set"}
// CHECK-NEXT: return %[[Y]]
// CHECK-NOT: @k_ref
func.func @main(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8> {
  %p = vta.pack %x : tensor<1x16x1x2xi8> -> tensor<1x1x1x2x1x16xi8>
  %k = call @k_ref(%p) {vta.offload = @k} : (tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x1x2x1x16xi8> -> tensor<1x16x1x2xi8>
  return %u : tensor<1x16x1x2xi8>
}
func.func private @k(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Relu", vta.macs = 0 : i64} {
  %y = graph.unary relu %x : (tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
  return %y : tensor<1x16x1x2xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8> attributes {vta.reference} {
  %e_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x1x1x2x1x16xi8>) outs(%e_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i8, %o: i32):
    %r = arith.extsi %s0 : i8 to i32
    linalg.yield %r : i32
  } -> tensor<1x1x1x2x1x16xi32>
  %s_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%e : tensor<1x1x1x2x1x16xi32>) outs(%s_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i32, %o: i32):
    %c = arith.constant 3 : i32
    %r = arith.shrui %s0, %c : i32
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

// Zero extension is not what a load does.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[Y:.*]] = graph.unary relu %arg0 {vta.reason = "an element-wise step is not in the declared ALU set"}
// CHECK-NEXT: return %[[Y]]
// CHECK-NOT: @k_ref
func.func @main(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8> {
  %p = vta.pack %x : tensor<1x16x1x2xi8> -> tensor<1x1x1x2x1x16xi8>
  %k = call @k_ref(%p) {vta.offload = @k} : (tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x1x2x1x16xi8> -> tensor<1x16x1x2xi8>
  return %u : tensor<1x16x1x2xi8>
}
func.func private @k(%x: tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
    attributes {vta.offload, vta.layer = "k", vta.op = "Relu", vta.macs = 0 : i64} {
  %y = graph.unary relu %x : (tensor<1x16x1x2xi8>) -> tensor<1x16x1x2xi8>
  return %y : tensor<1x16x1x2xi8>
}
func.func private @k_ref(%x: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x2x1x16xi8> attributes {vta.reference} {
  %e_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x1x1x2x1x16xi8>) outs(%e_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i8, %o: i32):
    %r = arith.extui %s0 : i8 to i32
    linalg.yield %r : i32
  } -> tensor<1x1x1x2x1x16xi32>
  %s_init = tensor.empty() : tensor<1x1x1x2x1x16xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>, affine_map<(n, o, y, x, b, l) -> (n, o, y, x, b, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%e : tensor<1x1x1x2x1x16xi32>) outs(%s_init : tensor<1x1x1x2x1x16xi32>) {
  ^bb0(%s0: i32, %o: i32):
    %c = arith.constant 0 : i32
    %r = arith.maxsi %c, %s0 : i32
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
