// RUN: vta-opt %s --allow-unregistered-dialect --host-plan-buffers | FileCheck %s

// %a and %b live at the same time. %c begins after %a has ended and takes its place.
// CHECK-LABEL: func.func @main
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<320xi8>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[BEHIND:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[A:.*]] = memref.view %[[ARENA]][%[[ZERO]]][] : memref<320xi8> to memref<64xf32>
// CHECK-DAG: %[[B:.*]] = memref.view %[[ARENA]][%[[BEHIND]]][] : memref<320xi8> to memref<10xf32>
// CHECK: "test.write"(%[[A]])
// CHECK: "test.copy"(%[[A]], %[[B]])
// CHECK: "test.copy"(%[[B]], %[[C:.*]]) : (memref<10xf32>, memref<33xf32>)
// CHECK-NEXT: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
func.func @main() {
  %a = memref.alloc() : memref<64xf32>
  "test.write"(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<10xf32>
  "test.copy"(%a, %b) : (memref<64xf32>, memref<10xf32>) -> ()
  %c = memref.alloc() : memref<33xf32>
  "test.copy"(%b, %c) : (memref<10xf32>, memref<33xf32>) -> ()
  return
}
