// RUN: vta-opt %s --canonicalize | FileCheck %s

// Ragged channels too: padding lanes are unspecified.
// CHECK-LABEL: func.func @pack_of_unpack
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x8x8x1x16xi8>)
// CHECK-NEXT: return %[[X]]
func.func @pack_of_unpack(%x: tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> {
  %u = vta.unpack %x : tensor<1x2x8x8x1x16xi8> -> tensor<1x20x8x8xi8>
  %p = vta.pack %u : tensor<1x20x8x8xi8> -> tensor<1x2x8x8x1x16xi8>
  return %p : tensor<1x2x8x8x1x16xi8>
}

// CHECK-LABEL: func.func @other_block
// CHECK: vta.unpack
// CHECK: vta.pack
func.func @other_block(%x: tensor<1x2x8x8x1x16xi8>) -> tensor<1x3x8x8x1x8xi8> {
  %u = vta.unpack %x : tensor<1x2x8x8x1x16xi8> -> tensor<1x20x8x8xi8>
  %p = vta.pack %u : tensor<1x20x8x8xi8> -> tensor<1x3x8x8x1x8xi8>
  return %p : tensor<1x3x8x8x1x8xi8>
}

// CHECK-LABEL: func.func @unpack_of_pack
// CHECK-SAME: (%[[X:.*]]: tensor<1x20x8x8xi8>)
// CHECK-NEXT: return %[[X]]
func.func @unpack_of_pack(%x: tensor<1x20x8x8xi8>) -> tensor<1x20x8x8xi8> {
  %p = vta.pack %x : tensor<1x20x8x8xi8> -> tensor<1x2x8x8x1x16xi8>
  %u = vta.unpack %p : tensor<1x2x8x8x1x16xi8> -> tensor<1x20x8x8xi8>
  return %u : tensor<1x20x8x8xi8>
}
