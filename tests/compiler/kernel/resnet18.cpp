#include "tests/compiler/kernel/resnet18.h"

namespace vta::kernel::testing {
namespace {

struct Layer {
  const char* name;
  KernelKind kind;
  int64_t in_channels, out_channels, in_size, out_size, kernel, stride, pad;
  bool residual;
};

constexpr KernelKind kConv = KernelKind::kContraction;
constexpr Layer kLayers[] = {
    {"conv1", kConv, 3, 64, 224, 112, 7, 2, 3, false},
    {"maxpool", KernelKind::kMaxPool, 64, 64, 112, 56, 3, 2, 1, false},
    {"layer1.conv", kConv, 64, 64, 56, 56, 3, 1, 1, false},
    {"layer1.conv_add", kConv, 64, 64, 56, 56, 3, 1, 1, true},
    {"layer2.conv_s2", kConv, 64, 128, 56, 28, 3, 2, 1, false},
    {"layer2.down", kConv, 64, 128, 56, 28, 1, 2, 0, false},
    {"layer2.conv", kConv, 128, 128, 28, 28, 3, 1, 1, false},
    {"layer2.conv_add", kConv, 128, 128, 28, 28, 3, 1, 1, true},
    {"layer3.conv_s2", kConv, 128, 256, 28, 14, 3, 2, 1, false},
    {"layer3.down", kConv, 128, 256, 28, 14, 1, 2, 0, false},
    {"layer3.conv", kConv, 256, 256, 14, 14, 3, 1, 1, false},
    {"layer3.conv_add", kConv, 256, 256, 14, 14, 3, 1, 1, true},
    {"layer4.conv_s2", kConv, 256, 512, 14, 7, 3, 2, 1, false},
    {"layer4.down", kConv, 256, 512, 14, 7, 1, 2, 0, false},
    {"layer4.conv", kConv, 512, 512, 7, 7, 3, 1, 1, false},
    {"layer4.conv_add", kConv, 512, 512, 7, 7, 3, 1, 1, true},
    {"fc", kConv, 512, 1000, 1, 1, 1, 1, 0, false},
};

int64_t blocks(int64_t channels, int block) { return (channels + block - 1) / block; }

// Bias, requantisation, residual, saturation.
std::vector<EpilogueStep> epilogue(bool residual, const HwConfig& hw) {
  using Source = EpilogueStep::Source;
  std::vector<EpilogueStep> steps = {{AluOpcode::kAdd, Source::kParam, 0, 0}};
  if (hw.params().ext_qmul) {
    steps.push_back({AluOpcode::kQmul, Source::kParam, 20, 1});
  } else {
    steps.push_back({AluOpcode::kShr, Source::kImmediate, 8, 0});
  }
  if (residual) steps.push_back({AluOpcode::kAdd, Source::kResidual, 0, 0});
  if (hw.params().ext_clip) {
    steps.push_back({AluOpcode::kClip, Source::kImmediate, 127 << 8, 0});
  } else {
    steps.push_back({AluOpcode::kMax, Source::kImmediate, 0, 0});
    steps.push_back({AluOpcode::kMin, Source::kImmediate, 127, 0});
  }
  return steps;
}

}  // namespace

std::vector<KernelDesc> resnet18Kernels(const HwConfig& hw) {
  std::vector<KernelDesc> kernels;
  for (const Layer& layer : kLayers) {
    KernelDesc desc;
    desc.name = layer.name;
    desc.kind = layer.kind;
    Geometry& g = desc.geometry;
    g.in_channel_blocks = blocks(layer.in_channels, hw.blockIn());
    g.out_channel_blocks = blocks(layer.out_channels, hw.blockOut());
    g.in_height = g.in_width = layer.in_size;
    g.out_height = g.out_width = layer.out_size;
    g.kernel_height = g.kernel_width = layer.kernel;
    g.stride_y = g.stride_x = layer.stride;
    g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = layer.pad;
    if (layer.kind == kConv) {
      desc.num_params = hw.params().ext_qmul ? 2 : 1;
      desc.epilogue = epilogue(layer.residual, hw);
      // The residual has its own scale.
      if (layer.residual && hw.params().ext_qmul) {
        desc.num_params = 3;
        desc.residual = Residual{{{AluOpcode::kQmul, EpilogueStep::Source::kParam, 16, 2}}};
      } else if (layer.residual) {
        desc.residual = Residual{{{AluOpcode::kShr, EpilogueStep::Source::kImmediate, 1, 0}}};
      }
    } else {
      g.groups = g.out_channel_blocks;
      g.in_channel_blocks = g.out_channel_blocks;
      g.pad_value = -128;
    }
    kernels.push_back(desc);
  }
  return kernels;
}

}  // namespace vta::kernel::testing
