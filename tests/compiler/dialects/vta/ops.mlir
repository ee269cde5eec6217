// RUN: vta-opt %s --split-input-file | vta-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @conv_ref(%{{.*}}) weight(%{{.*}} : tensor<2x1x3x3x16x16xi8>) param(%{{.*}} : tensor<2x2x1x16xi32>) residual(%{{.*}} : tensor<1x2x8x8x1x16xi8>)
// CHECK-SAME: desc = #vta.kernel<contraction, name = "conv", geometry = {out_channel_blocks = 2, in_height = 8,
// CHECK-SAME: pad_right = 1, pad_value = -128}, num_params = 2,
// CHECK-SAME: epilogue = [add param 0, qmul param 1 imm 20, add residual],
// CHECK-SAME: residual = [shr imm -2]>
// CHECK-SAME: schedule = #vta.schedule<tile_height = 4, order = weights_outer>
func.func @main(%x: tensor<1x1x8x8x1x16xi8>, %w: tensor<2x1x3x3x16x16xi8>,
                %p: tensor<2x2x1x16xi32>, %r: tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> {
  %o = vta.kernel @conv_ref(%x) weight(%w : tensor<2x1x3x3x16x16xi8>)
      param(%p : tensor<2x2x1x16xi32>) residual(%r : tensor<1x2x8x8x1x16xi8>) {
        desc = #vta.kernel<contraction, name = "conv", geometry = {out_channel_blocks = 2,
            in_height = 8, in_width = 8, out_height = 8, out_width = 8, kernel_height = 3,
            kernel_width = 3, pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1,
            pad_value = -128}, num_params = 2,
            epilogue = [add param 0, qmul param 1 imm 20, add residual], residual = [shr imm -2]>,
        schedule = #vta.schedule<tile_height = 4, order = weights_outer>,
        layer = "conv", op = "Conv", macs = 294912 : i64
      } : tensor<1x1x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  return %o : tensor<1x2x8x8x1x16xi8>
}
func.func private @conv_ref(tensor<1x1x8x8x1x16xi8>, tensor<2x1x3x3x16x16xi8>,
    tensor<2x2x1x16xi32>, tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8>
    attributes {vta.reference}

// -----

// CHECK-LABEL: func.func @main
// CHECK: vta.chain @ref(%{{.*}}) first_weight(%{{.*}} : tensor<2x1x1x1x16x16xi8>) first_param(%{{.*}} : tensor<1x2x1x16xi32>)
// CHECK-SAME: weight(%{{.*}} : tensor<2x1x3x3x16x16xi8>) residual(%{{.*}} : tensor<1x2x8x8x1x16xi8>)
// CHECK-SAME: schedule = #vta.chain_schedule<consumer = <tile_height = 4, tile_width = 8>, producer_in_blocks = 1,
// CHECK-SAME: inp_eighths = 4, wgt_eighths = 4, acc_eighths = 4>
func.func @main(%x: tensor<1x1x8x8x1x16xi8>, %w: tensor<2x1x1x1x16x16xi8>, %p: tensor<1x2x1x16xi32>,
                %v: tensor<2x1x3x3x16x16xi8>, %r: tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> {
  %o = vta.chain @ref(%x) first_weight(%w : tensor<2x1x1x1x16x16xi8>)
      first_param(%p : tensor<1x2x1x16xi32>) weight(%v : tensor<2x1x3x3x16x16xi8>) residual(%r : tensor<1x2x8x8x1x16xi8>) {
        first_desc = #vta.kernel<contraction, geometry = {out_channel_blocks = 2, in_height = 8, in_width = 8,
            out_height = 8, out_width = 8}, num_params = 1, epilogue = [add param 0]>,
        desc = #vta.kernel<contraction, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2,
            in_height = 8, in_width = 8, out_height = 8, out_width = 8, kernel_height = 3, kernel_width = 3,
            pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1}, epilogue = [add residual], residual = []>,
        schedule = #vta.chain_schedule<consumer = <tile_height = 4, tile_width = 8>, producer_in_blocks = 1,
            inp_eighths = 4, wgt_eighths = 4, acc_eighths = 4>,
        layer = "a+b", op = "Conv+Conv", macs = 69632 : i64
      } : tensor<1x1x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  return %o : tensor<1x2x8x8x1x16xi8>
}
func.func private @ref(tensor<1x1x8x8x1x16xi8>, tensor<2x1x1x1x16x16xi8>, tensor<1x2x1x16xi32>, tensor<2x1x3x3x16x16xi8>,
    tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> attributes {vta.reference}

// -----

// CHECK-LABEL: func.func @main
// CHECK: vta.program @sum_ref(%{{.*}}, %{{.*}}) {buffers = ["a", "b", "most", "least"], layer = "order", macs = 0 : i64, op = "order",
// CHECK-SAME: program = dense_resource<order> : tensor<4xi8>}
// CHECK-SAME: : (tensor<1x2x1x1x1x16xi32>, tensor<1x2x1x1x1x16xi32>) -> (tensor<1x2x1x1x1x16xi8>, tensor<1x2x1x1x1x16xi8>)
func.func @main(%a: tensor<1x2x1x1x1x16xi32>, %b: tensor<1x2x1x1x1x16xi32>)
    -> (tensor<1x2x1x1x1x16xi8>, tensor<1x2x1x1x1x16xi8>) {
  %most, %least = vta.program @sum_ref(%a, %b) {
        buffers = ["a", "b", "most", "least"], program = dense_resource<order> : tensor<4xi8>, layer = "order",
        op = "order", macs = 0 : i64
      } : (tensor<1x2x1x1x1x16xi32>, tensor<1x2x1x1x1x16xi32>) -> (tensor<1x2x1x1x1x16xi8>, tensor<1x2x1x1x1x16xi8>)
  return %most, %least : tensor<1x2x1x1x1x16xi8>, tensor<1x2x1x1x1x16xi8>
}
func.func private @sum_ref(tensor<1x2x1x1x1x16xi32>, tensor<1x2x1x1x1x16xi32>)
    -> (tensor<1x2x1x1x1x16xi8>, tensor<1x2x1x1x1x16xi8>) attributes {vta.reference}

// -----

// CHECK-LABEL: func.func @pack
// CHECK: vta.pack %{{.*}} : tensor<1x20x8x8xi8> -> tensor<1x2x8x8x1x16xi8>
// CHECK: vta.unpack %{{.*}} : tensor<1x2x8x8x1x16xi8> -> tensor<1x20x8x8xi8>
// CHECK: vta.pack %{{.*}} : tensor<6x20xi8> -> tensor<1x3x1x2x4x8xi8>
func.func @pack(%x: tensor<1x20x8x8xi8>, %m: tensor<6x20xi8>)
    -> (tensor<1x20x8x8xi8>, tensor<1x3x1x2x4x8xi8>) {
  %p = vta.pack %x : tensor<1x20x8x8xi8> -> tensor<1x2x8x8x1x16xi8>
  %u = vta.unpack %p : tensor<1x2x8x8x1x16xi8> -> tensor<1x20x8x8xi8>
  %q = vta.pack %m : tensor<6x20xi8> -> tensor<1x3x1x2x4x8xi8>
  return %u, %q : tensor<1x20x8x8xi8>, tensor<1x3x1x2x4x8xi8>
}

// -----

// CHECK-LABEL: func.func @concat
// CHECK: vta.concat %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<1x4x8x8x1x16xi8>, tensor<1x2x8x8x1x16xi8>) -> tensor<1x6x8x8x1x16xi8>
func.func @concat(%a: tensor<1x4x8x8x1x16xi8>, %b: tensor<1x2x8x8x1x16xi8>) -> tensor<1x6x8x8x1x16xi8> {
  %j = vta.concat %a, %b {axis = 1 : i64}
      : (tensor<1x4x8x8x1x16xi8>, tensor<1x2x8x8x1x16xi8>) -> tensor<1x6x8x8x1x16xi8>
  return %j : tensor<1x6x8x8x1x16xi8>
}

// -----

// CHECK-LABEL: func.func @slice
// CHECK: vta.slice %{{.*}} {axis = 1 : i64, start = 2 : i64} : tensor<1x4x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
func.func @slice(%x: tensor<1x4x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> {
  %s = vta.slice %x {axis = 1 : i64, start = 2 : i64} : tensor<1x4x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  return %s : tensor<1x2x8x8x1x16xi8>
}
