#include "isa/config/whole_operands.h"

#include <algorithm>

#include "isa/spec/accumulator.h"

namespace vta {

void widenSomeOperands(HwParams& params, const UniformNumber& uniform) {
  if (params.ext_transpose && uniform(0, 1) != 0) params.wgt_width_bits = 8;
  if (params.ext_handover && uniform(0, 1) != 0)
    params.block_in = std::min(params.block_in, params.block_out);
  if (uniform(0, 1) != 0 || params.ext_lut) params.acc_width_bits = kAccDramBits;
}

}  // namespace vta
