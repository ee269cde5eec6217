// What emitters of kernels and searches for schedules need to know about a CPU. Free of LLVM types.
#pragma once

namespace vta::codegen {

struct CpuTraits {
  unsigned vector_registers = 16;
  unsigned vector_bytes = 16;  // of one register
  bool has_fma = false;
  unsigned pointer_bits = 64;
};

}  // namespace vta::codegen
