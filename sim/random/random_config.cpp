#include "sim/random/random_config.h"

#include <algorithm>

namespace vta::sim {
namespace {

HwParams randomParams(Rng& rng) {
  HwParams p;
  p.name = "random";
  p.batch = 1 << (rng.oneIn(3) ? rng.pick(1, 2) : 0);
  p.block_in = 1 << rng.pick(1, 5);
  p.block_out = 1 << rng.pick(1, 5);
  const auto elems = [&](uint32_t min_log, uint32_t max_log) {
    return uint64_t{1} << rng.pick(min_log, max_log);
  };
  const auto batch = static_cast<uint64_t>(p.batch);
  const auto block_in = static_cast<uint64_t>(p.block_in);
  const auto block_out = static_cast<uint64_t>(p.block_out);
  p.uop_buf_bytes = 8 * elems(4, 12);
  p.inp_buf_bytes = batch * block_in * elems(4, 12);
  p.wgt_buf_bytes = block_in * block_out * elems(4, 10);
  p.acc_buf_bytes = batch * block_out * 4 * elems(4, 12);
  p.ext_qmul = rng.oneIn(2);
  p.ext_clip = rng.oneIn(2);
  p.ext_pad_min = rng.oneIn(2);
  p.qmul_multiplier_bits = static_cast<int>(rng.pick(8, 25));
  p.command_queue_depth = 1 << rng.pick(1, 9);
  p.token_queue_depth = 1 << rng.pick(2, 9);
  p.axi_data_width_bits = 64 << rng.pick(0, 3);
  p.axi_addr_width_bits = rng.oneIn(2) ? 32 : 64;
  p.axi_outstanding_bursts = 1 << rng.pick(0, 4);
  p.concurrent_compute = rng.oneIn(2);
  return p;
}

}  // namespace

HwConfig randomHwConfig(Rng& rng) {
  for (;;) {
    const Result<HwConfig> hw = HwConfig::create(randomParams(rng));
    if (hw.ok()) return *hw;
  }
}

}  // namespace vta::sim
