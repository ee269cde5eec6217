#include "tests/host_cpu/multiply_add_peak.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/host_cpu/multiply_add_peak.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, as Highway wants it.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace vta::codegen::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kChains = 12;  // more than two ports times the latency

double flopsPerRound() {
  return 2.0 * kChains * static_cast<double>(hn::Lanes(hn::ScalableTag<float>()));
}

float rounds(int64_t count) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, 0.999f), y = hn::Set(d, 0.001f);
  // Chains that start alike would be merged into one.
  auto s0 = hn::Set(d, 0.0f), s1 = hn::Set(d, 0.1f), s2 = hn::Set(d, 0.2f), s3 = hn::Set(d, 0.3f),
       s4 = hn::Set(d, 0.4f), s5 = hn::Set(d, 0.5f), s6 = hn::Set(d, 0.6f), s7 = hn::Set(d, 0.7f),
       s8 = hn::Set(d, 0.8f), s9 = hn::Set(d, 0.9f), s10 = hn::Set(d, 1.0f), s11 = hn::Set(d, 1.1f);
  for (int64_t i = 0; i < count; ++i) {
    s0 = hn::MulAdd(s0, x, y);
    s1 = hn::MulAdd(s1, x, y);
    s2 = hn::MulAdd(s2, x, y);
    s3 = hn::MulAdd(s3, x, y);
    s4 = hn::MulAdd(s4, x, y);
    s5 = hn::MulAdd(s5, x, y);
    s6 = hn::MulAdd(s6, x, y);
    s7 = hn::MulAdd(s7, x, y);
    s8 = hn::MulAdd(s8, x, y);
    s9 = hn::MulAdd(s9, x, y);
    s10 = hn::MulAdd(s10, x, y);
    s11 = hn::MulAdd(s11, x, y);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)),
                           hn::Add(hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)),
                                   hn::Add(hn::Add(s8, s9), hn::Add(s10, s11))));
  return hn::GetLane(sum);
}

}  // namespace vta::codegen::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vta::codegen {

HWY_EXPORT(rounds);
HWY_EXPORT(flopsPerRound);

float multiplyAddRounds(int64_t count) { return HWY_DYNAMIC_DISPATCH(rounds)(count); }
double multiplyAddFlopsPerRound() { return HWY_DYNAMIC_DISPATCH(flopsPerRound)(); }

}  // namespace vta::codegen
#endif
