#include "isa/config/byte_weights.h"

namespace vta {

void widenSomeWeights(HwParams& params, const UniformNumber& uniform) {
  if (params.ext_transpose && uniform(0, 1) != 0) params.wgt_width_bits = 8;
}

}  // namespace vta
