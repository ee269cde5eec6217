// RUN: vta-opt %s --gpu-buffers-to-words --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// A byte is a part of a word. It is written by two atomic operations.
// CHECK-LABEL: func.func @bytes
// CHECK-SAME: (%[[X:.*]]: memref<4xi32>, %[[Y:.*]]: memref<5xi32>, %[[I:.*]]: index)
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[WORD:.*]] = arith.divui %[[I]], %[[C4]]
// CHECK-DAG: %[[PART:.*]] = arith.remui %[[I]], %[[C4]]
// CHECK: %[[W:.*]] = memref.load %[[X]][%[[WORD]]]
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[W]]
// CHECK: arith.trunci %[[SHIFTED]] : i32 to i8
// CHECK: %[[BEHIND:.*]] = arith.addi %[[I]], %[[C3]]
// CHECK: %[[AT:.*]] = arith.divui %[[BEHIND]], %[[C4]]
// CHECK: memref.atomic_rmw andi %{{.*}}, %[[Y]][%[[AT]]]
// CHECK: memref.atomic_rmw ori %{{.*}}, %[[Y]][%[[AT]]]
func.func @bytes(%x: memref<13xi8>, %y: memref<14xi8, strided<[1], offset: 3>>, %i: index) {
  %v = memref.load %x[%i] : memref<13xi8>
  memref.store %v, %y[%i] : memref<14xi8, strided<[1], offset: 3>>
  return
}

// -----

// Floats stay floats; an element of two dimensions has one place.
// CHECK-LABEL: func.func @floats
// CHECK-SAME: (%[[X:.*]]: memref<35xf32>, %[[B:.*]]: memref<2xi32>, %[[I:.*]]: index, %[[K:.*]]: index)
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[C7]]
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[K]]
// CHECK: memref.load %[[X]][%[[AT]]] : memref<35xf32>
// CHECK: memref.load %[[B]]
// CHECK: arith.cmpi ne
func.func @floats(%x: memref<5x7xf32>, %b: memref<5xi1>, %i: index, %k: index) -> (f32, i1) {
  %v = memref.load %x[%i, %k] : memref<5x7xf32>
  %c = memref.load %b[%i] : memref<5xi1>
  return %v, %c : f32, i1
}

// -----

// An integer of 64 bits is two words.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: (%[[X:.*]]: memref<10xi32>
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK: memref.store %{{.*}}, %[[X]]
func.func @pairs(%x: memref<5xi64>, %i: index) {
  %v = memref.load %x[%i] : memref<5xi64>
  %t = arith.addi %v, %v : i64
  memref.store %t, %x[%i] : memref<5xi64>
  return
}

// -----

// expected-error @below {{whose layout is not known}}
func.func @unknown(%x: memref<5xi8, strided<[?]>>) {
  return
}

// -----

func.func @other_use(%x: memref<5xi8>) {
  // expected-error @below {{a buffer is used by something else than a load or a store}}
  memref.assume_alignment %x, 64 : memref<5xi8>
  return
}

// -----

// A sum of multiples of four begins a word, too.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: atomic_rmw
// CHECK: memref.store
// CHECK-NOT: memref.store
func.func @sum(%y: memref<64xi8>, %i: index, %k: index, %v: i8) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %row = arith.muli %i, %c8 : index
  %column = arith.muli %k, %c4 : index
  %first = arith.addi %row, %column : index
  %second = arith.addi %first, %c1 : index
  %third = arith.addi %first, %c2 : index
  %fourth = arith.addi %first, %c3 : index
  memref.store %v, %y[%first] : memref<64xi8>
  memref.store %v, %y[%second] : memref<64xi8>
  memref.store %v, %y[%third] : memref<64xi8>
  memref.store %v, %y[%fourth] : memref<64xi8>
  return
}

// -----

// Neighbours at an unknown place are read by the words that have them: five bytes by three.
// CHECK-LABEL: func.func @neighbours
// CHECK-COUNT-3: memref.load
// CHECK-NOT: memref.load
func.func @neighbours(%x: memref<40xi8>, %i: index) -> (i8, i8, i8) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %third = arith.addi %i, %c2 : index
  %fifth = arith.addi %i, %c4 : index
  %a = memref.load %x[%i] : memref<40xi8>
  %b = memref.load %x[%third] : memref<40xi8>
  %c = memref.load %x[%fifth] : memref<40xi8>
  return %a, %b, %c : i8, i8, i8
}

// -----

// Words behind the end of the buffer are not read.
// CHECK-LABEL: func.func @last
// CHECK-COUNT-2: arith.minui
func.func @last(%x: memref<8xi8>, %i: index) -> (i8, i8, i8) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %third = arith.addi %i, %c2 : index
  %fifth = arith.addi %i, %c4 : index
  %a = memref.load %x[%i] : memref<8xi8>
  %b = memref.load %x[%third] : memref<8xi8>
  %c = memref.load %x[%fifth] : memref<8xi8>
  return %a, %b, %c : i8, i8, i8
}

// -----

// Where a buffer is walked backwards, a number below zero is added to the known place.
// CHECK-LABEL: func.func @backwards
// CHECK-SAME: memref<4xi32>
// CHECK-NOT: arith.divui
// CHECK: arith.shrsi
func.func @backwards(%x: memref<4xi16, strided<[-2], offset: 7>>, %i: index) -> i16 {
  %a = memref.load %x[%i] : memref<4xi16, strided<[-2], offset: 7>>
  return %a : i16
}
