#include "compiler/kernel/desc/kernel_desc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "compiler/kernel/desc/depthwise_fold.h"
#include "compiler/kernel/desc/fields.h"
#include "compiler/kernel/desc/pool_plan.h"
#include "compiler/kernel/desc/weight_layout.h"
#include "isa/instruction/legality.h"
#include "isa/spec/lookup_table.h"
#include "isa/spec/parameters.h"
#include "isa/spec/user_operation.h"

namespace vta::kernel {
namespace {

constexpr int64_t kLeastInt8 = std::numeric_limits<int8_t>::min();
constexpr int64_t kMaxDramElems = int64_t{1} << 32;  // dram_base is a 32-bit element number

Status checkSize(const char* name, int64_t value, int64_t least) {
  if (value >= least && value < kMaxDramElems) return {};
  return invalidArgument(
      fmt::format("{} is {}; it must be {} to {}", name, value, least, kMaxDramElems - 1));
}

Status checkSizes(const Geometry& g) {
  Status status;
  forEachField<Geometry>([&](const auto& field) {
    if constexpr (std::is_same_v<decltype(field.member), int64_t Geometry::*>) {
      if (!status.ok() || field.least == kNoLeast) return;
      status = checkSize(field.key, g.*field.member, field.least);
    }
  });
  return status;
}

// A maximum pooling may have padding that takes part (0) or not (the least value).
Status checkPadValue(const KernelDesc& desc) {
  const int64_t value = desc.geometry.pad_value;
  if (desc.kind == KernelKind::kMaxPool) {
    if (value == 0 || value == kLeastInt8) return {};
    return invalidArgument(
        fmt::format("pad_value is {}; of a maximum pooling it is 0 or {}", value, kLeastInt8));
  }
  if (value >= kLeastInt8 && value <= std::numeric_limits<int8_t>::max()) return {};
  return invalidArgument(fmt::format("pad_value is {}; it must be -128 to 127", value));
}

// Every window must lie inside the padded input.
Status checkAxis(const char* axis, int64_t in, int64_t out, int64_t kernel, int64_t stride,
                 int64_t dilation, int64_t pad_begin, int64_t pad_end) {
  const int64_t need = (out - 1) * stride + (kernel - 1) * dilation + 1;
  const int64_t have = in + pad_begin + pad_end;
  if (need <= have) return {};
  return invalidArgument(
      fmt::format("{} needs {} padded input rows or columns, but the input has {} ({} + {} + {})",
                  axis, need, have, in, pad_begin, pad_end));
}

Status checkInterleave(const Geometry& g) {
  const int64_t places = g.interleave_y * g.interleave_x;
  if ((g.phases != 1 && g.phases != places) || g.out_channel_blocks % g.phases != 0) {
    return invalidArgument(
        fmt::format("phases is {}; it must be 1 or {}, and divide out_channel_blocks {}", g.phases,
                    places, g.out_channel_blocks));
  }
  return {};
}

// What is stored of an image, and beyond it.
Status checkStored(const Geometry& g) {
  const int64_t height = g.out_height * g.interleave_y, width = g.out_width * g.interleave_x;
  const std::array<std::tuple<const char*, int64_t, int64_t>, 4> crops = {
      {{"crop_top", g.crop_top, height},
       {"crop_left", g.crop_left, width},
       {"crop_bottom", g.crop_bottom, height},
       {"crop_right", g.crop_right, width}}};
  for (const auto& [name, crop, extent] : crops) {
    // Mirrored once, an image has so many more rows.
    const int64_t least = g.border == Border::kReflect ? 1 - extent : 1 - kMaxDramElems;
    if (crop < least) {
      return invalidArgument(fmt::format("{} is {}; it must be at least {}", name, crop, least));
    }
  }
  if (g.storedHeight() >= 1 && g.storedWidth() >= 1) return {};
  return invalidArgument(
      fmt::format("the crops leave an image of {} x {}", g.storedHeight(), g.storedWidth()));
}

Status checkDramSizes(const KernelDesc& desc) {
  const Geometry& g = desc.geometry;
  const double input = 1.0 * g.batch_blocks * g.in_channel_blocks * g.in_height * g.in_width;
  const Geometry stored = desc.outputGeometry();
  const double output =
      1.0 * g.batch_blocks * g.storedBlocks() * stored.storedHeight() * stored.storedWidth();
  const double weight = 1.0 * g.out_channel_blocks * g.inBlocksPerGroup() * g.weightElems();
  for (double elems : {input, output, weight}) {
    if (elems >= static_cast<double>(kMaxDramElems)) {
      return unsupported(
          fmt::format("an operand of {:.0f} elements exceeds the 32-bit DRAM address", elems));
    }
  }
  return {};
}

Status checkGeometry(const KernelDesc& desc) {
  const Geometry& g = desc.geometry;
  VTA_RETURN_IF_ERROR(checkSizes(g));
  if (g.in_channel_blocks % g.groups != 0 || g.out_channel_blocks % g.groups != 0) {
    return invalidArgument(
        fmt::format("groups {} must divide in_channel_blocks {} and out_channel_blocks {}",
                    g.groups, g.in_channel_blocks, g.out_channel_blocks));
  }
  VTA_RETURN_IF_ERROR(checkAxis("out_height", g.in_height, g.out_height, g.kernel_height,
                                g.stride_y, g.dilation_y, g.pad_top, g.pad_bottom));
  VTA_RETURN_IF_ERROR(checkAxis("out_width", g.in_width, g.out_width, g.kernel_width, g.stride_x,
                                g.dilation_x, g.pad_left, g.pad_right));
  VTA_RETURN_IF_ERROR(checkInterleave(g));
  VTA_RETURN_IF_ERROR(checkStored(g));
  VTA_RETURN_IF_ERROR(checkPadValue(desc));
  if (desc.kind != KernelKind::kContraction &&
      (g.in_channel_blocks != g.groups || g.out_channel_blocks != g.groups)) {
    return invalidArgument("pooling and elementwise kernels need one block per group");
  }
  if (desc.kind == KernelKind::kElementwise &&
      (g.kernel_height != 1 || g.kernel_width != 1 || g.stride_y != 1 || g.stride_x != 1 ||
       g.in_height != g.out_height || g.in_width != g.out_width || g.pad_top != 0 ||
       g.pad_left != 0)) {
    return invalidArgument(
        "an elementwise kernel needs a 1x1 window and equal input and output sizes");
  }
  return checkDramSizes(desc);
}

Status checkImmediate(const EpilogueStep& step, const HwConfig& hw) {
  const AluOperation& operation = *findAluOperation(hw.params(), step.opcode);
  if (operation.operand == AluOperand::kTensor) {
    return invalidArgument(fmt::format(
        "{} takes its multiplier from a parameter, not from an immediate", operation.name));
  }
  switch (step.opcode) {
    case AluOpcode::kClip: {
      if (step.imm < -32768 || step.imm > 65535) {
        return invalidArgument(fmt::format("CLIP bounds {} do not fit 16 bits", step.imm));
      }
      const auto lo = static_cast<int8_t>(step.imm & 0xff);
      const auto hi = static_cast<int8_t>((step.imm >> 8) & 0xff);
      if (lo > hi) return invalidArgument(fmt::format("CLIP bounds [{}, {}] are empty", lo, hi));
      return {};
    }
    case AluOpcode::kShr: {
      const int lo = hw.params().compat_0_0_2 ? -16 : -32;
      const int hi = hw.params().compat_0_0_2 ? 15 : 31;
      if (step.imm >= lo && step.imm <= hi) return {};
      return invalidArgument(fmt::format("SHR amount {} is outside {} to {}", step.imm, lo, hi));
    }
    default:
      if (operation.immediate != AluImmediate::kNumber) {
        return checkAluImmediate(operation, step.imm);
      }
      if (step.imm >= -32768 && step.imm <= 32767) return {};
      return invalidArgument(fmt::format("immediate {} does not fit 16 signed bits", step.imm));
  }
}

Status checkOpcodeSupported(AluOpcode opcode, const HwConfig& hw) {
  const AluOperation* const operation = findAluOperation(hw.params(), opcode);
  if (operation == nullptr) {
    return invalidArgument(fmt::format("no ALU operation has code {}", static_cast<int>(opcode)));
  }
  if (!hasAluOperation(hw.params(), *operation)) {
    return unsupported(fmt::format("{} needs extension {}, which '{}' lacks", operation->name,
                                   extensionName(operation->extension), hw.name()));
  }
  if (!operation->is_published && hw.params().compat_0_0_2) {
    return unsupported(fmt::format("{} does not exist on 0.0.2 hardware", operation->name));
  }
  return {};
}

Status checkStep(const EpilogueStep& step, int64_t num_params, const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(checkOpcodeSupported(step.opcode, hw));
  if (writesTable(step.opcode)) {
    return invalidArgument(fmt::format("{} is no step: lowering a kernel with a table adds it",
                                       aluOpcodeName(step.opcode)));
  }
  if (step.source == EpilogueStep::Source::kImmediate) return checkImmediate(step, hw);
  const AluOperation& operation = *findAluOperation(hw.params(), step.opcode);
  if (operation.operand == AluOperand::kImmediate) {
    return invalidArgument(fmt::format("{} takes immediate bounds only", operation.name));
  }
  if (operation.operand == AluOperand::kPair &&
      (step.source != EpilogueStep::Source::kParam || step.param != 0 || num_params < 2)) {
    return invalidArgument(
        fmt::format("{} takes its operands from parameters 0 and 1, of {} parameters",
                    operation.name, num_params));
  }
  if (operation.immediate == AluImmediate::kByteRange) {
    VTA_RETURN_IF_ERROR(checkAluImmediate(operation, step.imm));
  }
  const bool is_shift = operation.immediate == AluImmediate::kShift;
  if (is_shift && (step.imm < 0 || step.imm > kMaxAluShift)) {
    return invalidArgument(
        fmt::format("{} shift {} is outside 0 to {}", operation.name, step.imm, kMaxAluShift));
  }
  if (step.source == EpilogueStep::Source::kParam && (step.param < 0 || step.param >= num_params)) {
    return invalidArgument(
        fmt::format("parameter {} does not exist; the kernel has {}", step.param, num_params));
  }
  return {};
}

// The vectors of a pair are interleaved: no other step can read them.
Status checkPairIsOwn(const KernelDesc& desc) {
  if (!desc.hasPair()) return {};
  const auto uses = [](const EpilogueStep& step) {
    return step.source == EpilogueStep::Source::kParam && step.param < 2;
  };
  auto count = std::ranges::count_if(desc.epilogue, uses);
  if (desc.residual) count += std::ranges::count_if(desc.residual->steps, uses);
  if (count == 1) return {};
  return invalidArgument("parameters 0 and 1 are REQUANT's, and no other step may use them");
}

Status checkEpilogue(const KernelDesc& desc, const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(checkPairIsOwn(desc));
  for (size_t i = 0; i < desc.epilogue.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkStep(desc.epilogue[i], desc.num_params, hw)
                            .withContext(fmt::format("epilogue step {}", i)));
  }
  if ((desc.residualUses() > 0) != desc.residual.has_value()) {
    return invalidArgument(fmt::format("{} epilogue steps use a residual, but the kernel has {}",
                                       desc.residualUses(), desc.residual ? 1 : 0));
  }
  if (!desc.residual) {
    if (!desc.residual_per_image) return {};
    return invalidArgument("residual_per_image says what shape a residual has, and there is none");
  }
  for (size_t i = 0; i < desc.residual->steps.size(); ++i) {
    const EpilogueStep& step = desc.residual->steps[i];
    const std::string context = fmt::format("residual step {}", i);
    if (step.source == EpilogueStep::Source::kResidual) {
      return invalidArgument(context + ": a residual cannot use itself");
    }
    if (readsPair(step.opcode)) {
      return invalidArgument(context + ": REQUANT is a step of the epilogue only");
    }
    VTA_RETURN_IF_ERROR(checkStep(step, desc.num_params, hw).withContext(context));
  }
  return {};
}

Status checkTable(const KernelDesc& desc) {
  const size_t entries = desc.hasLookup() ? kTableEntries : 0;
  if (desc.table.size() == entries) return {};
  return invalidArgument(
      fmt::format("the table has {} entries; {}", desc.table.size(),
                  entries == 0 ? "no step reads one" : fmt::format("LUT steps need {}", entries)));
}

Status checkPool(const KernelDesc& desc) {
  if (!desc.pool) return {};
  if (desc.kind != KernelKind::kContraction || desc.residual.has_value()) {
    return invalidArgument("pooling follows a contraction without a residual only");
  }
  const Pool& p = *desc.pool;
  const Geometry& g = desc.geometry;
  if (!g.storesAll()) return invalidArgument("pooled outputs cannot be interleaved or cropped");
  for (const int64_t size : {p.out_height, p.out_width, p.kernel_height, p.kernel_width, p.stride_y,
                             p.stride_x, p.pad_top + 1, p.pad_left + 1}) {
    if (size >= 1 && size < kMaxDramElems) continue;
    return invalidArgument("pooling needs positive sizes and strides, and no negative padding");
  }
  if (makePoolAxis(g.out_height, p.out_height, p.kernel_height, p.stride_y, p.pad_top) &&
      makePoolAxis(g.out_width, p.out_width, p.kernel_width, p.stride_x, p.pad_left)) {
    return {};
  }
  return unsupported(
      fmt::format("pooling {}x{} with stride {}x{} and padding {}x{} of {}x{} accumulators to "
                  "{}x{}: one tap of "
                  "each window must lie inside and belong to no other window",
                  p.kernel_height, p.kernel_width, p.stride_y, p.stride_x, p.pad_top, p.pad_left,
                  g.out_height, g.out_width, p.out_height, p.out_width));
}

Status checkBiasPromise(const KernelDesc& desc) {
  int64_t least = 0;
  for (const int32_t block : desc.small_bias_blocks) {
    if (block < least || block >= desc.geometry.out_channel_blocks) {
      return invalidArgument(
          fmt::format("small_bias_blocks names {}; its blocks ascend and are below {}", block,
                      desc.geometry.out_channel_blocks));
    }
    least = block + 1;
  }
  if (!desc.bias_exceeds_results) return {};
  if (desc.kind == KernelKind::kMaxPool || desc.pool.has_value()) {
    return invalidArgument("bias_exceeds_results is for accumulators that are sums");
  }
  if (!desc.epilogue.empty() && desc.epilogue.front().opcode == AluOpcode::kAdd &&
      desc.epilogue.front().hasConstant()) {
    return {};
  }
  return invalidArgument("bias_exceeds_results needs an epilogue that begins with ADD of the bias");
}

Status checkHardware(const KernelDesc& desc, const HwConfig& hw) {
  const HwParams& p = hw.params();
  const bool reads_int8_into_acc =
      desc.kind != KernelKind::kContraction || desc.residual.has_value();
  if (reads_int8_into_acc && p.compat_0_0_2 && p.block_in != p.block_out) {
    return unsupported(fmt::format(
        "without ACC_8BIT loads, pooling, elementwise and residual operands need equal blocks; "
        "'{}' has block_in {} and block_out {}",
        hw.name(), p.block_in, p.block_out));
  }
  return {};
}

}  // namespace

