// RUN: vta-opt %s --gpu-split-buffers=range-bytes=512 --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// What is larger than a range becomes several arguments. A load and a store choose one of them; known places are in
// one of them. What fits into a range stays as it is.
// CHECK-LABEL: func.func @several
// CHECK-SAME: (%[[X0:.*]]: memref<128xf32>, %[[X1:.*]]: memref<128xf32>, %[[X2:.*]]: memref<44xf32>,
// CHECK-SAME: %[[Y0:.*]]: memref<128xf32>, %[[Y1:.*]]: memref<1xf32>, %[[Z:.*]]: memref<128xf32>, %[[I:.*]]: index)
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[I]], %[[C128]]
// CHECK: %[[V:.*]] = scf.if %[[FIRST]] -> (f32) {
// CHECK-NEXT: %[[V0:.*]] = memref.load %[[X0]][%[[I]]]
// CHECK-NEXT: scf.yield %[[V0]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi ult, %[[I]], %[[C256]]
// CHECK-NEXT: scf.if %[[SECOND]]
// CHECK-NEXT: %[[I1:.*]] = arith.subi %[[I]], %[[C128]]
// CHECK-NEXT: memref.load %[[X1]][%[[I1]]]
// CHECK: %[[I2:.*]] = arith.subi %[[I]], %[[C256]]
// CHECK-NEXT: memref.load %[[X2]][%[[I2]]]
// CHECK: %[[W:.*]] = memref.load %[[X2]][%[[C2]]]
// CHECK: scf.if
// CHECK-NEXT: memref.store %{{.*}}, %[[Y0]][%[[I]]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[I3:.*]] = arith.subi %[[I]], %[[C128]]
// CHECK-NEXT: memref.store %{{.*}}, %[[Y1]][%[[I3]]]
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %{{.*}}, %[[Z]][%[[I]]]
func.func @several(%x: memref<300xf32>, %y: memref<129xf32>, %z: memref<128xf32>, %i: index) {
  %c258 = arith.constant 258 : index
  %v = memref.load %x[%i] : memref<300xf32>
  %w = memref.load %x[%c258] : memref<300xf32>
  %s = arith.addf %v, %w : f32
  memref.store %s, %y[%i] : memref<129xf32>
  memref.store %s, %z[%i] : memref<128xf32>
  return
}

// -----

// Atomic operations, of which nothing uses the results.
// CHECK-LABEL: func.func @atomic
// CHECK-SAME: (%[[X0:.*]]: memref<128xi32>, %[[X1:.*]]: memref<72xi32>, %[[I:.*]]: index, %[[V:.*]]: i32)
// CHECK: scf.if
// CHECK-NEXT: memref.atomic_rmw ori %[[V]], %[[X0]][%[[I]]]
// CHECK: } else {
// CHECK: memref.atomic_rmw ori %[[V]], %[[X1]]
func.func @atomic(%x: memref<200xi32>, %i: index, %v: i32) {
  memref.atomic_rmw ori %v, %x[%i] : (i32, memref<200xi32>) -> i32
  return
}

// -----

// The first range is number 3: three ranges are in front of what the kernel uses.
// CHECK-LABEL: func.func @part
// CHECK-SAME: (%[[X3:.*]]: memref<128xi32>, %[[X4:.*]]: memref<8xi32>, %[[I:.*]]: index)
// CHECK-DAG: %[[C384:.*]] = arith.constant 384 : index
// CHECK-DAG: %[[C512:.*]] = arith.constant 512 : index
// CHECK: arith.cmpi ult, %[[I]], %[[C512]]
// CHECK: arith.subi %[[I]], %[[C384]]
// CHECK: arith.subi %[[I]], %[[C512]]
func.func @part(%x: memref<520xi32> {vta.first_range = 3 : i64}, %i: index) -> i32 {
  %v = memref.load %x[%i] : memref<520xi32>
  return %v : i32
}

// -----

// expected-error @below {{which is more than 512 bytes, is no row of words}}
func.func @bytes(%x: memref<1000xi8>) {
  return
}

// -----

func.func @pointer(%x: memref<300xi32>) -> !llvm.ptr {
  // expected-error @below {{several ranges is used by something else}}
  %p = builtin.unrealized_conversion_cast %x : memref<300xi32> to !llvm.ptr
  return %p : !llvm.ptr
}
