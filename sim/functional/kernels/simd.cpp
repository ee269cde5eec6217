// Compiles gemm_simd-inl.h and alu_simd-inl.h for every target and chooses among them at run time.
// Vectors without a compile-time size cannot be array elements, as the GEMM tiles need.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#include "sim/functional/kernels/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/functional/kernels/simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which defines the target.
#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR
#include "sim/functional/kernels/alu_simd-inl.h"
#include "sim/functional/kernels/gemm_simd-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace vta::sim {
namespace HWY_NAMESPACE {

const Kernels* simdKernels() {
#if HWY_TARGET == HWY_SCALAR
  return &scalarKernels();
#else
  static const Kernels kTable = {hwy::TargetName(HWY_TARGET),
                                 packedInpRowBytes,
                                 packedWgtBytes,
                                 packInp,
                                 packWgt,
                                 gemm,
                                 alu,
                                 narrow,
                                 widen};
  return &kTable;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace vta::sim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vta::sim {

HWY_EXPORT(simdKernels);

const Kernels& selectKernels(const HwConfig& hw) {
  if (hw.blockIn() % 4 != 0 || hw.blockOut() % 4 != 0) return scalarKernels();
  return *HWY_DYNAMIC_DISPATCH(simdKernels)();
}

}  // namespace vta::sim
#endif  // HWY_ONCE
