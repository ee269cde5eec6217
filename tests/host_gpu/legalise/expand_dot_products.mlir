// RUN: vta-opt %s --gpu-expand-dot-products | FileCheck %s

// CHECK-LABEL: func.func @dot
// CHECK-NOT: spirv
// CHECK-COUNT-4: arith.muli
// CHECK: %[[SUM:.*]] = arith.addi
// CHECK-NEXT: return %[[SUM]]
func.func @dot(%a: i32, %b: i32) -> i32 {
  %sum = spirv.SDot %a, %b, <PackedVectorFormat4x8Bit> : i32 -> i32
  return %sum : i32
}
