#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#include "tests/benchmarks/functional/dot_peak.h"

#include <algorithm>
#include <chrono>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/benchmarks/functional/dot_peak.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which defines the target.
#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR
#include "sim/functional/kernels/gemm_simd-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace vta::bench {
namespace HWY_NAMESPACE {

/// Runs `count` rounds of the dot product on independent accumulators; returns the number of MACs.
double runDots(int count, int32_t* result) {
#if HWY_TARGET == HWY_SCALAR
  int32_t sum = 0;
  for (int i = 0; i < count; ++i) sum += i * *result;
  *result = sum;
  return count;
#else
  namespace hn = hwy::HWY_NAMESPACE;
  namespace kernels = sim::HWY_NAMESPACE;
  // Each chain multiplies its own sum, so that no two products are the same and none is constant.
  constexpr int kChains = HWY_TARGET <= HWY_AVX3 ? 24 : 10;
  const hn::FixedTag<int32_t, kernels::kVectorLanes> d;
  const auto weights = hn::Iota(d, *result);
  hn::Vec<decltype(d)> acc[kChains];
  for (int c = 0; c < kChains; ++c) acc[c] = hn::Iota(d, c);
  for (int i = 0; i < count; ++i) {
    HWY_UNROLL(24)
    for (int c = 0; c < kChains; ++c) acc[c] = kernels::dot(d, acc[c], weights, acc[c]);
  }
  for (int c = 1; c < kChains; ++c) acc[0] = hn::Add(acc[0], acc[c]);
  *result = hn::GetLane(acc[0]);
  return 1.0 * count * kChains * kernels::kVectorLanes * kernels::kLanesPerGroup;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace vta::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vta::bench {

HWY_EXPORT(runDots);

double dotPeakMacsPerSecond() {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  int32_t value = 3;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Clock::time_point start = Clock::now();
    const double macs = HWY_DYNAMIC_DISPATCH(runDots)(100'000, &value);
    const std::chrono::duration<double> seconds = Clock::now() - start;
    best = std::max(best, macs / seconds.count());
  }
  volatile int32_t sink = value;  // keeps the work
  static_cast<void>(sink);
  return best;
}

}  // namespace vta::bench
#endif  // HWY_ONCE
