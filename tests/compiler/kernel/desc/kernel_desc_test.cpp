#include "compiler/kernel/desc/kernel_desc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

using ::testing::HasSubstr;
using Source = EpilogueStep::Source;

struct ErrorCase {
  const char* name;
  std::function<void(KernelDesc&)> change;  // of a valid 3x3 convolution
  const char* message;
};

void expectErrors(const HwConfig& hw, const std::vector<ErrorCase>& cases) {
  for (const ErrorCase& c : cases) {
    SCOPED_TRACE(c.name);
    KernelDesc desc = smallConvolution();
    ASSERT_TRUE(validateKernelDesc(desc, hw).ok());
    c.change(desc);
    const Status status = validateKernelDesc(desc, hw);
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(status.message(), HasSubstr("kernel 'conv'"));
    EXPECT_THAT(status.message(), HasSubstr(c.message));
  }
}

TEST(ValidateKernelDesc, NamesTheWrongGeometry) {
  expectErrors(
      HwConfig::makeDefault(),
      {
          {"zero size", [](KernelDesc& d) { d.geometry.in_height = 0; }, "in_height is 0"},
          {"negative pad", [](KernelDesc& d) { d.geometry.pad_left = -1; }, "pad_left is -1"},
          {"groups", [](KernelDesc& d) { d.geometry.groups = 3; }, "groups 3 must divide"},
          {"rows", [](KernelDesc& d) { d.geometry.out_height = 9; }, "out_height needs 11"},
          {"columns", [](KernelDesc& d) { d.geometry.pad_right = 0; }, "out_width needs 10"},
          {"pool groups", [](KernelDesc& d) { d.kind = KernelKind::kMaxPool; },
           "one block per group"},
          {"elementwise window",
           [](KernelDesc& d) {
             d.kind = KernelKind::kElementwise;
             d.geometry.groups = 2;
           },
           "1x1 window"},
          {"size", [](KernelDesc& d) { d.geometry.batch_blocks = int64_t{1} << 31; },
           "32-bit DRAM address"},
          {"phases", [](KernelDesc& d) { d.geometry.phases = 2; },
           "phases is 2; it must be 1 or 1"},
          {"interleaved blocks",
           [](KernelDesc& d) { d.geometry.interleave_x = d.geometry.phases = 5; },
           "divide out_channel_blocks"},
          {"interleave", [](KernelDesc& d) { d.geometry.interleave_y = 0; }, "interleave_y is 0"},
          {"mirrored too far",
           [](KernelDesc& d) {
             d.geometry.crop_left = -8;
             d.geometry.border = Border::kReflect;
           },
           "crop_left is -8; it must be at least -7"},
          {"far beyond", [](KernelDesc& d) { d.geometry.crop_top = -(int64_t{1} << 32); },
           "crop_top is -4294967296"},
          {"crop", [](KernelDesc& d) { d.geometry.crop_top = 8; }, "the crops leave an image of 0"},
          {"params", [](KernelDesc& d) { d.num_params = -1; }, "num_params is -1"},
      });
}

TEST(ValidateKernelDesc, NamesTheWrongPooling) {
  const auto pool = [](Pool p) { return [p](KernelDesc& d) { d.pool = p; }; };
  KernelDesc good = smallConvolution();
  good.pool = Pool{4, 4, 3, 3, 2, 2, 1, 1};
  EXPECT_TRUE(validateKernelDesc(good, HwConfig::makeDefault()).ok());
  EXPECT_EQ(good.outHeight(), 4);
  EXPECT_EQ(smallConvolution().outHeight(), 8);
  expectErrors(HwConfig::makeDefault(),
               {
                   {"kind",
                    [](KernelDesc& d) {
                      d.pool.emplace();
                      d.kind = KernelKind::kSumPool;
                      d.geometry.groups = 2;
                    },
                    "without a residual"},
                   {"residual",
                    [](KernelDesc& d) {
                      d.pool.emplace();
                      d.residual.emplace();
                    },
                    "without a residual"},
                   {"stride 0", pool({4, 4, 3, 3, 0, 2, 1, 1}), "positive sizes and strides"},
                   {"padding -1", pool({4, 4, 3, 3, 2, 2, -1, 1}), "no negative padding"},
                   {"shared", pool({8, 4, 3, 3, 1, 2, 1, 1}), "belong to no other window"},
                   {"outside", pool({4, 6, 3, 3, 2, 2, 1, 1}), "must lie inside"},
               });
}

