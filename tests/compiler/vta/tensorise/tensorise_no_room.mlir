// RUN: sed -e 's/ 2KiB/ 64/; s/ 4KiB/ 64/; s/ 16KiB/ 512/; s/ 8KiB/ 128/' %configs/hw/tiny-buffers.yaml > %t.yaml
// RUN: vta-opt %s --vta-partition=hw=%t.yaml --vta-pack=hw=%t.yaml --vta-tensorise=hw=%t.yaml | FileCheck %s
// RUN: not vta-opt %s --vta-partition=hw=%t.yaml --vta-pack=hw=%t.yaml --vta-tensorise=hw=%t.yaml --vta-require-offload 2>&1 | FileCheck %s --check-prefix=REQUIRED

// A legal configuration whose buffers have two elements each, and none of whose schedules leaves room in ACC for a tile, a
// residual and a parameter: that layer stays on the host, and its reason names layer, resource, need and limit. The
// same layer without the residual runs in tiles of one element.

// CHECK-LABEL: func.func @main
// CHECK: vta.kernel @vta_conv1_ref
// CHECK-SAME: layer = "conv1"
// CHECK: graph.conv {{.*}}vta.reason = "no schedule fits: kernel 'conv2' {{.*}} does not fit 'tiny-buffers': ACC buffer elements is 3, the limit 2"
// CHECK-NOT: vta.kernel

// Where it must not stay there, that is an error.
// REQUIRED: error: loc(fused<"unsupported">[unknown]): layer 'conv2' cannot run on the VTA: no schedule fits: kernel 'conv2' {{.*}}: ACC buffer elements is 3, the limit 2
func.func @main(%x: tensor<1x24x4x4xi8>) -> tensor<1x24x4x4xi8> {
  %w = arith.constant dense<-2> : tensor<24x24x3x3xi8>
  %b = arith.constant dense<70000> : tensor<1x24x1x1xi32>
  %s = arith.constant dense<6> : tensor<1xi32>
  %c1 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x24x4x4xi8>, tensor<24x24x3x3xi8>) -> tensor<1x24x4x4xi32> loc("conv1")
  %a1 = graph.binary add %c1, %b : (tensor<1x24x4x4xi32>, tensor<1x24x1x1xi32>) -> tensor<1x24x4x4xi32>
  %r1 = graph.shr %a1, %s : (tensor<1x24x4x4xi32>, tensor<1xi32>) -> tensor<1x24x4x4xi32>
  %y1 = graph.cast %r1 : (tensor<1x24x4x4xi32>) -> tensor<1x24x4x4xi8>
  %c2 = graph.conv %y1, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x24x4x4xi8>, tensor<24x24x3x3xi8>) -> tensor<1x24x4x4xi32> loc("conv2")
  %r2 = graph.shr %c2, %s : (tensor<1x24x4x4xi32>, tensor<1xi32>) -> tensor<1x24x4x4xi32>
  %e2 = graph.cast %x : (tensor<1x24x4x4xi8>) -> tensor<1x24x4x4xi32>
  %f2 = graph.binary mul %e2, %b : (tensor<1x24x4x4xi32>, tensor<1x24x1x1xi32>) -> tensor<1x24x4x4xi32>
  %g2 = graph.binary add %r2, %f2 : (tensor<1x24x4x4xi32>, tensor<1x24x4x4xi32>) -> tensor<1x24x4x4xi32>
  %y2 = graph.cast %g2 : (tensor<1x24x4x4xi32>) -> tensor<1x24x4x4xi8>
  return %y2 : tensor<1x24x4x4xi8>
}
