// Small tasks for tests of the tuner.
#pragma once

#include "explore/tune/task/task.h"

namespace vta::tune::testing {

/// A 3x3 convolution of 2 x 4 blocks on 7 x 7 pixels, with bias, shift and clip.
inline kernel::KernelDesc smallConvolution() {
  kernel::KernelDesc desc;
  desc.name = "conv";
  desc.geometry = {.in_channel_blocks = 2,
                   .out_channel_blocks = 4,
                   .in_height = 7,
                   .in_width = 7,
                   .out_height = 7,
                   .out_width = 7,
                   .kernel_height = 3,
                   .kernel_width = 3,
                   .pad_top = 1,
                   .pad_left = 1,
                   .pad_bottom = 1,
                   .pad_right = 1};
  desc.num_params = 1;
  using Source = kernel::EpilogueStep::Source;
  desc.epilogue = {{AluOpcode::kAdd, Source::kParam, 0, 0},
                   {AluOpcode::kShr, Source::kImmediate, 7, 0},
                   {AluOpcode::kMax, Source::kImmediate, -128, 0},
                   {AluOpcode::kMin, Source::kImmediate, 127, 0}};
  return desc;
}

inline Task smallTask() {
  return {smallConvolution(), HwConfig::makeDefault(), sim::MemoryConfig{}, {"conv"}};
}

}  // namespace vta::tune::testing