bool KernelDesc::hasPair() const {
  return std::ranges::any_of(epilogue,
                             [](const EpilogueStep& step) { return readsPair(step.opcode); });
}

bool KernelDesc::hasLookup() const {
  const auto looks_up = [](const EpilogueStep& step) { return readsTable(step.opcode); };
  return std::ranges::any_of(epilogue, looks_up) ||
         (residual && std::ranges::any_of(residual->steps, looks_up));
}

int64_t KernelDesc::residualUses() const {
  return std::ranges::count_if(epilogue, [](const EpilogueStep& step) {
    return step.source == EpilogueStep::Source::kResidual;
  });
}

int64_t KernelDesc::macs(const HwConfig& hw) const {
  if (kind != KernelKind::kContraction) return 0;
  const Geometry& g = geometry;
  return g.batch_blocks * hw.batch() * g.out_channel_blocks * hw.blockOut() * g.out_height *
         g.out_width * g.inBlocksPerGroup() * hw.blockIn() * g.weightElems();
}

std::optional<PadKind> loadedPadding(int64_t value, const HwConfig& hw) {
  if (value == 0) return PadKind::kZero;
  if (value == kLeastInt8 && hw.params().ext_pad_min) return PadKind::kMin;
  return std::nullopt;
}

KernelDesc withoutName(KernelDesc desc) {
  desc.name.clear();
  return desc;
}

bool isMadeByLowering(std::string_view buffer) {
  return buffer == kIdentityBuffer || buffer == kTableBuffer || buffer == kPaddingBuffer;
}

Status validateKernelDesc(const KernelDesc& desc, const HwConfig& hw) {
  const auto check = [&]() -> Status {
    VTA_RETURN_IF_ERROR(checkHardware(desc, hw));
    VTA_RETURN_IF_ERROR(checkGeometry(desc));
    VTA_RETURN_IF_ERROR(validateFolding(desc, hw));
    VTA_RETURN_IF_ERROR(validateWeightLayout(desc, hw));
    if (desc.num_params < 0 ||
        desc.num_params * desc.geometry.out_channel_blocks >= kMaxDramElems) {
      return invalidArgument(fmt::format("num_params is {}", desc.num_params));
    }
    VTA_RETURN_IF_ERROR(validateWeightFactors(desc, hw));
    VTA_RETURN_IF_ERROR(checkPool(desc));
    VTA_RETURN_IF_ERROR(checkBiasPromise(desc));
    VTA_RETURN_IF_ERROR(checkTable(desc));
    return checkEpilogue(desc, hw);
  };
  return check().withContext(fmt::format("kernel '{}'", desc.name));
}

}  // namespace vta::kernel