TEST(ValidateKernelDesc, NamesTheWrongTable) {
  HwParams params = HwConfig::makeDefault().params();
  params.ext_lut = true;
  const HwConfig hw = HwConfig::create(params).value();
  const EpilogueStep look_up = {AluOpcode::kLut, Source::kImmediate, 0, 0};
  KernelDesc good = smallConvolution();
  good.epilogue = {look_up};
  good.table.assign(256, 3);
  EXPECT_TRUE(validateKernelDesc(good, hw).ok());
  const auto step = [](EpilogueStep s) {
    return [s](KernelDesc& d) {
      d.epilogue = {s};
      d.table.assign(256, 0);
    };
  };
  expectErrors(hw, {
                       {"no table", [&](KernelDesc& d) { d.epilogue = {look_up}; },
                        "the table has 0 entries; LUT steps need 256"},
                       {"no step", [](KernelDesc& d) { d.table.assign(256, 0); }, "no step reads"},
                       {"immediate", step({AluOpcode::kLut, Source::kImmediate, 1, 0}),
                        "LUT has an immediate of 1; legal: 0"},
                       {"write",
                        [](KernelDesc& d) {
                          d.epilogue = {{AluOpcode::kTable, Source::kImmediate, 0, 0}};
                        },
                        "TABLE is no step"},
                   });
  expectErrors(HwConfig::makeDefault(),
               {{"extension", step(look_up), "LUT needs extension lut, which 'default' lacks"}});
}

TEST(ValidateKernelDesc, NamesTheWrongEpilogueStep) {
  const auto step = [](EpilogueStep s) { return [s](KernelDesc& d) { d.epilogue = {s}; }; };
  expectErrors(
      HwConfig::makeDefault(),
      {
          {"immediate", step({AluOpcode::kAdd, Source::kImmediate, 40000, 0}),
           "epilogue step 0: immediate 40000"},
          {"shift", step({AluOpcode::kShr, Source::kImmediate, 32, 0}), "SHR amount 32"},
          {"clip range", step({AluOpcode::kClip, Source::kImmediate, 70000, 0}), "CLIP bounds"},
          {"clip order", step({AluOpcode::kClip, Source::kImmediate, 5, 0}), "[5, 0] are empty"},
          {"clip source", step({AluOpcode::kClip, Source::kParam, 0, 0}), "immediate bounds only"},
          {"qmul source", step({AluOpcode::kQmul, Source::kImmediate, 1, 0}), "from a parameter"},
          {"qmul shift", step({AluOpcode::kQmul, Source::kParam, 63, 0}), "QMUL shift 63"},
          {"param", step({AluOpcode::kAdd, Source::kParam, 0, 1}), "parameter 1 does not exist"},
          {"per image", [](KernelDesc& d) { d.residual_per_image = true; }, "there is none"},
          {"no residual", step({AluOpcode::kAdd, Source::kResidual, 0, 0}),
           "1 epilogue steps use a residual, but the kernel has 0"},
          {"residual of itself",
           [](KernelDesc& d) {
             d.residual = Residual{{{AluOpcode::kAdd, Source::kResidual, 0, 0}}};
             d.epilogue = {{AluOpcode::kAdd, Source::kResidual, 0, 0}};
           },
           "residual step 0"},
          {"no bias", [](KernelDesc& d) { d.bias_exceeds_results = true; }, "begins with ADD"},
          {"bias behind",
           [](KernelDesc& d) {
             d.bias_exceeds_results = true;
             d.epilogue = {{AluOpcode::kShr, Source::kImmediate, 1, 0},
                           {AluOpcode::kAdd, Source::kImmediate, 1, 0}};
           },
           "begins with ADD"},
          {"blocks of small bias",
           [](KernelDesc& d) {
             d.small_bias_blocks = {1, 1};
           },
           "small_bias_blocks names 1; its blocks ascend and are below 2"},
          {"bias of maxima",
           [](KernelDesc& d) {
             d.bias_exceeds_results = true;
             d.epilogue = {{AluOpcode::kAdd, Source::kImmediate, 127, 0}};
             d.pool = Pool{4, 4, 2, 2, 2, 2, 0, 0};
           },
           "accumulators that are sums"},
      });
}

