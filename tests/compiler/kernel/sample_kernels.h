// Small fixed kernels and configurations for unit tests.
#pragma once

#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel::testing {

/// The default geometry as published 0.0.2 hardware has it.
inline HwConfig compatHw() {
  HwParams params = HwConfig::makeDefault().params();
  params.name = "compat";
  params.compat_0_0_2 = true;
  params.concurrent_compute = false;
  params.ext_qmul = params.ext_clip = params.ext_pad_min = false;
  return *HwConfig::create(params);
}

/// The default configuration with other parameters.
inline HwConfig withParams(void (*change)(HwParams&)) {
  HwParams params = HwConfig::makeDefault().params();
  change(params);
  return *HwConfig::create(params);
}

/// 3x3 convolution, padding 1, 2 blocks to 2 blocks on 8x8 pixels, one parameter, no epilogue.
inline KernelDesc smallConvolution() {
  KernelDesc desc;
  desc.name = "conv";
  desc.num_params = 1;
  Geometry& g = desc.geometry;
  g.in_channel_blocks = g.out_channel_blocks = 2;
  g.in_height = g.in_width = g.out_height = g.out_width = 8;
  g.kernel_height = g.kernel_width = 3;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 1;
  return desc;
}

/// 3x3 pooling with stride 2 and padding 1, 2 blocks, 8x8 to 4x4 pixels.
inline KernelDesc smallPool(KernelKind kind) {
  KernelDesc desc = smallConvolution();
  desc.name = "pool";
  desc.kind = kind;
  desc.num_params = 0;
  desc.geometry.groups = 2;
  desc.geometry.stride_y = desc.geometry.stride_x = 2;
  desc.geometry.out_height = desc.geometry.out_width = 4;
  return desc;
}

}  // namespace vta::kernel::testing
