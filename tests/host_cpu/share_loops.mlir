// RUN: vta-opt %s --host-cpu-share-loops | FileCheck %s
// Two nests that do the same, on different buffers, are one function.

// CHECK: func.func private @host.nest0(%{{.*}}: !llvm.ptr, %{{.*}}: memref<64xf32> {llvm.noalias}, %{{.*}}: memref<64xf32> {llvm.noalias})
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: scf.parallel
// CHECK: math.exp
// CHECK-NOT: @host.nest1
// CHECK: func.func private @host.nest2
// CHECK: math.sqrt

// CHECK-LABEL: func.func @host
// CHECK-NOT: scf.parallel
// CHECK: call @host.nest0(%[[C:[^,]+]], %[[A:[^,]+]], %[[B:[^)]+]])
// CHECK: call @host.nest0(%[[C]], %[[B]], %[[A]])
// CHECK: call @host.nest2
func.func @host(%context: !llvm.ptr, %a: memref<64xf32>, %b: memref<64xf32>) attributes {vta.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %x = memref.load %a[%i] : memref<64xf32>
    %y = math.exp %x : f32
    memref.store %y, %b[%i] : memref<64xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %x = memref.load %b[%i] : memref<64xf32>
    %y = math.exp %x : f32
    memref.store %y, %a[%i] : memref<64xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %x = memref.load %a[%i] : memref<64xf32>
    %y = math.sqrt %x : f32
    memref.store %y, %b[%i] : memref<64xf32>
    scf.reduce
  }
  return
}

// A single nest stays where it is.
// CHECK-LABEL: func.func @single
// CHECK: scf.parallel
func.func @single(%context: !llvm.ptr, %a: memref<64xf32>) attributes {vta.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    memref.store %zero, %a[%i] : memref<64xf32>
    scf.reduce
  }
  return
}