TEST(ValidateKernelDesc, NamesTheMissingExtension) {
  HwParams params = HwConfig::makeDefault().params();
  params.ext_qmul = params.ext_clip = params.ext_pad_min = false;
  expectErrors(*HwConfig::create(params),
               {
                   {"qmul",
                    [](KernelDesc& d) {
                      d.epilogue = {{AluOpcode::kQmul, Source::kParam, 1, 0}};
                    },
                    "extension qmul"},
                   {"clip",
                    [](KernelDesc& d) {
                      d.epilogue = {{AluOpcode::kClip, Source::kImmediate, 0, 0}};
                    },
                    "extension clip"},
               });
}

TEST(ValidateKernelDesc, KeepsToThe002Subset) {
  expectErrors(compatHw(), {
                               {"mul",
                                [](KernelDesc& d) {
                                  d.epilogue = {{AluOpcode::kMul, Source::kImmediate, 2, 0}};
                                },
                                "MUL does not exist"},
                               {"shift",
                                [](KernelDesc& d) {
                                  d.epilogue = {{AluOpcode::kShr, Source::kImmediate, 16, 0}};
                                },
                                "SHR amount 16 is outside -16 to 15"},
                           });
  HwParams params = compatHw().params();
  params.block_in = 8;
  params.inp_buf_bytes /= 2;
  params.wgt_buf_bytes /= 2;
  KernelDesc pool = smallPool(KernelKind::kMaxPool);
  EXPECT_THAT(validateKernelDesc(pool, *HwConfig::create(params)).message(),
              HasSubstr("need equal blocks"));
}

// What no LOAD of the hardware can write comes from an element in DRAM, or is left out.
TEST(ValidateKernelDesc, PadsWithAnyValueOnAnyHardware) {
  KernelDesc convolution = smallConvolution();
  KernelDesc pool = smallPool(KernelKind::kMaxPool);
  for (const int64_t value : {-128, -127, 5, 127}) {
    convolution.geometry.pad_value = value;
    EXPECT_TRUE(validateKernelDesc(convolution, compatHw()).ok()) << value;
  }
  pool.geometry.pad_value = -128;
  EXPECT_TRUE(validateKernelDesc(pool, compatHw()).ok());
}

TEST(ValidateKernelDesc, RefusesPaddingThatIsNoInt8) {
  KernelDesc desc = smallConvolution();
  desc.geometry.pad_value = 128;
  EXPECT_EQ(validateKernelDesc(desc, compatHw()).message(),
            "kernel 'conv': pad_value is 128; it must be -128 to 127");
  desc = smallPool(KernelKind::kMaxPool);
  desc.geometry.pad_value = -1;
  EXPECT_THAT(validateKernelDesc(desc, compatHw()).message(),
              HasSubstr("pad_value is -1; of a maximum pooling it is 0 or -128"));
}

TEST(KernelDesc, CountsMultiplyAccumulatesOfContractionsOnly) {
  const HwConfig hw = HwConfig::makeDefault();
  // 8x8 outputs, 2 output blocks, 2 input blocks, 9 taps, 16x16 products.
  EXPECT_EQ(smallConvolution().macs(hw), 64 * 2 * 2 * 9 * 256);
  EXPECT_EQ(smallPool(KernelKind::kSumPool).macs(hw), 0);
}

}  // namespace
}  // namespace vta::kernel::testing
