#include "isa/spec/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <type_traits>
#include <vector>

#include "isa/spec/accumulator.h"
#include "isa/spec/depthwise.h"

namespace vta {
namespace {

using Kind = ParameterKind;
using P = HwParams;

template <auto Member>
constexpr ParameterAccess kAccess = {
    [](const P& p) { return static_cast<int64_t>(p.*Member); },
    [](P& p, int64_t value) {
      p.*Member = static_cast<std::remove_reference_t<decltype(p.*Member)>>(value);
    }};

constexpr IsaExtension kExtensions[] = {
    {"qmul", &P::ext_qmul, "ExtQmul", true},
    {"clip", &P::ext_clip, "ExtClip", true},
    {"pad_min", &P::ext_pad_min, "ExtPadMin", true},
    {"prelu", &P::ext_prelu, "ExtPrelu"},
    {"requant", &P::ext_requant, "ExtRequant"},
    {"depthwise", &P::ext_depthwise, "ExtDepthwise"},
    {"lut", &P::ext_lut, "ExtLut"},
    {"transpose", &P::ext_transpose, "ExtTranspose"},
    {"handover", &P::ext_handover, "ExtHandover"},
};
constexpr auto kExtensionNames = [] {
  std::array<std::string_view, std::size(kExtensions)> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kExtensions[i].name;
  return names;
}();

constexpr ParameterAccess kExtensionsAccess = {
    [](const P& p) {
      int64_t value = 0;
      for (size_t i = 0; i < std::size(kExtensions); ++i) {
        value |= int64_t{p.*kExtensions[i].member} << i;
      }
      return value;
    },
    [](P& p, int64_t value) {
      for (size_t i = 0; i < std::size(kExtensions); ++i) {
        p.*kExtensions[i].member = (value >> i & 1) != 0;
      }
    }};

constexpr std::string_view kFlagNames[] = {"false", "true"};
constexpr std::string_view kCompatNames[] = {"none", "0.0.2"};
constexpr std::string_view kTimingNames[] = {"rtl", "hls-0.0.2"};
// In the order of Multipliers.
constexpr std::string_view kMultiplierNames[] = {"packed", "double_pumped", "single", "lut"};

// In the order of Pipeline.
constexpr std::string_view kPipelineNames[] = {"fast", "relaxed"};

// In the order of RamStyle: values of the attribute ram_style of Vivado and Yosys.
constexpr std::string_view kRamStyleNames[] = {"auto", "block", "distributed", "ultra"};
constexpr ValueRange kAnyRamStyle = {0, std::size(kRamStyleNames) - 1};

constexpr bool kPowerOfTwo = true;
// Depths of scratchpads. The largest is what the sram_base field addresses. Below the smallest an
// index would have no bits.
constexpr ValueRange kDepth = {2, 65536};

constexpr Parameter kParameters[] = {
    {.section = "",
     .key = "name",
     .kind = Kind::kText,
     .doc = "what tools call the accelerator; without it, the name of the file"},

    {.section = "gemm",
     .key = "batch",
     .access = kAccess<&P::batch>,
     .legal = {1, 64, kPowerOfTwo},
     .identity = "",
     .sv_name = "Batch",
     .draw = ValueRange{1, 4, kPowerOfTwo},
     .unit = "rows",
     .doc = "rows of INP, ACC and OUT elements"},
    {.section = "gemm",
     .key = "block_in",
     .access = kAccess<&P::block_in>,
     .legal = {1, 256, kPowerOfTwo},
     .identity = "x",
     .sv_name = "BlockIn",
     .draw = ValueRange{2, 32, kPowerOfTwo},
     .unit = "channels",
     .doc = "input channels of one element"},
    {.section = "gemm",
     .key = "block_out",
     .access = kAccess<&P::block_out>,
     .legal = {1, 256, kPowerOfTwo},
     .identity = "x",
     .sv_name = "BlockOut",
     .draw = ValueRange{2, 32, kPowerOfTwo},
     .unit = "channels",
     .doc = "output channels of one element"},
    {.section = "gemm",
     .key = "multipliers",
     .kind = Kind::kChoice,
     .access = kAccess<&P::multipliers>,
     .names = kMultiplierNames,
     .sv_name = "Multipliers",
     .draw = ValueRange{0, std::size(kMultiplierNames) - 1},
     .doc = "what products are made of: two, four or one in a DSP block, or LUTs; results and "
            "cycles do "
            "not change"},

    // Other widths than these need datapaths that no implementation has yet.
    {.section = "operands",
     .key = "inp_width_bits",
     .access = kAccess<&P::inp_width_bits>,
     .legal = {8, 8},
     .identity = " i",
     .sv_name = "InpWidth",
     .unit = "bits",
     .doc = "width of an input; no other datapath exists yet"},
    {.section = "operands",
     .key = "wgt_width_bits",
     .access = kAccess<&P::wgt_width_bits>,
     .legal = {2, 8, kPowerOfTwo},
     .identity = " w",
     .sv_name = "WgtWidth",
     .draw = ValueRange{2, 8, kPowerOfTwo},
     .unit = "bits",
     .doc = "width of a weight, in DRAM and in WGT"},
    {.section = "operands",
     .key = "acc_width_bits",
     .access = kAccess<&P::acc_width_bits>,
     .legal = {kLeastAccBits, kAccDramBits},
     .identity = " a",
     .sv_name = "AccWidth",
     .draw = ValueRange{kLeastAccBits, kAccDramBits},
     .unit = "bits",
     .doc = "width of an accumulator in ACC; in DRAM it has 32 bits"},
    {.section = "operands",
     .key = "out_width_bits",
     .access = kAccess<&P::out_width_bits>,
     .legal = {8, 8},
     .identity = " o",
     .sv_name = "OutWidth",
     .unit = "bits",
     .doc = "width of an output"},

    {.section = "buffers",
     .key = "uop_buf_bytes",
     .kind = Kind::kBytes,
     .access = kAccess<&P::uop_buf_bytes>,
     .legal = kDepth,
     .memory = MemoryType::kUop,
     .identity = " uop",
     .draw = ValueRange{16, 4096, kPowerOfTwo},
     .doc = "size of the UOP scratchpad"},
    {.section = "buffers",
     .key = "inp_buf_bytes",
     .kind = Kind::kBytes,
     .access = kAccess<&P::inp_buf_bytes>,
     .legal = kDepth,
     .memory = MemoryType::kInp,
     .identity = " inp",
     .draw = ValueRange{16, 4096, kPowerOfTwo},
     .doc = "size of the INP scratchpad"},
    {.section = "buffers",
     .key = "wgt_buf_bytes",
     .kind = Kind::kBytes,
     .access = kAccess<&P::wgt_buf_bytes>,
     .legal = kDepth,
     .memory = MemoryType::kWgt,
     .identity = " wgt",
     .draw = ValueRange{16, 1024, kPowerOfTwo},
     .doc = "size of the WGT scratchpad"},
    {.section = "buffers",
     .key = "acc_buf_bytes",
     .kind = Kind::kBytes,
     .access = kAccess<&P::acc_buf_bytes>,
     .legal = kDepth,
     .memory = MemoryType::kAcc,
     .identity = " acc",
     .draw = ValueRange{16, 4096, kPowerOfTwo},
     .doc = "size of the ACC scratchpad, which OUT shows, with 4 bytes for each accumulator"},
    {.section = "buffers",
     .key = "inp_ram",
     .kind = Kind::kChoice,
     .access = kAccess<&P::inp_ram>,
     .names = kRamStyleNames,
     .sv_name = "InpRam",
     .sv_is_text = true,
     .draw = kAnyRamStyle,
     .doc = "what the INP scratchpad is made of; results and cycles do not change"},
    {.section = "buffers",
     .key = "wgt_ram",
     .kind = Kind::kChoice,
     .access = kAccess<&P::wgt_ram>,
     .names = kRamStyleNames,
     .sv_name = "WgtRam",
     .sv_is_text = true,
     .draw = kAnyRamStyle,
     .doc = "what the WGT scratchpad is made of; results and cycles do not change"},
    {.section = "buffers",
     .key = "acc_ram",
     .kind = Kind::kChoice,
     .access = kAccess<&P::acc_ram>,
     .names = kRamStyleNames,
     .sv_name = "AccRam",
     .sv_is_text = true,
     .draw = kAnyRamStyle,
     .doc = "what the ACC scratchpad is made of; results and cycles do not change"},

    {.section = "isa",
     .key = "extensions",
     .kind = Kind::kSet,
     .access = kExtensionsAccess,
     .names = kExtensionNames,
     .draw = ValueRange{0, (1 << std::size(kExtensions)) - 1},
     .doc = "instructions beyond the published ones that the hardware has"},
    {.section = "isa",
     .key = "qmul_multiplier_bits",
     .access = kAccess<&P::qmul_multiplier_bits>,
     .legal = {2, 32},
     .extension = &P::ext_qmul,
     .sv_name = "QmulMultiplierBits",
     .draw = ValueRange{8, 25},
     .unit = "bits",
     .doc = "width of QMUL's multiplier"},
    {.section = "isa",
     .key = "depthwise_taps",
     .access = kAccess<&P::depthwise_taps>,
     .legal = {2, kMaxTaps},
     .extension = &P::ext_depthwise,
     .sv_name = "DepthwiseTaps",
     .draw = ValueRange{2, kMaxTaps},
     .unit = "elements",
     .doc = "INP elements that a depthwise GEMM multiplies at once"},
    {.section = "isa",
     .key = "compat",
     .kind = Kind::kChoice,
     .access = kAccess<&P::compat_0_0_2>,
     .names = kCompatNames,
     .doc = "with 0.0.2, programs stay inside what published 0.0.2 hardware runs"},

    {.section = "queues",
     .key = "command_depth",
     .access = kAccess<&P::command_queue_depth>,
     .legal = {1, 65536},
     .sv_name = "CommandDepth",
     .draw = ValueRange{2, 512},
     .unit = "instructions",
     .doc = "instructions in the queue of each unit"},
    {.section = "queues",
     .key = "token_depth",
     .access = kAccess<&P::token_queue_depth>,
     .legal = {1, 65536},
     .sv_name = "TokenDepth",
     .draw = ValueRange{4, 512},
     .unit = "tokens",
     .doc = "tokens in each token queue"},

    {.section = "axi",
     .key = "data_width_bits",
     .access = kAccess<&P::axi_data_width_bits>,
     .legal = {32, 1024, kPowerOfTwo},
     .sv_name = "AxiDataWidth",
     .draw = ValueRange{64, 512, kPowerOfTwo},
     .unit = "bits",
     .doc = "width of the memory bus; one transfer of this width is a beat"},
    {.section = "axi",
     .key = "addr_width_bits",
     .access = kAccess<&P::axi_addr_width_bits>,
     .legal = {32, 64},
     .sv_name = "AxiAddrWidth",
     .draw = ValueRange{32, 64, kPowerOfTwo},
     .unit = "bits",
     .doc = "width of the addresses on the memory bus"},
    {.section = "axi",
     .key = "outstanding_bursts",
     .access = kAccess<&P::axi_outstanding_bursts>,
     .legal = {1, 256},
     .sv_name = "OutstandingBursts",
     .draw = ValueRange{1, 16},
     .unit = "bursts",
     .doc = "bursts that load, compute and store each may have in flight"},
    // AXI4 has 256 at most. AXI3 (Zynq-7000) has 16; a burst of the widest bus then takes half of
    // the 4 KiB that no burst may cross.
    {.section = "axi",
     .key = "max_burst_beats",
     .access = kAccess<&P::axi_max_burst_beats>,
     .legal = {1, 256},
     .sv_name = "MaxBurstBeats",
     .draw = ValueRange{1, 256},
     .unit = "beats",
     .doc = "beats of the longest burst; AXI3 ports take 16"},
    {.section = "axi",
     .key = "ports",
     .access = kAccess<&P::axi_ports>,
     .legal = {1, 4, kPowerOfTwo},
     .sv_name = "AxiPorts",
     .draw = ValueRange{1, 4, kPowerOfTwo},
     .unit = "ports",
     .doc = "memory ports; with 2, weights come through one of their own; with 4, inputs, weights, "
            "stores and the rest each have one"},

    {.section = "",
     .key = "clock_mhz",
     .kind = Kind::kDecimal,
     .access = kAccess<&P::clock_hz>,
     .legal = {1'000'000, 5'000'000'000},
     .parts = 1'000'000,
     .unit = "MHz",
     .doc = "clock, for times in reports and for the speed of DRAM"},

    {.section = "compute",
     .key = "concurrent",
     .kind = Kind::kChoice,
     .access = kAccess<&P::concurrent_compute>,
     .names = kFlagNames,
     .sv_name = "ConcurrentCompute",
     .draw = ValueRange{0, 1},
     .doc = "the compute unit overlaps its engines; results do not change"},
    {.section = "compute",
     .key = "alu_passes",
     .access = kAccess<&P::alu_passes>,
     .legal = {1, 8, kPowerOfTwo},
     .sv_name = "AluPasses",
     .draw = ValueRange{1, 4, kPowerOfTwo},
     .unit = "cycles",
     .doc = "cycles that the ALU takes for an element, with as many times fewer lanes"},
    {.section = "compute",
     .key = "acc_banks",
     .access = kAccess<&P::acc_banks>,
     .legal = {2, 8, kPowerOfTwo},
     .sv_name = "AccBanks",
     .draw = ValueRange{2, 8, kPowerOfTwo},
     .unit = "banks",
     .doc = "banks of ACC, which loads, ALU and GEMM access side by side"},
    {.section = "compute",
     .key = "pipeline",
     .kind = Kind::kChoice,
     .access = kAccess<&P::pipeline>,
     .names = kPipelineNames,
     .sv_name = "Pipeline",
     .draw = ValueRange{0, std::size(kPipelineNames) - 1},
     .doc = "stages of the GEMM core and the ALU: those that the highest clock needs, or fewer; "
            "results do not change"},

    {.section = "",
     .key = "timing",
     .kind = Kind::kChoice,
     .access = kAccess<&P::hls_timing>,
     .names = kTimingNames,
     .doc = "whose cycles simulations count: those of the RTL of this project, or of the published "
            "HLS core"},
};

/// "333.33" for 333'330'000 of 1'000'000 parts.
std::string decimalText(int64_t value, int64_t parts) {
  std::string text = fmt::format("{}{}", value < 0 ? "-" : "", std::abs(value / parts));
  std::string decimals;
  for (int64_t rest = std::abs(value % parts); rest != 0; rest %= parts) {
    parts /= 10;
    decimals += static_cast<char>('0' + rest / parts);
  }
  return decimals.empty() ? text : text + "." + decimals;
}

// Converts to any member, to count the members of a struct.
struct Anything {
  template <typename T>
  operator T() const;
};
template <typename T, typename... Members>
consteval size_t memberCount() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return memberCount<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}
// One row for each member; isa.extensions is one row for all extensions. Users' operations are no
// parameter: files describe each in a map of its own.
static_assert(memberCount<HwParams>() == std::size(kParameters) - 1 + std::size(kExtensions) + 1,
              "every member of HwParams needs a row in kParameters");

}  // namespace

std::string Parameter::fullKey() const {
  return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key);
}

