#include "isa/config/square_elements.h"

namespace vta {

void squareSomeElements(HwParams& params, const UniformNumber& uniform) {
  if (!params.ext_transpose || uniform(0, 1) == 0) return;
  params.block_out = params.block_in;
  params.wgt_width_bits = 8;
}

}  // namespace vta
