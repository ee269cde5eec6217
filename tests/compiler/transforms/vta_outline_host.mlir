// RUN: vta-opt %s --vta-outline-host --split-input-file | FileCheck %s

// Without kernels, everything is one function; constants move into it.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @host_0(%arg0) {vta.layer = "a .. b", vta.macs = 0 : i64, vta.op = "Add+Relu", vta.reason = ""}
// CHECK-NEXT: return
// CHECK-LABEL: func.func @host_0
// CHECK-NEXT: arith.constant
// CHECK-NEXT: graph.binary add
// CHECK-NEXT: graph.unary relu
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %a = graph.binary add %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("a")
  %b = graph.unary relu %a : (tensor<4xf32>) -> tensor<4xf32> loc("b")
  return %b : tensor<4xf32>
}

// -----

// Two functions around a kernel, although independent work stands between; packing is spelled out.
// CHECK-LABEL: func.func @main
// CHECK: %[[H:.*]]:2 = call @host_0(%arg0, %arg1)
// CHECK-SAME: vta.reason = "float operator"
// CHECK: %[[K:.*]] = vta.kernel @ref(%[[H]]#0)
// CHECK: %[[O:.*]] = call @host_1(%[[K]])
// CHECK-SAME: vta.layer = "", vta.macs = 0 : i64, vta.op = "Unpack", vta.reason = "data movement"
// CHECK: return %[[O]], %[[H]]#1
// CHECK-LABEL: func.func @host_0
// CHECK: graph.pad {{.*}} -> tensor<1x16x2x2xi8>
// CHECK: graph.reshape {{.*}} -> tensor<1x1x1x16x2x2xi8>
// CHECK: graph.transpose {{.*}} -> tensor<1x1x2x2x1x16xi8>
// CHECK: graph.unary exp
// CHECK-NOT: vta.reason
// CHECK-LABEL: func.func @host_1
// CHECK: graph.transpose
// CHECK: graph.reshape
// CHECK: graph.slice {{.*}} -> tensor<1x3x2x2xi8>
func.func @main(%x: tensor<1x3x2x2xi8>, %f: tensor<4xf32>) -> (tensor<1x3x2x2xi8>, tensor<4xf32>) {
  %p = vta.pack %x : tensor<1x3x2x2xi8> -> tensor<1x1x2x2x1x16xi8>
  %k = vta.kernel @ref(%p) {desc = {kind = "elementwise", geometry = {in_height = 2 : i64, in_width = 2 : i64, out_height = 2 : i64, out_width = 2 : i64}}, layer = "k", op = "Relu", macs = 0 : i64} : tensor<1x1x2x2x1x16xi8> -> tensor<1x1x2x2x1x16xi8>
  %u = vta.unpack %k : tensor<1x1x2x2x1x16xi8> -> tensor<1x3x2x2xi8>
  %e = graph.unary exp %f {vta.reason = "float operator"} : (tensor<4xf32>) -> tensor<4xf32> loc("e")
  return %u, %e : tensor<1x3x2x2xi8>, tensor<4xf32>
}
func.func private @ref(tensor<1x1x2x2x1x16xi8>) -> tensor<1x1x2x2x1x16xi8> attributes {vta.reference}
