#include "isa/config/large_elements.h"

namespace vta {

void enlargeSomeElements(HwParams& params, const UniformNumber& uniform) {
  constexpr int64_t kOneIn = 8;
  constexpr int64_t kAccBytes = 4;
  if (uniform(1, kOneIn) != 1) return;
  const int64_t lanes = (int64_t{4096} << uniform(1, 2)) / kAccBytes;
  params.batch = 1 << uniform(4, 6);
  params.block_out = static_cast<int>(lanes / params.batch);
  params.block_in = 1 << uniform(0, 1);  // keeps the array small
}

}  // namespace vta
