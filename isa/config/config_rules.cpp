#include "isa/config/config_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/spec/accumulator.h"
#include "isa/spec/alu_operations.h"
#include "isa/spec/depthwise.h"
#include "isa/spec/parameters.h"

namespace vta {
namespace {

template <MemoryType Type>
constexpr auto kLanes = [](const HwConfig& hw) { return lanesOf(hw, Type); };
template <MemoryType Type>
constexpr auto kDepth = [](const HwConfig& hw) { return int64_t{hw.depthElems(Type)}; };

constexpr auto kMultiplierBits = [](const HwConfig& hw) {
  return int64_t{hw.params().qmul_multiplier_bits};
};

// A scratchpad that is written a beat at a time is made of one RAM for each element of a beat, and
// a RAM has two words at least.
constexpr std::string_view kTwoBeats = "a scratchpad has to hold two beats of the bus";

// All RAMs of a scratchpad are equally deep.
constexpr HardwareRule equalRams(std::array<std::string_view, 2> keys, ConfigQuantity rams,
                                 ConfigQuantity depth, std::string_view text) {
  return {.keys = keys, .left = rams, .right = depth, .text = text, .divides = true};
}
constexpr std::string_view kWholeBeats = "a scratchpad has to hold a whole number of beats";

constexpr HardwareRule kHardwareRules[] = {
    {{"compute.alu_passes", "gemm.block_out"},
     1,
     {"AluPasses", [](const HwConfig& hw) { return int64_t{hw.params().alu_passes}; }},
     {"BlockOut", [](const HwConfig& hw) { return int64_t{hw.blockOut()}; }},
     "the ALU has a lane at least for each pass over a row of an element",
     "lanes"},
    {{"buffers.uop_buf_bytes", "axi.data_width_bits"},
     2,
     {"UopLanes", kLanes<MemoryType::kUop>},
     {"UopDepth", kDepth<MemoryType::kUop>},
     kTwoBeats},
    equalRams({"buffers.uop_buf_bytes", "axi.data_width_bits"},
              {"UopLanes", kLanes<MemoryType::kUop>}, {"UopDepth", kDepth<MemoryType::kUop>},
              kWholeBeats),
    {{"buffers.inp_buf_bytes", "axi.data_width_bits"},
     2,
     {"InpLanes", kLanes<MemoryType::kInp>},
     {"InpDepth", kDepth<MemoryType::kInp>},
     kTwoBeats},
    equalRams({"buffers.inp_buf_bytes", "axi.data_width_bits"},
              {"InpLanes", kLanes<MemoryType::kInp>}, {"InpDepth", kDepth<MemoryType::kInp>},
              kWholeBeats),
    {{"buffers.wgt_buf_bytes", "axi.data_width_bits"},
     2,
     {"WgtLanes", kLanes<MemoryType::kWgt>},
     {"WgtDepth", kDepth<MemoryType::kWgt>},
     kTwoBeats},
    equalRams({"buffers.wgt_buf_bytes", "axi.data_width_bits"},
              {"WgtLanes", kLanes<MemoryType::kWgt>}, {"WgtDepth", kDepth<MemoryType::kWgt>},
              kWholeBeats),
    equalRams({"buffers.acc_buf_bytes", "compute.acc_banks"}, {"AccFilledBanks", accFilledBanks},
              {"AccDepth", kDepth<MemoryType::kAcc>}, "all banks of ACC are equally deep"),
    // checkWholeBytes says it before there is a configuration.
    {{"operands.wgt_width_bits", "gemm.block_out"},
     1,
     {"InpWidth", [](const HwConfig&) { return int64_t{8}; }},
     {"WgtElemBits",
      [](const HwConfig& hw) { return 8 * int64_t{hw.elemBytes(MemoryType::kWgt)}; }},
     "an element of WGT has a byte at least",
     "bits"},
    {{"isa.depthwise_taps", "gemm.block_in"},
     1,
     {"DepthwiseProducts", depthwiseProducts},
     {"BlockIn", [](const HwConfig& hw) { return int64_t{hw.blockIn()}; }},
     "with extension depthwise an output needs two multipliers for each tap",
     "multipliers"},
    {{"buffers.inp_buf_bytes", "isa.depthwise_taps"},
     2,
     {"InpBanks", inpBanks},
     {"InpDepth", kDepth<MemoryType::kInp>},
     "with extension depthwise a scratchpad has a RAM of two elements for each tap"},
    equalRams({"buffers.inp_buf_bytes", "isa.depthwise_taps"}, {"InpBanks", inpBanks},
              {"InpDepth", kDepth<MemoryType::kInp>},
              "with extension depthwise the RAMs for the taps are equally deep"),
    {{"operands.wgt_width_bits", "isa.extensions"},
     1,
     {"TransposeWidth", transposeWidth},
     {"WgtWidth", [](const HwConfig& hw) { return int64_t{hw.params().wgt_width_bits}; }},
     "with extension transpose a weight is a byte",
     "bits"},
    {.keys = {"gemm.block_in", "gemm.block_out"},
     .left = {"BlockIn", [](const HwConfig& hw) { return int64_t{hw.blockIn()}; }},
     .right = {"BlockOut", [](const HwConfig& hw) { return int64_t{hw.blockOut()}; }},
     .text = "with extension handover an element of OUT is one or more of INP",
     .unit = "channels",
     .extension = &HwParams::ext_handover,
     .divides = true},
    {{"isa.qmul_multiplier_bits", "operands.acc_width_bits"},
     1,
     {"QmulMultiplierBits", kMultiplierBits},
     {"AccWidth", [](const HwConfig& hw) { return int64_t{hw.params().acc_width_bits}; }},
     "QMUL's multiplier is in an accumulator",
     "bits",
     &HwParams::ext_qmul},
    // checkRequant says it in other words.
    {{"isa.qmul_multiplier_bits", "isa.extensions"},
     1,
     {"QmulMultiplierBits", kMultiplierBits},
     {"RequantShiftLsb", [](const HwConfig& hw) { return int64_t{requantShiftLsb(hw.params())}; }},
     "with extension requant the shift stands above the multiplier",
     "bits",
     &HwParams::ext_requant},
    {{"operands.acc_width_bits", "isa.extensions"},
     1,
     {"TableWidth", tableWidth},
     {"AccWidth", [](const HwConfig& hw) { return int64_t{hw.params().acc_width_bits}; }},
     "with extension lut an accumulator holds four entries of the table",
     "bits"},
};

constexpr std::string_view kAllInOne = "whose work it does together with others";
constexpr ExtensionRule kExtensionRules[] = {
    {&HwParams::ext_prelu, &HwParams::ext_qmul, "whose multiplier it uses"},
    {&HwParams::ext_requant, &HwParams::ext_qmul, kAllInOne},
    {&HwParams::ext_requant, &HwParams::ext_clip, kAllInOne},
};

std::string valueOf(std::string_view full_key, const HwParams& params) {
  const auto found = std::ranges::find(parameters(), full_key, &Parameter::fullKey);
  return found == parameters().end() ? "" : valueText(*found, params);
}

// Of a rule that does not hold: "96 elements, and it has 64".
std::string numbersOf(const HardwareRule& rule, int64_t left, int64_t right) {
  if (!rule.divides) return fmt::format("{} {}, and it has {}", left, rule.unit, right);
  const int64_t below = right / left * left;
  return fmt::format("{} {} are no multiple of {}; use {} or {} {}", right, rule.unit, left, below,
                     below + left, rule.unit);
}

Status checkExtensions(const HwParams& params) {
  for (const ExtensionRule& rule : kExtensionRules) {
    if (!(params.*rule.extension) || params.*rule.needed) continue;
    const std::string_view needed = extensionName(rule.needed);
    return invalidArgument(fmt::format("isa.extensions has {} without {}, {}; add {}",
                                       extensionName(rule.extension), needed, rule.why, needed));
  }
  return {};
}

// REQUANT has the shift beside the multiplier in one lane.
Status checkRequant(const HwParams& params) {
  const int most = requantShiftLsb(params);
  if (!params.ext_requant || params.qmul_multiplier_bits <= most) return {};
  return invalidArgument(
      fmt::format("isa.qmul_multiplier_bits is {} with extension requant and "
                  "operands.acc_width_bits {}: its multipliers have {} bits at most, below the "
                  "shift; use {} or fewer, or leave requant out",
                  params.qmul_multiplier_bits, params.acc_width_bits, most, most));
}

// Programs for published hardware. The hardware itself has no parameter for it.
Status checkCompat(const HwConfig& hw) {
  const HwParams& p = hw.params();
  if (!p.compat_0_0_2) return {};
  for (const IsaExtension& extension : isaExtensions()) {
    if (!(p.*extension.member)) continue;
    return invalidArgument(
        "isa.extensions must be [] with isa.compat 0.0.2: published hardware has none of them");
  }
  if (!p.operations.empty()) {
    return invalidArgument(
        "operations must be [] with isa.compat 0.0.2: published hardware has none of them");
  }
  if (p.wgt_width_bits != 8) {
    return invalidArgument(
        fmt::format("operands.wgt_width_bits is {} with isa.compat 0.0.2: published hardware has "
                    "weights of 8 bits; use 8",
                    p.wgt_width_bits));
  }
  if (p.acc_width_bits != kAccDramBits) {
    return invalidArgument(
        fmt::format("operands.acc_width_bits is {} with isa.compat 0.0.2: published hardware has "
                    "accumulators of {} bits; use {}",
                    p.acc_width_bits, kAccDramBits, kAccDramBits));
  }
  for (const Parameter& parameter : parameters()) {
    if (!parameter.memory || std::has_single_bit(hw.depthElems(*parameter.memory))) continue;
    return invalidArgument(fmt::format(
        "{} is {} with isa.compat 0.0.2: published hardware has buffers of a power of two of "
        "elements, and {} are none; use {} elements",
        parameter.fullKey(), valueText(parameter, p), hw.depthElems(*parameter.memory),
        std::bit_floor(hw.depthElems(*parameter.memory))));
  }
  if (hw.encoding() == Encoding::kBase) return {};
  return invalidArgument(fmt::format(
      "isa.compat 0.0.2 needs the base encoding, which the buffers.*_buf_bytes exceed: log2 depths "
      "are uop {}, inp {}, wgt {}, acc {}; use smaller buffers (uop <= 13, acc <= 11, acc + inp + "
      "wgt <= 32, acc + max(acc, inp) + wgt <= 32)",
      hw.logDepth(MemoryType::kUop) + 1, hw.logDepth(MemoryType::kInp),
      hw.logDepth(MemoryType::kWgt), hw.logDepth(MemoryType::kAcc)));
}

// The published core takes whole beats into its scratchpads, one compute instruction at a time.
Status checkHlsTiming(const HwConfig& hw) {
  const HwParams& p = hw.params();
  if (!p.hls_timing) return {};
  if (!p.compat_0_0_2) {
    return invalidArgument(
        "timing hls-0.0.2 is that of published 0.0.2 hardware, which runs only programs made for "
        "it; add isa: {extensions: [], compat: 0.0.2}");
  }
  if (p.concurrent_compute) {
    return invalidArgument(
        "compute.concurrent is true with timing hls-0.0.2; published hardware executes one compute "
        "instruction at a time: set it to false");
  }
  if (p.alu_passes != 1) {
    return invalidArgument(
        fmt::format("compute.alu_passes is {} with timing hls-0.0.2; published hardware has a lane "
                    "of the ALU for each output: set it to 1",
                    p.alu_passes));
  }
  if (p.pipeline != Pipeline::kFast) {
    return invalidArgument(
        "compute.pipeline is relaxed with timing hls-0.0.2; published hardware has the stages that "
        "it has: leave the key out");
  }
  if (p.axi_ports != 1) {
    return invalidArgument(
        fmt::format("axi.ports is {} with timing hls-0.0.2; published hardware has one memory port "
                    "for all: set it to 1",
                    p.axi_ports));
  }
  const uint64_t bus_bytes = static_cast<uint64_t>(p.axi_data_width_bits) / 8;
  for (const MemoryType type :
       {MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc, MemoryType::kOut}) {
    if (hw.elemBytes(type) >= bus_bytes) continue;
    return invalidArgument(
        fmt::format("axi.data_width_bits is {} with timing hls-0.0.2; published hardware moves "
                    "whole beats, and "
                    "an element of {} has {} bits: use a narrower bus or larger blocks",
                    p.axi_data_width_bits, memoryTypeName(type), hw.elemBytes(type) * 8));
  }
  return {};
}

}  // namespace

std::span<const HardwareRule> hardwareRules() { return kHardwareRules; }
std::span<const ExtensionRule> extensionRules() { return kExtensionRules; }

Status checkConfigRules(const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(checkExtensions(hw.params()));
  VTA_RETURN_IF_ERROR(checkRequant(hw.params()));
  for (const HardwareRule& rule : kHardwareRules) {
    if (rule.extension != nullptr && !(hw.params().*rule.extension)) continue;
    const int64_t left = rule.factor * rule.left.of(hw);
    const int64_t right = rule.right.of(hw);
    if (rule.divides ? right % left == 0 : left <= right) continue;
    return invalidArgument(fmt::format(
        "{} is {} with {} {}; {}: {}", rule.keys[0], valueOf(rule.keys[0], hw.params()),
        rule.keys[1], valueOf(rule.keys[1], hw.params()), rule.text, numbersOf(rule, left, right)));
  }
  VTA_RETURN_IF_ERROR(checkCompat(hw));
  return checkHlsTiming(hw);
}

Status checkWholeBytes(const HwParams& params) {
  const int bits = params.block_in * params.block_out * params.wgt_width_bits;
  if (bits >= 8) return {};
  return invalidArgument(
      fmt::format("operands.wgt_width_bits is {} with gemm.block_in {} and gemm.block_out {}: an "
                  "element of WGT "
                  "has {} bits, and a byte is the least; use wider weights or larger blocks",
                  params.wgt_width_bits, params.block_in, params.block_out, bits));
}

Status checkHasRtl(const HwConfig& hw) {
  if (!hw.params().hls_timing) return {};
  return invalidArgument(fmt::format(
      "'{}' has timing hls-0.0.2, that of the published HLS core, of which there is no RTL here; "
      "simulate it with --sim=cycle, or leave timing out for the RTL of this project",
      hw.params().name));
}

int64_t lanesOf(const HwConfig& hw, MemoryType type) {
  const int64_t bus_bytes = hw.params().axi_data_width_bits / 8;
  return std::max<int64_t>(1, bus_bytes / hw.elemBytes(type));
}

int64_t inpBanks(const HwConfig& hw) {
  return std::max<int64_t>(lanesOf(hw, MemoryType::kInp), inpReadBanks(hw.params()));
}

int64_t accFilledBanks(const HwConfig& hw) {
  return std::min<int64_t>(hw.params().acc_banks, std::bit_floor(hw.depthElems(MemoryType::kAcc)));
}

int64_t depthwiseProducts(const HwConfig& hw) {
  return hw.params().ext_depthwise ? 2 * int64_t{hw.params().depthwise_taps} : 0;
}

int64_t tableWidth(const HwConfig& hw) { return hw.params().ext_lut ? kAccDramBits : 0; }

int64_t transposeWidth(const HwConfig& hw) { return hw.params().ext_transpose ? 8 : 0; }

}  // namespace vta