bool Parameter::isFlag() const { return kind == Kind::kChoice && names.data() == kFlagNames; }

double Parameter::number(const HwParams& params) const {
  return static_cast<double>(access.get(params)) / static_cast<double>(parts);
}

int64_t Parameter::valueOf(double number) const {
  constexpr double kMost = 1e18;  // what is beyond is illegal for every parameter
  return std::llround(std::clamp(number * static_cast<double>(parts), -kMost, kMost));
}

std::span<const Parameter> parameters() { return kParameters; }
std::span<const IsaExtension> isaExtensions() { return kExtensions; }

std::string_view extensionName(bool HwParams::*member) {
  const auto* const found = std::ranges::find(kExtensions, member, &IsaExtension::member);
  return found == std::end(kExtensions) ? "unknown" : found->name;
}

std::string legalText(const Parameter& p) {
  const std::string range = p.legal.min == p.legal.max
                                ? fmt::format("{}", p.legal.min)
                                : fmt::format("{} to {}", p.legal.min, p.legal.max);
  switch (p.kind) {
    case Kind::kText:
      return "a plain text";
    case Kind::kInteger:
      return p.legal.power_of_two ? "powers of two from " + range : range;
    case Kind::kDecimal:
      return fmt::format("{} to {}, with up to {} decimals", decimalText(p.legal.min, p.parts),
                         decimalText(p.legal.max, p.parts), std::lround(std::log10(p.parts)));
    case Kind::kBytes:
      return fmt::format("{} elements", range);
    case Kind::kChoice:
      return p.isFlag() ? "true or false" : fmt::format("{}", fmt::join(p.names, " or "));
    case Kind::kSet:
      return fmt::format("a list of any of {}", fmt::join(p.names, ", "));
  }
  return "";
}

std::string valueText(const Parameter& p, const HwParams& params) {
  if (p.kind == Kind::kText) return params.name;
  const int64_t value = p.access.get(params);
  if (p.kind == Kind::kChoice) return std::string(p.names[static_cast<size_t>(value)]);
  if (p.kind == Kind::kSet) {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < p.names.size(); ++i) {
      if ((value >> i & 1) != 0) names.push_back(p.names[i]);
    }
    return fmt::format("[{}]", fmt::join(names, ", "));
  }
  if (p.kind == Kind::kDecimal) return decimalText(value, p.parts);
  if (p.kind == Kind::kBytes && value % (1024 * 1024) == 0) {
    return fmt::format("{}MiB", value / (1024 * 1024));
  }
  if (p.kind == Kind::kBytes && value % 1024 == 0) return fmt::format("{}KiB", value / 1024);
  return fmt::format("{}", value);
}

}  // namespace vta
