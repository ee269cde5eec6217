// RUN: vta-opt %s --allow-unregistered-dialect --host-plan-buffers | FileCheck %s
// RUN: vta-opt %s --allow-unregistered-dialect --host-plan-buffers="most=512 range=256" | FileCheck %s --check-prefix=RANGES

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

// Buffers inside of branches and loops are part of the one allocation. Branches share memory, as one
// of them runs; in a loop of the function no two do, as the loop may become a function.
// CHECK-LABEL: func.func @nested
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<384xi8>
// CHECK-NOT: memref.alloc
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NOT: memref.dealloc
func.func @nested(%condition: i1, %n: index) {
  scf.if %condition {
    %a = memref.alloc() : memref<64xf32>
    "test.write"(%a) : (memref<64xf32>) -> ()
  } else {
    %b = memref.alloc() : memref<80xf32>
    "test.write"(%b) : (memref<80xf32>) -> ()
  }
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %c = memref.alloc() : memref<48xf32>
    "test.write"(%c) : (memref<48xf32>) -> ()
    %d = memref.alloc() : memref<48xf32>
    "test.write"(%d) : (memref<48xf32>) -> ()
  }
  return
}

// Iterations that run side by side have buffers of their own.
// CHECK-LABEL: func.func @parallel
// CHECK: scf.parallel
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<16xf32>
// CHECK: "test.write"(%[[OWN]])
// CHECK: memref.dealloc %[[OWN]]
func.func @parallel(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    %a = memref.alloc() : memref<16xf32>
    "test.write"(%a) : (memref<16xf32>) -> ()
    scf.reduce
  }
  return
}

// Where the allocation would be larger than 512 bytes, no buffer lies across a multiple of 256 bytes, and a larger one
// begins at such a multiple.
// RANGES-LABEL: func.func @ranges
// RANGES: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<768xi8>
// RANGES-DAG: %[[A:.*]] = memref.view %[[ARENA]][%c0{{.*}}][] : memref<768xi8> to memref<80xf32>
// RANGES-DAG: %[[B:.*]] = memref.view %[[ARENA]][%c512{{.*}}][] : memref<768xi8> to memref<52xf32>
// RANGES-DAG: %[[C:.*]] = memref.view %[[ARENA]][%c320{{.*}}][] : memref<768xi8> to memref<48xf32>
// RANGES: "test.use"(%[[A]], %[[B]], %[[C]])
func.func @ranges() {
  %a = memref.alloc() : memref<80xf32>
  %b = memref.alloc() : memref<52xf32>
  %c = memref.alloc() : memref<48xf32>
  "test.use"(%a, %b, %c) : (memref<80xf32>, memref<52xf32>, memref<48xf32>) -> ()
  return
}
