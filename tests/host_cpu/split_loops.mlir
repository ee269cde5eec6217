// RUN: vta-opt %s --host-cpu-split-loops --split-input-file | FileCheck %s
// RUN: vta-opt %s --host-cpu-split-loops=parallel=false --split-input-file | FileCheck %s --check-prefix=ALONE

// Enough work: the body is a function of its own, called for ranges of iterations.
// CHECK: func.func private @main.loop0({{.*}}memref<400x400xf32>{{.*}}, %{{.*}}: index, %{{.*}}: index)
// CHECK: scf.for
// CHECK: func.func private @main.loop0.parallel(!llvm.ptr, {{.*}}memref<400x400xf32>{{.*}}, index)
// CHECK-LABEL: func.func @main
// CHECK-NOT: scf
// CHECK: call @main.loop0.parallel(%arg0, {{.*}})
// ALONE-LABEL: func.func @main
// ALONE-COUNT-2: scf.for
// ALONE-NOT: call
func.func @main(%context: !llvm.ptr, %x: memref<400x400xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 400 : index
  scf.parallel (%i, %j) = (%zero, %zero) to (%end, %end) step (%one, %one) {
    %0 = memref.load %x[%i, %j] : memref<400x400xf32>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %x[%i, %j] : memref<400x400xf32>
    scf.reduce
  }
  return
}

// -----

// Too little work for a second thread.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: scf.for
// CHECK-NOT: call
// ALONE-LABEL: func.func @main
// ALONE-COUNT-2: scf.for
func.func @main(%context: !llvm.ptr, %x: memref<40x40xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 40 : index
  scf.parallel (%i, %j) = (%zero, %zero) to (%end, %end) step (%one, %one) {
    %0 = memref.load %x[%i, %j] : memref<40x40xf32>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %x[%i, %j] : memref<40x40xf32>
    scf.reduce
  }
  return
}
