// RUN: vta-opt %s --host-index-width=bits=32 --verify-diagnostics

func.func @main() {
  // expected-error@+1 {{needs 4294967296 bytes of memory at once, more than the 32-bit target can address}}
  %0 = memref.alloc() : memref<32768x32768xf32>
  memref.dealloc %0 : memref<32768x32768xf32>
  return
}
