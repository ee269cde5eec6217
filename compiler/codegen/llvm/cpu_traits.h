// What emitters of kernels and searches for schedules need to know about a CPU. Free of LLVM types.
#pragma once

namespace vta::codegen {

/// Products of bytes that an instruction adds to a 32-bit sum.
enum class ByteProducts : unsigned {
  kNone,         // bytes are widened to 32 bits
  kPairs,        // two, of 16 bits each
  kQuads,        // four, of an unsigned and a signed byte each, on x86
  kSignedQuads,  // four, of two signed bytes each, on Arm
  kMixedQuads,   // as kQuads, on Arm
};

struct CpuTraits {
  unsigned vector_registers = 16;
  unsigned vector_bytes = 16;  // of one register
  bool has_fma = false;
  unsigned pointer_bits = 64;
  ByteProducts byte_products = ByteProducts::kNone;
  unsigned byte_product_bytes = 16;  // of such an instruction's registers
};

}  // namespace vta::codegen
